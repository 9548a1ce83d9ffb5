"""What typed letters find in a study."""

import time
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from app.model.finding import MOST, Found, find
from engine.machine.cluster import Cluster, NodeGroup
from engine.policy.policy import parse_policy
from engine.study import Study
from engine.trace import Pieces
from tests.traces import make_trace
from views.text.typed_times import TypedTime

ZERO = int(datetime(2013, 2, 1, tzinfo=UTC).timestamp())
BOUNDS = (0.0, 60 * 86_400.0)
MACHINE = Cluster((NodeGroup(3, 8, name="zewura"), NodeGroup(20, 4, name="zegox")))


@pytest.fixture
def study() -> Study:
    """120 jobs, numbers 1 to 120, of users u0 to u11, but for one of alice."""
    jobs = 120
    user = ["alice", *(f"u{job % 12}" for job in range(1, jobs))]
    queue = ["long" if job % 2 else "Short" for job in range(jobs)]
    trace = make_trace(
        np.arange(jobs), np.full(jobs, 5400), 2, user=user, queue=queue, cluster=MACHINE, zero=ZERO
    )
    return Study(trace, MACHINE).add(parse_policy("easy")).add(parse_policy("fairshare-easy"))


def names(typed: str, study: Study) -> list[str]:
    return [found.name for found in find(typed, study, BOUNDS)]


def test_a_job_is_found_by_its_number_and_by_how_it_begins(study: Study) -> None:
    assert names("11", study) == ["job 11", *(f"job {k}" for k in range(110, 117)), "zegox 11", "user u11"]
    (first, *_) = find("11", study, BOUNDS)
    assert first == Found(
        "job", 10, "job 11", "2 processors, 1 h 30 min, user u10, submitted Fri 1 Feb 2013 00:00:10"
    )
    assert names("job 1", study)[0] == "job 1"
    assert len(names("job 1", study)) == MOST
    assert names("jobs 120", study) == ["job 120"]
    assert names("121", study) == names("9" * 30, study) == []


def test_numbers_of_jobs_may_be_words(study: Study) -> None:
    ids = np.array([f"{job}.Head" for job in range(120)])
    of_words = replace(study, trace=replace(study.trace, job_id=ids))
    assert names("17", of_words)[0] == "job 17.Head"
    assert names("17.head", of_words) == ["job 17.Head"]


def test_users_and_queues_by_any_part_of_their_names(study: Study) -> None:
    assert names("ALI", study) == ["user alice"]
    assert names("lice", study) == ["user alice"]
    assert names("u1", study) == ["user u1", "user u10", "user u11"]
    (queue,) = find("short", study, BOUNDS)
    assert (queue.kind, queue.name, queue.about) == ("queue", "queue Short", "60 jobs")
    assert names("user o", study) == []
    assert names("queue o", study) == ["queue Short", "queue long"]


def test_nodes_by_their_host_names(study: Study) -> None:
    hosts = (*(f"c{k:03}" for k in range(1, 20)), "fat-C01")
    own = Cluster((NodeGroup(20, 8, names=hosts), NodeGroup(2, 4, name="zegox")))
    nodes = Pieces(np.concatenate(([0, 2, 3, 4], np.full(117, 4))), {"node": np.array([16, 3, 16, 3])})
    trace = replace(study.trace, cluster=own, recorded_nodes=nodes)
    named = replace(study, trace=trace, cluster=own)
    (found,) = find("C017", named, BOUNDS)
    assert found == Found("node", 16, "c017", "2 jobs in the log, node of 20x8c")
    assert names("c01", named) == [*(f"c01{k}" for k in range(8))]  # MOST of those that begin so
    assert names("node fat", named) == ["fat-C01"]
    assert names("at-c", named) == ["fat-C01"]
    assert names("zegox 1", named) == ["zegox 1"]
    assert names("node c020", named) == names("c001c002", named) == []
    other = replace(named, cluster=Cluster((NodeGroup(3, 9, names=("x", "c017", "c099")),)))
    assert [(match.value, match.about) for match in find("node c0", other, BOUNDS)] == [
        (1, "2 jobs in the log, node of 3x9c"),
        (2, "node of 3x9c"),
    ]


def test_nodes_by_their_group_and_number(study: Study) -> None:
    assert [(found.name, found.value) for found in find("zegox 3", study, BOUNDS)] == [("zegox 3", 6)]
    assert names("zegox3", study) == names("zegox 3", study)
    assert names("zew", study) == ["zewura 0", "zewura 1", "zewura 2"]
    assert len(names("zegox", study)) == MOST
    assert names("node 2", study) == ["zewura 2", "zegox 2"]
    assert names("zewura 3", study) == []
    bare = replace(study, cluster=Cluster((NodeGroup(3, 8), NodeGroup(20, 4))))
    assert [(found.name, found.value) for found in find("node 5", bare, BOUNDS)] == [("node 5", 5)]
    pooled = replace(study, cluster=Cluster.pool(9))
    assert "node" not in [found.kind for found in find("2", pooled, BOUNDS)]


def test_runs_by_their_policy(study: Study) -> None:
    assert [(found.name, found.value) for found in find("easy", study, BOUNDS)] == [
        ("easy", 1),
        ("fairshare-easy", 2),
    ]


def test_times(study: Study) -> None:
    day = 86_400.0
    (time,) = find("2013-02-03", study, BOUNDS)
    assert (time.kind, time.value, time.about) == ("time", TypedTime(2 * day, 3 * day), "1 d of time")
    assert time.name == "Sun 3 Feb 2013 00:00:00 – Mon 4 Feb 2013 00:00:00"
    assert find("3 weeks in", study, BOUNDS)[0].value == TypedTime(21 * day, 21 * day)


def test_some_kinds_alone(study: Study) -> None:
    assert find("11", study, BOUNDS, kinds=("time",)) == []


@pytest.mark.parametrize("typed", ["", "   ", "job", "user ", "xyzzy", "\0", "(", "x" * 10_000])
def test_nothing_is_found(typed: str, study: Study) -> None:
    assert find(typed, study, BOUNDS) == []


def test_it_answers_while_one_types() -> None:
    jobs = 300_000
    user = [f"u{job % 700}" for job in range(jobs)]
    trace = make_trace(np.arange(jobs), np.full(jobs, 5400), 2, user=user, cluster=MACHINE, zero=ZERO)
    study = Study(trace, MACHINE)
    find("1", study, BOUNDS)  # what is worked out once, at its first use
    for typed in ("1", "12", "u", "u1", "2013-02", "zegox"):
        begin = time.thread_time()
        assert find(typed, study, BOUNDS)
        assert time.thread_time() - begin < 0.05
