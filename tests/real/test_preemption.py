"""Which jobs a real Slurm preempts, requeues and cancels, and on which nodes, beside the site's twin."""

import csv
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.slurm.values.host_list import expand_hosts
from tests.real.schedules import LENGTHS, asked_log, take
from tests.real.site import lacks

Run = dict[str, str]


@pytest.fixture(scope="module")
def out() -> Iterator[Path]:
    """What Slurm said of the schedule `preempted`; skips where there is no Slurm that may be started."""
    if missing := lacks():
        pytest.skip(missing)
    folder = Path(tempfile.mkdtemp(prefix="batchscope-real-", dir="/tmp"))
    try:
        take(folder, "preempted", LENGTHS["preempted"])
        yield folder / "out"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def twin(out: Path) -> Schedule:
    """The same jobs under the site's twin."""
    site = read_site_at(out / "site")
    read = read_log_as(asked_log(out), Reading(machine=str(out / "site" / "slurm.conf")))
    return simulate(read.trace, read.cluster, site_policy(site))


def runs(out: Path) -> dict[str, list[Run]]:
    """All runs of each job, by its name."""
    found: dict[str, list[Run]] = {}
    with (out / "runs.txt").open(errors="replace") as file:
        for row in csv.DictReader(file, delimiter="|"):
            found.setdefault(row["JobName"], []).append(row)
    return found


def named(schedule: Schedule, jobs: list[int]) -> set[str]:
    """The names of jobs of a trace."""
    names = schedule.trace.executable
    return {names.names[names.codes[job]] for job in jobs}


def test_jobs_on_few_nodes_are_preempted_first_in_their_order(out: Path) -> None:
    states = {name: [run["State"].split()[0] for run in own] for name, own in runs(out).items()}
    again = {name for name, own in states.items() if own == ["PREEMPTED", "COMPLETED"]}
    assert again == {"first", "second", "third"}
    assert states["cheap"] == ["PREEMPTED"]  # its partition cancels
    assert states["wide"] == states["one_node"] == states["two_nodes"] == states["last"] == ["COMPLETED"]


def test_the_twin_requeues_and_cancels_the_same_jobs(out: Path, twin: Schedule) -> None:
    real = runs(out)
    assert named(twin, twin.stopped.job.tolist()) == {name for name, own in real.items() if len(own) == 2}
    ran = (twin.end - twin.start).tolist()
    cut = [job for job, seconds in enumerate(ran) if seconds < int(twin.trace.runtime[job]) - 1]
    assert named(twin, cut) == {"cheap"}


def test_the_twin_places_jobs_on_the_same_nodes(out: Path, twin: Schedule) -> None:
    """All but the last, which takes what is free first: slurmctld ends a grace at a check every 30 s."""
    hosts, names = twin.cluster.node_names(), twin.trace.executable
    stopped = {int(job): k for k, job in reversed(list(enumerate(twin.stopped.job.tolist())))}
    compared = 0
    for job in range(len(twin.trace)):
        name = names.names[names.codes[job]]
        if name == "last":
            continue
        pieces, k = (twin.stopped.pieces, stopped[job]) if job in stopped else (twin.pieces, job)
        nodes = pieces["node"][pieces.offset[k] : pieces.offset[k + 1]].tolist()
        first = runs(out)[name][0]
        assert {hosts[node] for node in nodes} == set(expand_hosts(first["NodeList"])), name
        compared += 1
    assert compared == 7


def test_requeued_jobs_keep_their_priority(out: Path) -> None:
    """Until all are computed again, which comes each minute: of three requeued jobs one at least keeps it."""
    own = [entry for entry in runs(out).values() if len(entry) == 2]
    assert any(before["Priority"] == after["Priority"] for before, after in own)
