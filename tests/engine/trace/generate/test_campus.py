import gzip
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.trace.generate import (
    EXAMPLE,
    EXAMPLE_SEED,
    CampusModel,
    GeneratedJobs,
    campus_jobs,
    campus_log,
    write_log,
)
from engine.trace.generate.campus import LONGEST, SHORTEST
from engine.trace.generate.log import QUEUES, log_text

DAY = 86_400


@pytest.fixture(scope="module")
def jobs() -> GeneratedJobs:
    return campus_jobs(EXAMPLE_SEED)


def columns(jobs: GeneratedJobs) -> dict[str, list[int]]:
    return {entry.name: getattr(jobs, entry.name).tolist() for entry in fields(jobs)}


def test_a_seed_gives_the_same_jobs_and_another_seed_others(jobs: GeneratedJobs) -> None:
    assert columns(campus_jobs(EXAMPLE_SEED)) == columns(jobs)
    assert columns(campus_jobs(EXAMPLE_SEED + 1)) != columns(jobs)


@settings(max_examples=15)
@given(st.integers(0, 2**63))
def test_any_seed_gives_jobs_that_keep_to_the_model(seed: int) -> None:
    jobs = campus_jobs(seed)
    node = EXAMPLE.cluster.groups[0]
    assert len(jobs) == pytest.approx(EXAMPLE.jobs, rel=0.05)
    assert (np.diff(jobs.submit) >= 0).all()
    assert jobs.submit.min() >= 0
    assert (jobs.submit + jobs.runtime).max() <= EXAMPLE.days * DAY
    assert jobs.runtime.min() >= SHORTEST
    assert jobs.runtime.max() <= LONGEST
    assert set(jobs.walltime.tolist()) <= set(EXAMPLE.requests.values)
    assert (jobs.walltime >= jobs.runtime).all()
    assert jobs.nodes.min() >= 1
    assert jobs.nodes.max() <= node.count
    assert jobs.cpus.min() >= 1
    assert jobs.cpus.max() <= node.cpus
    assert jobs.ram.min() >= 1
    assert jobs.ram.max() <= node.ram


@pytest.mark.parametrize("seed", range(5))
def test_the_load_is_about_what_the_model_says(seed: int) -> None:
    jobs = campus_jobs(seed)
    used = (jobs.nodes * jobs.cpus * jobs.runtime).sum() / (EXAMPLE.cluster.cpus * EXAMPLE.days * DAY)
    assert used == pytest.approx(EXAMPLE.load, abs=0.05)
    ram = (jobs.nodes * jobs.ram * jobs.runtime).sum() / (EXAMPLE.cluster.ram * EXAMPLE.days * DAY)
    assert ram < used, "processors are the scarcer resource"


@pytest.mark.parametrize("seed", range(5))
def test_few_users_do_much_of_the_work(seed: int) -> None:
    jobs = campus_jobs(seed)
    work = np.bincount(jobs.user, jobs.nodes * jobs.cpus * jobs.runtime)
    share = np.sort(work)[::-1] / work.sum()
    assert share[:3].sum() == pytest.approx(sum(EXAMPLE.heavy_work), abs=0.03)
    assert share[3] < 0.7 * share[2]
    assert EXAMPLE.users - 2 <= np.count_nonzero(work) <= EXAMPLE.users


def test_users_are_numbered_in_the_order_of_their_first_jobs(jobs: GeneratedJobs) -> None:
    _, first = np.unique(jobs.user, return_index=True)
    assert jobs.user[np.sort(first)].tolist() == list(range(1, EXAMPLE.users + 1))


def test_sizes_are_those_of_the_paper(jobs: GeneratedJobs) -> None:
    """Minutes to 30 days, megabytes to 400 GB, one CPU to a whole node (Toth & Klusacek 2014, 4.1)."""
    assert jobs.runtime.min() < 10 * 60
    assert jobs.runtime.max() > 29 * DAY
    assert jobs.ram.min() < 1024
    assert jobs.ram.max() >= 400 * 1024
    assert np.mean(jobs.cpus == 1) > 0.1
    assert jobs.cpus.max() == 80
    assert 0 < np.mean(jobs.nodes > 1) < 0.01


def test_most_is_submitted_on_working_days_in_the_daytime(jobs: GeneratedJobs) -> None:
    zone = ZoneInfo("Europe/Prague")
    local = [datetime.fromtimestamp(EXAMPLE.zero + second, zone) for second in jobs.submit.tolist()]
    hour = np.bincount([time.hour for time in local], minlength=24)
    weekday = np.bincount([time.weekday() for time in local], minlength=7)
    assert hour[10:18].mean() > 2 * hour[:6].mean()
    assert weekday[:5].mean() > 1.5 * weekday[5:].mean()


