"""The filter that all charts share."""

import pytest

from engine.filter import parse_filter
from engine.quantities import Jobs
from tests.traces import make_trace
from views.state.filter import Filter, FilterModel

LARGE, LONG = Filter(parse_filter("procs > 3")), Filter(parse_filter("runtime > 1h"), hides=True)


@pytest.fixture
def model() -> FilterModel:
    return FilterModel()


@pytest.fixture
def seen(model: FilterModel) -> list[Filter]:
    found: list[Filter] = []
    model.changed.connect(lambda: found.append(model.value))
    return found


def test_every_change_is_reported_once(model: FilterModel, seen: list[Filter]) -> None:
    model.set(LARGE)
    model.set(Filter(parse_filter("procs>3")))
    model.clear()
    model.clear()
    assert seen == [LARGE, Filter()]


@pytest.fixture
def steps(model: FilterModel) -> list[Filter]:
    """The filters before each step."""
    found: list[Filter] = []
    model.stepped.connect(found.append)
    return found


def test_each_change_is_a_step_but_for_what_is_brought_back(
    model: FilterModel, seen: list[Filter], steps: list[Filter]
) -> None:
    model.set(LARGE)
    model.set(LARGE)
    model.set(LONG)
    model.put(LARGE)
    model.clear()
    assert seen == [LARGE, LONG, LARGE, Filter()]
    assert steps == [Filter(), LARGE, LARGE]


def test_typing_is_one_step(model: FilterModel, steps: list[Filter]) -> None:
    model.set(LARGE)
    model.hold()
    for text in ("wait > 1", "wait > 10", "wait > 100"):
        model.set(Filter(parse_filter(text)))
    model.release()
    model.release()
    assert steps == [Filter(), LARGE]
    model.hold()
    model.set(LONG)
    model.set(Filter(parse_filter("wait > 100")))
    model.release()
    assert steps == [Filter(), LARGE]  # nothing new came of it


def test_another_trace_has_no_filter(model: FilterModel, seen: list[Filter], steps: list[Filter]) -> None:
    model.set(LARGE)
    model.hold()
    model.set(LONG)
    model.reset()
    model.release()
    assert seen == [LARGE, LONG, Filter()]
    assert steps == [Filter()]


def test_what_is_hidden_and_what_is_dimmed() -> None:
    jobs = Jobs(make_trace([0, 0], [60, 7200], [4, 1]))
    assert Filter().mask(jobs) is None
    for chosen, expected in ((LARGE, [True, False]), (LONG, [False, True])):
        mask = chosen.mask(jobs)
        assert mask is not None
        assert mask.tolist() == expected
    assert (LARGE.dimmed, LARGE.hidden) == (LARGE.expression, None)
    assert (LONG.dimmed, LONG.hidden) == (None, LONG.expression)
