from pathlib import Path

from tests.app.cli.commands import Commands
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=60\n"


def _site(folder: Path) -> tuple[str, str]:
    rows = [
        job(
            JobID=k,
            Submit=clock(k),
            Start=clock(9 + 70 * k),
            End=clock(69 + 70 * k),
            Partition="batch",
            NodeList="a",
        )
        for k in (0, 1, 2)
    ]
    site = folder / "site"
    site.mkdir()
    (site / "slurm.conf").write_text(CONF)
    log = folder / "log"
    log.write_text("\n".join((HEADER, *rows, "")))
    return str(log), str(site)


def test_a_twin_tells_recorded_beside_simulated(cli: Commands, tmp_path: Path) -> None:
    log, site = _site(tmp_path)
    found = cli.done("twin", log, "--site", site, "--json", "--quiet").document
    # Recorded waits are 9, 78 and 147 s; each job takes 60 s, one after the other, and passes follow ends.
    assert found["all"]["jobs"] == 3
    assert found["all"]["recorded"] == [78.0, 78.0, 140.1]
    assert found["all"]["simulated"][0] < 78
    assert found["cycle"] == 60
    assert found["accounts_in_order"] is None
    assert {group["by"] for group in found["groups"]} == {"queue", "account", "size"}  # a log under a week
    assert found["verdict"].startswith("the model's mean wait is ")
    text = cli.done("twin", log, "--site", site, "--quiet").out
    assert text.splitlines()[0] == f"log beside {site}: {found['verdict']}"
    assert "The jobs that differ most:" in text


def test_a_twin_needs_a_site_and_recorded_starts(cli: Commands, tmp_path: Path) -> None:
    log, site = _site(tmp_path)
    assert "give the site's files" in cli("twin", log).complaint
    (tmp_path / "site" / "slurm.conf").unlink()
    assert "there is no slurm.conf in this folder" in cli("twin", log, "--site", site).complaint


def test_what_the_log_tells_of_the_site_is_reported_with_its_evidence(cli: Commands, tmp_path: Path) -> None:
    log, site = _site(tmp_path)
    found = cli.done("twin", log, "--site", site, "--fit", "--json", "--quiet").document["fit"]
    assert [estimate["name"] for estimate in found["estimates"]] == ["launch", "completion"]
    assert not any(estimate["accepted"] for estimate in found["estimates"])  # three jobs say nothing
    assert found["held_out"]["off"] == found["held_out"]["off_fitted"]
    assert "launch 0 s, not accepted" in cli.done("twin", log, "--site", site, "--fit", "--quiet").out