def test_jobs_come_in_bursts_of_similar_ones(jobs: GeneratedJobs) -> None:
    alike = 0
    for user in range(1, EXAMPLE.users + 1):
        own = jobs.user == user
        soon = np.diff(jobs.submit[own]) < 3600
        same = (np.diff(jobs.cpus[own]) == 0) & (np.diff(jobs.walltime[own]) == 0)
        alike += int((soon & same).sum())
    assert alike > 0.7 * len(jobs)


def test_the_log_starts_on_a_tuesday_in_january() -> None:
    begin = datetime.fromtimestamp(EXAMPLE.zero, UTC).astimezone(ZoneInfo(EXAMPLE.timezone))
    assert (begin.year, begin.month, begin.weekday()) == (2013, 1, 1)
    assert (begin.hour, begin.minute) == (0, 0)


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_the_reader_gets_back_what_was_written(tmp_path: Path, jobs: GeneratedJobs, name: str) -> None:
    write_log(campus_log(EXAMPLE_SEED), tmp_path / name)
    trace = read_trace(tmp_path / name)
    assert trace.cluster == EXAMPLE.cluster
    assert (trace.zero, trace.timezone) == (EXAMPLE.zero, "Europe/Prague")
    assert trace.job_id.tolist() == list(range(1, len(jobs) + 1))
    assert trace.submit.tolist() == jobs.submit.tolist()
    assert trace.runtime.tolist() == jobs.runtime.tolist()
    assert trace.walltime.tolist() == jobs.walltime.tolist()
    assert trace.procs.tolist() == (jobs.nodes * jobs.cpus).tolist()
    assert trace.ram.tolist() == (jobs.nodes * jobs.ram).tolist()
    for column, written in (("count", jobs.nodes), ("cpus", jobs.cpus), ("ram", jobs.ram)):
        assert trace.tasks[column].tolist() == written.tolist()
    assert [int(trace.user.names[code]) for code in trace.user.codes] == jobs.user.tolist()
    assert {entry.rule for entry in trace.notes} == {"ram_unit", "no_wait"}
    assert not trace.has_recorded_schedule
    assert trace.recorded_nodes is None


def test_queues_go_by_the_walltime(tmp_path: Path, jobs: GeneratedJobs) -> None:
    write_log(campus_log(EXAMPLE_SEED), tmp_path / "log.swf")
    trace = read_trace(tmp_path / "log.swf")
    limits = list(QUEUES.values())
    for code, walltime in zip(trace.queue.codes.tolist(), trace.walltime.tolist(), strict=True):
        number = list(QUEUES).index(trace.queue.names[code])
        assert walltime <= limits[number]
        assert number == 0 or walltime > limits[number - 1]


def test_writing_twice_gives_the_same_bytes(tmp_path: Path, jobs: GeneratedJobs) -> None:
    written = []
    for name in ("first.swf.gz", "second.swf.gz"):
        write_log(campus_log(EXAMPLE_SEED), tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]).decode("ascii") == log_text(campus_log(EXAMPLE_SEED))
    assert written[0][4:8] == bytes(4), "the time of packing is in the file"


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, jobs: GeneratedJobs) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere does not exist") as caught:
        write_log(campus_log(EXAMPLE_SEED), tmp_path / "nowhere" / "log.swf")
    assert caught.value.filename == str(tmp_path / "nowhere" / "log.swf")


def test_another_model_shapes_another_workload(tmp_path: Path) -> None:
    model = CampusModel(
        cluster=parse_cluster("4x16c64g"),
        users=10,
        jobs=300,
        days=28,
        load=0.5,
        heavy_work=(0.3,),
        heavy_cpus=8,
        spells=1,
        spell_weeks=1,
    )
    jobs = campus_jobs(1, model)
    assert len(jobs) == pytest.approx(300, rel=0.2)
    assert jobs.cpus.max() <= 16
    assert jobs.ram.max() <= 64 * 1024
    write_log(campus_log(1, model), tmp_path / "small.swf")
    trace = read_trace(tmp_path / "small.swf")
    assert trace.cluster.nodes == 4
    assert trace.cluster.cpus == 64
    assert len(trace) == len(jobs)


def test_spells_that_do_not_fit_into_the_days_are_refused() -> None:
    with pytest.raises(ValueError, match="spells"):
        campus_jobs(1, replace(EXAMPLE, days=30))
