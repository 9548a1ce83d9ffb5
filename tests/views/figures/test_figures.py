"""Figures for print: what they show, and the files they become."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.errors import InputError
from engine.filter import parse_filter
from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.schedule import Decision
from engine.trace import Pieces, Trace
from tests.traces import make_trace
from tests.views.results import decisions, make_result
from views.data.gantt.look import GanttLook
from views.data.gantt.shown_layers import ShownLayers
from views.data.other_run import OtherRun
from views.data.plot_choices import DistributionChoices, ScatterChoices
from views.data.results import Result
from views.data.usage import NAMES
from views.data.user_rows import Group, UserRows
from views.figures import (
    FORMATS,
    boxplot_figure,
    gantt_figure,
    heatmap_figure,
    lines_figure,
    save,
    scatter_figure,
    sizes_figure,
)
from views.theme.palette import heat_colours, rgb, run_colour, user_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure

HOUR = 3600
NOON = 1_357_041_600  # Tuesday, 1 January 2013, 12:00 UTC
LONG = "fairshare-easy:penalty=cpu,half_life=2h"
WHITE = (255, 255, 255)


def some_trace(ram: bool = True) -> Trace:
    """Two users on 100 processors: 40 for four hours, then the other 50 for two."""
    return make_trace(
        submit=[0, HOUR],
        runtime=[4 * HOUR, 2 * HOUR],
        procs=[40, 50],
        user=["alice", "$bob$"],
        ram=[1024, 2048] if ram else None,
        cluster=Cluster((NodeGroup(1, 100, 4096 if ram else None),)),
        zero=NOON,
        name="log",
    )


def some_results(trace: Trace) -> list[Result]:
    return [make_result(trace, [0, HOUR], 1), make_result(trace, [0, 4 * HOUR], 2, LONG)]


def texts(figure: Figure) -> list[str]:
    """All that is written in a figure."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def with_image(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.images and axes.yaxis_inverted()]


def colour_at(axes: Axes, x: float, y: float) -> tuple[int, ...]:
    """The colour of the picture at a position in data."""
    picture = np.asarray(axes.images[0].get_array())
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    column = int((x - left) / (right - left) * picture.shape[1])
    row = int((y - top) / (bottom - top) * picture.shape[0])
    return tuple(int(part) for part in picture[row, column])


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


def test_gantt_layers_are_those_of_the_chart() -> None:
    (bare,) = with_image(some_look(instant=2.0 * HOUR))
    assert not bare.collections
    (waits,) = with_image(some_look(layers=ShownLayers(waits=True)))
    (line,) = waits.collections[0].get_segments()
    assert line.tolist() == [[HOUR, 25], [4 * HOUR, 25]]
    (idle,) = with_image(some_look(layers=ShownLayers(idle=True)))
    assert colour_at(idle, 2 * HOUR, 80) != WHITE
    assert colour_at(idle, 5.5 * HOUR, 80) == WHITE
    log = decisions((HOUR, 1, Decision.RESERVED, 5 * HOUR))
    result = make_result(some_trace(), [0, 4 * HOUR], log=log)
    look = GanttLook(layers=ShownLayers(reservations=True), instant=2.0 * HOUR)
    figure = gantt_figure([result], look=look)
    (planned,) = with_image(figure)
    boxes = [path.get_extents() for one in planned.collections for path in one.get_paths()]
    assert [(box.x0, box.y0, box.y1) for box in boxes] == [(5 * HOUR, 0, 50)]
    assert any(text.startswith("1 planned start: 1 earlier") for text in texts(figure))


