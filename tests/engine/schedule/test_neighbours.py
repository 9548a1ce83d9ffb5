"""The jobs around a job, against a search processor by processor."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedule.neighbours import on_processors, waiting_at_submission
from tests.boxes import boxes_of
from tests.traces import make_schedule, make_trace

LENGTH = 10


def test_before_and_after_on_its_processors() -> None:
    trace = make_trace([0, 0, 0, 0, 0], [10, 20, 10, 10, 5], [2, 2, 4, 4, 1])
    schedule = make_schedule(trace, [0, 0, 20, 30, 0])
    boxes = boxes_of((0, 0, 2), (1, 2, 2), (4, 9, 1), (2, 0, 4), (3, 0, 4))
    before, after = on_processors(schedule, boxes, 2)
    assert list(before) == [1, 0]  # the one that ended last comes first
    assert list(after) == [3]
    before, after = on_processors(schedule, boxes, 4)
    assert not len(before)
    assert not len(after)


def test_a_job_without_boxes_has_no_neighbours() -> None:
    schedule = make_schedule(make_trace([0, 0], [10, 10]), [0, -1])
    assert [len(side) for side in on_processors(schedule, boxes_of((0, 0, 1)), 1)] == [0, 0]


def test_the_queue_that_a_job_found() -> None:
    schedule = make_schedule(make_trace([0, 0, 5, 5, 5], [10] * 5), [0, 7, 5, 20, 6])
    assert list(waiting_at_submission(schedule, 3)) == [1]
    assert list(waiting_at_submission(schedule, 4)) == [1, 3]
    assert list(waiting_at_submission(schedule, 0)) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=12))
def test_neighbours_are_found_processor_by_processor(rows: list[tuple[int, int, int]]) -> None:
    """Row k is job k, in slot `row[0]` of time, on `row[2]` processors from `row[1]` on."""
    trace = make_trace([0] * len(rows), [LENGTH] * len(rows), [row[2] for row in rows])
    schedule = make_schedule(trace, [row[0] * LENGTH for row in rows])
    boxes = boxes_of(*((job, first, count) for job, (_, first, count) in enumerate(rows)))
    slot, first, count = rows[0]
    last: set[int] = set()
    for processor in range(first, first + count):
        there = [k for k, row in enumerate(rows) if k and row[1] <= processor < row[1] + row[2]]
        earlier = [k for k in there if rows[k][0] < slot]
        if earlier:
            last.add(max(rows[k][0] for k in earlier))
    before, after = on_processors(schedule, boxes, 0)
    assert {rows[k][0] for k in before} == last
    ends = [rows[k][0] for k in before]
    assert ends == sorted(ends, reverse=True)
    assert all(rows[k][0] > slot for k in after)
