"""From a login node to a report: what `collect` brings of a real Slurm is a log, and a site to simulate."""

import re
from pathlib import Path

import pytest

from engine.logs.read import read_records
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.folder import read_site_at
from tests.app.cli.commands import Commands
from tests.real.database import jobs

WAYS = {"collected": "collect.txt", "collected_by_script": "script.txt"}
"""The folders that were collected, by the command and by its script, and what was printed meanwhile."""


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Commands:
    """Runs commands in this process."""
    return Commands(capsys)


@pytest.mark.parametrize("name", WAYS)
def test_everything_is_collected(session: Path, name: str) -> None:
    said = (session / "home" / WAYS[name]).read_text()
    assert "all is there" in said, said
    folder = session / "home" / name
    for file in ("nodes.txt", "partitions.txt", "config.txt", "qos.txt", "assoc.txt", "queue/squeue.txt"):
        assert (folder / file).stat().st_size > 0, file


@pytest.mark.parametrize("name", WAYS)
def test_the_log_has_every_job_once_and_as_the_database_has_it(session: Path, name: str) -> None:
    records = read_records(session / "home" / name / "jobs")
    # How many tasks of an array may run at a time is no part of the database's ids.
    found = [re.sub(r"%\d+", "", str(job)) for job in records.job_id.tolist()]
    assert len(set(found)) == len(found)
    assert set(found) <= set(jobs(session / "out", every_run=False, all_rows=True))
    assert {job for job, run in jobs(session / "out", every_run=False).items() if run.ran} <= set(found)


@pytest.mark.parametrize("name", WAYS)
def test_the_site_is_that_of_the_controller(session: Path, name: str) -> None:
    site = read_site_at(session / "home" / name)
    machines = (site.machine, read_slurm_conf(session / "slurm.conf").machine)
    nodes = [
        {name: row.tolist() for name, row in zip(machine.node_names(), machine.capacity(), strict=True)}
        for machine in machines
    ]
    assert nodes[0] == nodes[1]
    assert {association.account for association in site.associations} >= {"physics", "bio", "genes"}
    assert dict(site.qos)["high"] == 10.0


def test_a_report_follows_from_what_was_collected(session: Path, cli: Commands, tmp_path: Path) -> None:
    folder = session / "home" / "collected"
    cli.done("info", folder / "jobs", "--cluster", folder)
    cli.done(
        "report",
        folder / "jobs",
        "-p",
        "recorded",
        "-p",
        f"site:{folder}",
        "-o",
        tmp_path / "report",
        "--quiet",
    )
    page = (tmp_path / "report" / "index.html").read_text()
    assert "recorded" in page


def test_what_was_collected_is_anonymized_with_the_same_starts(
    session: Path, cli: Commands, tmp_path: Path
) -> None:
    folder = session / "home" / "collected"
    cli.done("anonymize", folder / "jobs", "--site", folder, "-o", tmp_path / "out")
    numbers = []
    for log, site in ((folder / "jobs", folder), (tmp_path / "out" / "sacct.txt", tmp_path / "out" / "site")):
        document = cli.done("compare", log, "-p", f"site:{site}", "--json", "--quiet").document
        numbers.append([run["metrics"] for run in document["runs"]])
    assert numbers[0] == numbers[1]
