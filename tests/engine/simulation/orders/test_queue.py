import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.simulation import queue as parts
from engine.simulation.queue import Queue, make_queue
from tests.parts import from_python

enqueue = from_python(parts.enqueue)
remove = from_python(parts.remove)
remove_at = from_python(parts.remove_at)
sort_queue = from_python(parts.sort_queue)

BY_NUMBER = np.zeros(0, np.int64)
"""No other turns than those of the jobs' numbers."""


def waiting(queue: Queue) -> list[int]:
    low, high = queue.bounds.tolist()
    jobs: list[int] = queue.jobs[low:high].tolist()
    return jobs


@given(st.permutations(range(40)), st.lists(st.integers(0, 10**6), max_size=200))
def test_jobs_that_come_and_go_are_kept_in_order_of_rank(rank: list[int], choices: list[int]) -> None:
    """Jobs come in order of submission; between, jobs anywhere in the queue leave."""
    queue = make_queue(np.array(rank, np.int64), BY_NUMBER)
    expected: list[int] = []
    arriving = iter(range(len(rank)))
    for choice in choices:
        leave = expected and choice % 3
        job = expected[choice % len(expected)] if leave else next(arriving, None)
        if job is None:
            break
        if leave == 1:
            remove(queue, job)
        elif leave == 2:
            remove_at(queue, queue.bounds[0] + expected.index(job))
        else:
            enqueue(queue, job)
        expected = [other for other in expected if other != job] + ([] if leave else [job])
        expected.sort(key=lambda other: rank[other])
        assert waiting(queue) == expected


def test_a_queue_that_reached_its_end_moves_to_the_front() -> None:
    queue = make_queue(np.arange(3), BY_NUMBER)
    for job in (0, 1):
        enqueue(queue, job)
    remove_at(queue, 0)
    enqueue(queue, 2)
    assert queue.bounds.tolist() == [1, 3]
    remove(queue, 2)
    enqueue(queue, 2)  # the table ends where the queue does
    assert waiting(queue) == [1, 2]


@pytest.mark.parametrize("low", [0, 7])
@given(keys=st.lists(st.integers(0, 5) | st.floats(0, 5), max_size=60), seed=st.randoms())
def test_sorted_by_key_and_then_by_submission(low: int, keys: list[float], seed) -> None:
    jobs = list(range(len(keys)))
    seed.shuffle(jobs)
    queue = make_queue(np.arange(low + len(keys)), BY_NUMBER)
    queue.jobs[low:] = jobs
    queue.bounds[:] = low, low + len(keys)
    queue.key[: len(keys)] = keys
    sort_queue(queue)
    assert waiting(queue) == sorted(jobs, key=lambda job: (keys[job], job))