def test_planned_starts_of_a_figure_have_error_bars() -> None:
    """Jobs come half an hour later than promised, all but the last, which waits."""
    n = 11
    trace = make_trace([0] * (n + 1), [HOUR // 2] * (n + 1), cluster=Cluster.pool(n))
    log = decisions(
        *((0, job, Decision.RESERVED, HOUR) for job in range(n)), (0, n, Decision.RESERVED, 4 * HOUR)
    )
    result = make_result(trace, [HOUR + HOUR // 2] * n + [5 * HOUR], log=log)
    figure = gantt_figure([result], look=GanttLook(layers=ShownLayers(reservations=True), instant=3.0 * HOUR))
    (axes,) = with_image(figure)
    bars = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_marker() == "|"]
    assert [(list(bar.get_xdata()), list(bar.get_ydata())) for bar in bars] == [
        ([4.5 * HOUR] * 2, [0.5, 0.5])
    ]
    assert any("Bars: 80 % of like jobs" in text for text in texts(figure))


def test_gantt_says_where_not_all_planned_starts_are_drawn() -> None:
    n = 2005
    trace = make_trace([0] * (n + 1), [4 * HOUR] + [HOUR] * n, [n] + [1] * n, cluster=Cluster.pool(n))
    log = decisions(*((0, job, Decision.RESERVED, 6 * HOUR) for job in range(1, n + 1)))
    result = make_result(trace, [0] + [4 * HOUR] * n, log=log)
    look = GanttLook(layers=ShownLayers(reservations=True), instant=1.0 * HOUR)
    written = texts(gantt_figure([result], look=look))
    assert any("2\u202f005 earlier; first 2\u202f000 of 2\u202f005 drawn; " in text for text in written)


def test_a_note_stands_below_a_figure(tmp_path: Path) -> None:
    figure = gantt_figure(some_results(some_trace()))
    save(figure, tmp_path / "bare.svg")
    save(figure, tmp_path / "told.svg", "log on 100c: easy.\nOnly jobs with procs > 1.")
    bare, told = ((tmp_path / f"{name}.svg").read_text("utf-8") for name in ("bare", "told"))
    assert "Only jobs with procs" in told
    heights = [float(re.findall(r'height="([0-9.]+)pt"', text)[0]) for text in (bare, told)]
    assert 10 < heights[1] - heights[0] < 40


def test_a_schedule_that_runs_nothing_is_an_empty_picture() -> None:
    trace = some_trace()
    result = make_result(trace, [-1, -1])
    (axes,) = with_image(gantt_figure([result]))
    assert np.asarray(axes.images[0].get_array()).min() == 255
    heatmap_figure([result])
    boxplot_figure([result])


def test_heatmap_shows_violations_in_minutes_of_users() -> None:
    trace = some_trace()
    figure = heatmap_figure(some_results(trace))
    first, second = with_image(figure)
    assert colour_at(first, HOUR, 0.5) == WHITE  # nobody is late under the first run
    least = rgb(f"#{int(heat_colours(dark=False)[0]) & 0xFFFFFF:06x}")
    # The second job starts 3 h late, 10 min of them forgiven: from 1:10 on for 2 h 50 min.
    assert colour_at(second, 1.1 * HOUR, 0.5) == WHITE
    assert colour_at(second, 1.3 * HOUR, 0.5) == least
    assert colour_at(second, 3.9 * HOUR, 0.5) == least
    assert colour_at(second, 4.1 * HOUR, 0.5) == WHITE
    written = texts(figure)
    assert "$bob$" in written  # the only row
    assert "alice" not in written
    assert "1 job past the expected end" in written


def test_heatmap_orders_rows_by_minutes_and_alike_for_all_runs() -> None:
    trace = make_trace([0] * 3, [600] * 3, user=["little", "most", "some"])
    results = [
        make_result(trace, [700, 9000, 900], 1),
        make_result(trace, [0, 650, 5000], 2, "fcfs"),
    ]
    figure = heatmap_figure(results)
    for axes in with_image(figure):
        assert [label.get_text() for label in axes.get_yticklabels()] == ["most", "some", "little"]


def test_heatmap_with_more_users_than_pixels() -> None:
    users = 900
    trace = make_trace(np.arange(users), [600] * users, user=[f"u{n}" for n in range(users)])
    result = make_result(trace, np.arange(users) + 7200)
    (axes,) = with_image(heatmap_figure([result]))
    assert axes.get_ylabel() == "900 users"
    named = [label.get_text() for label in axes.get_yticklabels()]
    assert named[0] == "u0"  # the uppermost
    assert 10 < len(named) < 40  # as many as there is room for
    assert (np.asarray(axes.images[0].get_array())[:, 300] < 255).any(axis=1).all()


def test_heatmap_shows_the_rows_the_means_and_the_scales_that_it_is_asked_for() -> None:
    from matplotlib.lines import Line2D

    users = 40
    trace = make_trace([0] * users, [600] * users, user=[f"u{n}" for n in range(users)])
    results = [make_result(trace, [late] * users, run) for run, late in ((1, 7200), (2, 60_000))]
    rows = UserRows(np.arange(users)[::-1].copy(), users, 1, (Group("short", 1, 19), Group("long", 20, 20)))
    figure = heatmap_figure(results, (0, 72_000), rows=rows, aggregate="mean", shared_scale=False)
    for axes in with_image(figure):
        assert [label.get_text() for label in axes.get_yticklabels()] == ["u39", "short", "long"]
        assert len([line for line in axes.lines if isinstance(line, Line2D)]) == 2
    written = texts(figure)
    assert written.count("mean jobs") == 2
    assert texts(heatmap_figure(results, (0, 72_000), rows=rows)).count("jobs") == 1


def test_strips_show_use_requests_and_queue() -> None:
    trace = some_trace()
    figure = heatmap_figure(some_results(trace)[1:])
    strips = {axes.get_ylabel(): axes for axes in figure.axes if axes.get_ylabel() in NAMES.values()}
    requested, used = strips["CPU"].collections
    assert height_at(used, 2 * HOUR) == pytest.approx(40)
    assert height_at(requested, 2 * HOUR) == pytest.approx(90)
    requested, used = strips["RAM"].collections
    assert height_at(used, 2 * HOUR) == pytest.approx(1024)
    assert height_at(requested, 2 * HOUR) == pytest.approx(3072)
    (waiting,) = strips["Queue"].collections
    assert height_at(waiting, 2 * HOUR) == pytest.approx(1)
    assert height_at(waiting, 5 * HOUR) == 0
    assert "mean\n43.3 %" in texts(figure)
    assert "GPU" not in strips


def height_at(curve: Collection, x: float) -> float:
    """How high a filled curve is."""
    (path,) = curve.get_paths()
    return float(max(y for px, y in np.asarray(path.vertices) if abs(px - x) < 60))


def test_no_strip_for_ram_where_nothing_is_known_of_it() -> None:
    trace = some_trace(ram=False)
    labels = [axes.get_ylabel() for axes in heatmap_figure(some_results(trace)).axes]
    assert labels.count("CPU") == 2
    assert "RAM" not in labels


def test_heatmap_needs_expected_ends() -> None:
    trace = some_trace()
    with pytest.raises(InputError, match="easy: there is no heatmap without expected end times"):
        heatmap_figure([make_result(trace, [0, 0], grace=None)])


def test_boxplots_name_short_runs_below_their_boxes_and_number_long_ones() -> None:
    trace = some_trace()
    results = some_results(trace)
    short = boxplot_figure([results[0], make_result(trace, [0, 7200], 2, "fcfs")])
    assert len(short.axes) == 4
    assert [label.get_text() for label in short.axes[0].get_xticklabels()] == ["easy", "fcfs"]
    long = boxplot_figure(results)
    assert [label.get_text() for label in long.axes[0].get_xticklabels()] == ["1", "2"]
    assert {"1  easy", f"2  {LONG}"} <= set(texts(long))


def test_boxplots_draw_quartiles_in_the_colour_of_the_run() -> None:
    from matplotlib.colors import to_hex

    users = 5
    trace = make_trace([0] * users, [600] * users, user=[f"u{n}" for n in range(users)])
    figure = boxplot_figure([make_result(trace, [10, 100, 1000, 2000, 5000], 3)])
    wait = figure.axes[2]
    box = wait.patches[-1]
    assert box.get_y() == pytest.approx(np.log10(100))  # type: ignore[attr-defined]
    assert box.get_y() + box.get_height() == pytest.approx(np.log10(2000))  # type: ignore[attr-defined]
    assert to_hex(box.get_edgecolor()) == run_colour(3)


def test_boxplots_leave_out_what_was_not_computed() -> None:
    trace = some_trace()
    figure = boxplot_figure([make_result(trace, [0, HOUR], grace=None)])
    assert len(figure.axes) == 2
    assert "Mean wait" in texts(figure)


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_figure_is_the_same_file(tmp_path: Path, suffix: str) -> None:
    trace = some_trace()
    files = []
    for name in ("one", "two"):
        for draw in (gantt_figure, heatmap_figure, boxplot_figure):
            path = tmp_path / f"{name}-{draw.__name__}{suffix}"
            save(draw(some_results(trace)), path)
            files.append(path.read_bytes())
    assert files[:3] == files[3:]
    assert not any(b"CreationDate" in data or b"dc:date" in data for data in files)
    assert len(list(tmp_path.iterdir())) == 6


def test_data_inside_vector_files_are_pictures(tmp_path: Path) -> None:
    trace = some_trace()
    figure = gantt_figure(some_results(trace))
    save(figure, tmp_path / "gantt.svg")
    save(figure, tmp_path / "gantt.pdf")
    svg = (tmp_path / "gantt.svg").read_text("utf-8")
    assert svg.count("<image") == 2
    assert svg.count("<path") < 500
    assert (tmp_path / "gantt.pdf").read_bytes().count(b"/Subtype /Image") == 2


def test_save_refuses_other_formats_and_says_which_it_takes(tmp_path: Path) -> None:
    figure = boxplot_figure(some_results(some_trace()))
    with pytest.raises(InputError, match=r"a figure is saved as one of \.png, \.svg, \.pdf"):
        save(figure, tmp_path / "figure.jpeg")
    with pytest.raises(InputError, match="cannot write this figure"):
        save(figure, tmp_path / "nowhere" / "figure.png")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_whole_when_saving_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = boxplot_figure(some_results(some_trace()))
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match="No space left"):
        save(figure, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def refuse(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_neither_qt_nor_pyplot_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from tests.views.figures.test_figures import *\n"
        "save(gantt_figure(some_results(some_trace())), Path(sys.argv[1]))\n"
        "print([m for m in ('PySide6', 'pyqtgraph', 'matplotlib.pyplot') if m in sys.modules])"
    )
    path = tmp_path / "gantt.pdf"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert path.stat().st_size > 5000


def test_distributions_are_drawn_as_chosen() -> None:
    from matplotlib.patches import StepPatch

    trace = some_trace()
    results = [make_result(trace, [0, 7200]), make_result(trace, [0, 60], 2, LONG)]
    one = boxplot_figure(results, choices=DistributionChoices("response", "job", points="all"))
    assert len(one.axes) == 1
    assert {"Response", "time"} <= set(texts(one))
    assert [len(line.get_xdata()) for line in one.axes[0].lines if line.get_marker() == "o"] == [2, 2]  # type: ignore[arg-type]
    bars = lines_figure(results, DistributionChoices(kind="histogram"))
    assert len(bars.axes) == 4
    shares = [patch for patch in bars.axes[2].patches if isinstance(patch, StepPatch)]
    assert [patch.get_data().values.sum() for patch in shares] == [pytest.approx(100)] * 2
    curves = lines_figure(results, DistributionChoices("wait", "job", "cumulative"))
    ends = [line.get_ydata()[-1] for line in curves.axes[0].lines[:2]]  # type: ignore[index]
    assert ends == [100, 100]
    assert {"easy", LONG} <= {text.get_text() for text in curves.legends[0].get_texts()}


def test_curves_over_job_sizes_and_scatter() -> None:
    trace = some_trace()
    results = [make_result(trace, [0, 7200]), make_result(trace, [0, 60], 2, LONG)]
    sizes = sizes_figure(results)
    assert len(sizes.axes) == 3
    waited = [line.get_ydata()[-1] for line in sizes.axes[2].lines]  # type: ignore[index]
    assert waited == [int((r.schedule.wait * r.schedule.procs).sum()) for r in results]
    figure = scatter_figure(results[0], ScatterChoices("response", "wait", "job", "linear"))
    (dots,) = figure.axes[0].collections
    response = results[0].schedule.end - trace.submit
    assert np.array_equal(dots.get_offsets(), np.stack((results[0].schedule.wait, response), axis=1))


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
