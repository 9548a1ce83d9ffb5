"""Limits and priorities of queues, spelled and in files of the Alea simulator."""

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
    by_queue = parse_policy(f"easy:order=priority,weights=queue=1,queue_priority={path}")
    assert str(by_queue.queue_priority) == "long@70;short@50"
    assert parse_policy(by_queue.spelling) == by_queue


def test_a_file_without_priorities(tmp_path: Path) -> None:
    path = tmp_path / "log.queues"
    path.write_text("long\t8\nshort\t64\t5\n", "utf-8")
    assert str(parse_policy(f"easy:queue_limits={path}").queue_limits) == "long@8;short@64"
    with pytest.raises(InputError, match="queue long has no priority"):
        parse_policy(f"easy:order=priority,weights=queue=1,queue_priority={path}")


def test_priorities_are_spelled_by_queue() -> None:
    policy = parse_policy("easy:order=priority,weights=queue=1,queue_priority=short@9; long@1.50")
    assert policy.spelling == "easy:order=priority,weights=queue=1,queue_priority=long@1.5;short@9"
    assert parse_policy(policy.spelling) == policy


@pytest.mark.parametrize("text", ["short", "short@", "short@0", "short@1;", "short@1;short@2", "a@-1"])
def test_priorities_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match="queue_priority"):
        parse_policy(f"easy:order=priority,weights=queue=1,queue_priority={text}")


def test_priorities_need_an_order_that_weighs_queues() -> None:
    for spelling in ("easy:queue_priority=a@1", "easy:order=priority,weights=age=1,queue_priority=a@1"):
        with pytest.raises(InputError, match="queue_priority=a@1 has no use"):
            parse_policy(spelling)


def test_queues_go_by_their_priorities() -> None:
    # Of 4 processors the first job takes all; then b at 9 goes before a at 3, and c has none.
    trace = make_trace([0, 1, 1, 1], [10] * 4, [4] * 4, queue=["a", "c", "a", "b"])
    policy = parse_policy("easy:order=priority,weights=queue=1,queue_priority=a@3;b@9")
    assert simulate(trace, Cluster.pool(4), policy).start.tolist() == [0, 30, 20, 10]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("long\t8\t1\nlong\t9\t1\n", ":2: queue long is listed twice"),
        ("long\tmany\t1\n", ":1: expected a queue, its processors and a priority: long many 1"),
        ("long\n", ":1: expected a queue, its processors and a priority: long"),
        ("long\t0\t1\n", ":1: expected a queue"),
        ("long\t8\thigh\n", ":1: expected a queue"),
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
