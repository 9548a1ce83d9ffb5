"""The first preview of a wide window is a part of it."""

from dataclasses import replace

import numpy as np
import pytest

from app.model import preview
from app.model.chart_data import ChartData, draw
from app.model.preview import Preview, preview_of
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from engine.simulation.run import simulate
from tests.traces import make_trace

WINDOW = (1000.0, 3000.0)
EASY = parse_policy("easy")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> ChartData:
    monkeypatch.setattr(preview, "SLOW_S", 0.0)
    trace = make_trace(range(0, 10_000, 10), [40] * 1000, [1] * 1000)
    drawn = draw(lambda: simulate(trace, trace.cluster, parse_policy("fcfs")))
    return replace(drawn, computing=1000.0)


def previewed(run: ChartData, window: tuple[float, float], last: Preview | None = None) -> Preview:
    work = preview_of(run, EASY, window, 1.0, last)
    assert work is not None
    return work(Control())


def ran(found: Preview) -> list[int]:
    return np.flatnonzero(found.chart_data.schedule.ran).tolist()


def test_a_window_that_fits_is_previewed_whole(run: ChartData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "BUDGET_S", 1e9)
    found = previewed(run, WINDOW)
    assert found.span == WINDOW
    assert found.rest is None
    assert ran(found) == list(range(97, 300))  # the first had not ended at 1000
    assert found.pace > 0


def test_a_part_of_a_wider_one_comes_first(run: ChartData, monkeypatch: pytest.MonkeyPatch) -> None:
    last = previewed(run, WINDOW)
    jobs = 160  # of a quarter, with those of the time before it
    monkeypatch.setattr(preview, "BUDGET_S", last.pace * jobs)
    found = previewed(run, WINDOW, last)
    assert found.span == (1000.0, 1500.0)
    assert ran(found) == list(range(97, 150))
    assert found.rest is not None
    rest = found.rest(Control())
    assert (rest.span, rest.rest) == (WINDOW, None)
    assert ran(rest) == list(range(97, 300))
    both = ran(found)
    assert rest.chart_data.schedule.start[both].tolist() == found.chart_data.schedule.start[both].tolist()


def test_where_no_part_fits_the_least_with_jobs_is_shown(
    run: ChartData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "BUDGET_S", 0.0)
    found = previewed(run, WINDOW)
    assert found.span == (1000.0, 1004.0)
    assert ran(found) == list(range(97, 101))
    assert found.rest is not None


def test_parts_grow_until_the_window_is_whole(run: ChartData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "BUDGET_S", 1e-9)
    monkeypatch.setattr(preview, "_LONGER", 1e4)
    found, spans = previewed(run, WINDOW), []
    while found.rest is not None:
        spans.append(found.span[1])
        found = found.rest(Control())
    assert len(spans) >= 1
    assert spans == sorted(spans)
    assert found.span == WINDOW
    assert ran(found) == list(range(97, 300))


def test_a_part_of_the_whole_trace_comes_before_the_run(
    run: ChartData, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = (0.0, 10_000.0)
    last = previewed(run, WINDOW)
    monkeypatch.setattr(preview, "BUDGET_S", last.pace * 300)
    found = previewed(run, window, last)
    assert found.span == (0.0, 2500.0)
    assert ran(found) == list(range(250))
    assert found.rest is not None
    assert found.rest(Control()).span == (0.0, 5000.0)  # the whole window is the whole run


def test_the_whole_run_follows_a_part_where_it_takes_as_long_as_the_next(
    run: ChartData, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = previewed(run, WINDOW)
    monkeypatch.setattr(preview, "BUDGET_S", last.pace * 160)
    soon = replace(run, computing=last.pace * 160 * 7)
    found = previewed(soon, WINDOW, last)
    assert found.span == (1000.0, 1500.0)
    assert found.rest is None
