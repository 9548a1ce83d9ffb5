"""Gantt charts for print: they show what the chart in the window does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.filter import parse_filter
from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Decision
from engine.trace import Pieces
from tests.traces import make_trace
from tests.views.figures.samples import (
    HOUR,
    LONG,
    WHITE,
    colour_at,
    some_results,
    some_trace,
    texts,
    with_image,
)
from tests.views.results import decisions, make_result
from views.data.gantt.look import GanttLook
from views.data.gantt.shown_layers import GanttLayers
from views.data.other_run import OtherRun
from views.figures.gantt import gantt_figure
from views.theme.palette import rgb, user_colours

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def test_gantt_paints_each_job_where_and_when_it_ran_in_its_users_colour() -> None:
    trace = some_trace()
    figure = gantt_figure(some_results(trace))
    first, second = with_image(figure)
    alice, bob = (rgb(c) for c in user_colours(trace.user.names, np.array([160.0, 100.0])))
    assert colour_at(first, 2 * HOUR, 20) == alice
    assert colour_at(first, 2 * HOUR, 60) == bob
    assert colour_at(first, 2 * HOUR, 95) == WHITE
    assert colour_at(first, 3.5 * HOUR, 60) == WHITE
    assert colour_at(second, 2 * HOUR, 60) == WHITE
    assert colour_at(second, 5 * HOUR, 20) == bob


def test_few_jobs_are_outlined_each_box_where_it_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    results = some_results(some_trace())
    (first, _) = with_image(gantt_figure(results))
    (outlines,) = first.collections
    assert len(outlines.get_paths()) == len(assign_processors(results[0].schedule).first)
    monkeypatch.setattr("views.figures.gantt_boxes._MOST_OUTLINED", 1)
    (first, _) = with_image(gantt_figure(results))
    assert not first.collections


def test_gantt_names_runs_users_axes_and_dates() -> None:
    trace = some_trace()
    written = texts(gantt_figure(some_results(trace)))
    for expected in (
        "log",
        "easy",
        LONG,
        "alice",
        "$bob$",
        "processor",
        "time (UTC)",
        "12:00",
        "Tue 1 Jan 2013",
        "mean wait 0 s, utilization 65.0 %",
    ):
        assert expected in written
    assert "KTH" in texts(gantt_figure(some_results(trace), title="KTH"))


def test_all_schedules_share_one_window() -> None:
    trace = some_trace()
    whole = gantt_figure(some_results(trace))
    assert {axes.get_xlim() for axes in with_image(whole)} == {(0.0, 6.0 * HOUR)}
    part = gantt_figure(some_results(trace), window=(HOUR, 2 * HOUR))
    assert {axes.get_xlim() for axes in with_image(part)} == {(HOUR, 2 * HOUR)}
    assert colour_at(with_image(part)[0], 1.01 * HOUR, 60) != WHITE


def test_many_users_share_a_grey_and_are_counted() -> None:
    trace = make_trace(np.arange(20), [100] * 20, user=[f"u{n}" for n in range(20)])
    written = texts(gantt_figure([make_result(trace, np.arange(20))]))
    assert "6 others" in written
    assert "u19" not in written


def test_processors_are_counted_in_whole_numbers() -> None:
    result = make_result(make_trace([0, 0], [60, 60]), [0, 0])
    small = replace(result.schedule, cluster=Cluster((NodeGroup(1, 2),)))
    result = replace(result, schedule=small)
    axes = gantt_figure([result]).axes[0]
    assert [tick for tick in axes.get_yticks() if tick % 1] == []


def some_look(**chosen: object) -> Figure:
    """The second of the runs as it is chosen to look."""
    return gantt_figure(some_results(some_trace())[1:], look=GanttLook(**chosen))  # type: ignore[arg-type]


def test_gantt_rows_are_what_the_chart_has() -> None:
    (packed,) = with_image(some_look(rows="jobs"))
    assert (packed.get_ylim(), packed.get_ylabel()) == ((1, 0), "jobs at once")
    figure = some_look(rows="users")
    assert {"alice", "$bob$"} < set(texts(figure))
    (users,) = with_image(figure)
    alice, bob = (rgb(c) for c in user_colours(some_trace().user.names, np.array([160.0, 100.0])))
    assert colour_at(users, 2 * HOUR, 0.5) == alice
    assert colour_at(users, 5 * HOUR, 1.5) == bob
    (part,) = with_image(some_look(part=(0.5, 1.0)))
    assert part.get_ylim() == (100, 50)
    assert colour_at(part, 2 * HOUR, 75) == WHITE


def test_gantt_colours_say_what_they_say_in_the_chart() -> None:
    figure = some_look(colours="wait")
    (axes,) = with_image(figure)
    written = texts(figure)
    assert {"wait", "≤ 1 min", "> 7 d"} < set(written)
    assert colour_at(axes, 2 * HOUR, 20) != colour_at(axes, 5 * HOUR, 20)
    baseline = OtherRun(make_result(some_trace(), [0, HOUR]).schedule, "the first", "#000000")
    assert "> 1 d later than the first" in texts(some_look(colours="change", baseline=baseline))


def test_gantt_leaves_out_or_draws_back_what_a_filter_does() -> None:
    (hidden,) = with_image(some_look(hidden=parse_filter("user = alice")))
    assert colour_at(hidden, 5 * HOUR, 20) == WHITE
    (dimmed,) = with_image(some_look(dimmed=parse_filter("user = alice")))
    (whole,) = with_image(some_look())
    assert colour_at(dimmed, 2 * HOUR, 20) == colour_at(whole, 2 * HOUR, 20)
    assert min(colour_at(dimmed, 5 * HOUR, 20)) > 200


def test_gantt_draws_back_what_is_not_selected() -> None:
    (whole,), (bob,) = with_image(some_look()), with_image(some_look(selected=np.array([False, True])))
    assert colour_at(bob, 5 * HOUR, 20) == colour_at(whole, 5 * HOUR, 20)
    assert min(colour_at(bob, 2 * HOUR, 20)) > 200
    (neither,) = with_image(some_look(selected=np.array([False, True]), dimmed=parse_filter("user = alice")))
    assert min(colour_at(neither, 5 * HOUR, 20)) > 200


def test_gantt_layers_are_those_of_the_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("views.figures.gantt_boxes._MOST_OUTLINED", 0)
    (bare,) = with_image(some_look(instant=2.0 * HOUR))
    assert not bare.collections
    (waits,) = with_image(some_look(layers=GanttLayers(waits=True)))
    (line,) = waits.collections[0].get_segments()
    assert line.tolist() == [[HOUR, 25], [4 * HOUR, 25]]
    (idle,) = with_image(some_look(layers=GanttLayers(idle=True)))
    assert colour_at(idle, 2 * HOUR, 80) != WHITE
    assert colour_at(idle, 5.5 * HOUR, 80) == WHITE
    log = decisions((HOUR, 1, Decision.RESERVED, 5 * HOUR))
    result = make_result(some_trace(), [0, 4 * HOUR], log=log)
    look = GanttLook(layers=GanttLayers(reservations=True), instant=2.0 * HOUR)
    figure = gantt_figure([result], look=look)
    (planned,) = with_image(figure)
    boxes = [path.get_extents() for collection in planned.collections for path in collection.get_paths()]
    assert [(box.x0, box.y0, box.y1) for box in boxes] == [(5 * HOUR, 0, 50)]
    assert any(text.startswith("1 planned start: 1 earlier") for text in texts(figure))


def test_gantt_says_where_not_all_planned_starts_are_drawn() -> None:
    n = 2005
    trace = make_trace([0] * (n + 1), [4 * HOUR] + [HOUR] * n, [n] + [1] * n, cluster=Cluster.pool(n))
    log = decisions(*((0, job, Decision.RESERVED, 6 * HOUR) for job in range(1, n + 1)))
    result = make_result(trace, [0] + [4 * HOUR] * n, log=log)
    look = GanttLook(layers=GanttLayers(reservations=True), instant=1.0 * HOUR)
    written = texts(gantt_figure([result], look=look))
    assert any("2\u202f005 earlier; first 2\u202f000 of 2\u202f005 drawn; " in text for text in written)


def test_gantt_rows_of_nodes_are_named_one_by_one_or_by_their_groups() -> None:
    def named(big: int, small: int) -> list[str]:
        cluster = Cluster((NodeGroup(big, 8, name="zewura"), NodeGroup(small, 8)))
        trace = make_trace([0, 0], [HOUR] * 2, procs=[4, 4], cluster=cluster)
        on_nodes = Pieces(np.array([0, 1, 2]), {"node": np.array([0, 3]), "cpus": np.array([4, 4])})
        result = make_result(trace, [0, 0], 1)
        result = replace(result, schedule=replace(result.schedule, pieces=on_nodes), boxes=None)
        (axes,) = with_image(gantt_figure([result], look=GanttLook(rows="nodes")))
        return [label.get_text() for label in axes.get_yticklabels()]

    assert named(3, 1) == ["zewura 0", "zewura 1", "zewura 2", "node 3"]
    assert named(300, 90) == ["zewura", "90x8c"]
