"""Limits of queues, spelled and in files of the Alea simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.traces import make_trace


def test_limits_are_spelled_by_queue() -> None:
    policy = parse_policy("easy:queue_limits=short@64; long@8")
    assert policy.spelling == "easy:queue_limits=long@8;short@64"
    assert parse_policy(policy.spelling) == policy
    assert policy.limited
    assert [policy.queue_limit(queue) for queue in ("long", "short", "other")] == [8, 64, None]
    assert policy.with_keys(max_queue_cpus="9").queue_limit("short") == 9
    assert parse_policy("easy:queue_limits=none") == parse_policy("easy")


def test_a_file_of_alea(tmp_path: Path) -> None:
    path = tmp_path / "log.queues"
    path.write_text("; queue\tCPUs\tpriority\nlong\t8\t70\n\nshort\t64\t50\n", "utf-8")
    assert parse_policy(f"easy:queue_limits={path}").spelling == "easy:queue_limits=long@8;short@64"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("long\t8\t1\nlong\t9\t1\n", ":2: queue long is listed twice"),
        ("long\tmany\t1\n", ":1: expected a queue, its processors and a priority: long many 1"),
        ("long\n", ":1: expected a queue, its processors and a priority: long"),
        ("long\t0\t1\n", ":1: expected a queue"),
        ("a@b\t1\t1\n", ":1: expected a queue"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "log.queues"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        parse_policy(f"easy:queue_limits={path}")
    assert str(caught.value).startswith(f"{path}{says}")


@pytest.mark.parametrize("text", ["short", "short@", "short@0", "short@1;", "short@1;short@2", "@3"])
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match="queue_limits"):
        parse_policy(f"easy:queue_limits={text}")


def test_each_queue_has_its_own_limit() -> None:
    # Of a 4 processors at once, of b 6, of c any number; 4 asks for more than a may ever have.
    trace = make_trace([0] * 6, [10] * 6, [4, 4, 6, 2, 5, 9], queue=["a", "a", "b", "b", "a", "c"])
    schedule = simulate(trace, Cluster.pool(30), parse_policy("aggressive:queue_limits=a@4;b@6"))
    assert schedule.start.tolist() == [0, 10, 0, 10, -1, 0]
    assert schedule.refused.tolist() == [False] * 4 + [True, False]
