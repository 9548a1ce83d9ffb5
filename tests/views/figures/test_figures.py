"""Figures for print: what they show, and the files they become."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from engine.errors import InputError
from tests.traces import make_trace
from tests.views.figures.samples import (
    HOUR,
    WHITE,
    colour_at,
    cut,
    drawn,
    some_results,
    some_trace,
    texts,
    with_image,
)
from tests.views.results import make_result
from views.data.usage import NAMES
from views.data.user_rows import QueueGroup, UserRows
from views.figures.gantt import gantt_figure
from views.figures.heatmap import heatmap_figure
from views.figures.page_settings import Sheet, drawn_on
from views.figures.printing import on_paper
from views.figures.save import FORMATS, save
from views.theme.palette import heat_colours, rgb

if TYPE_CHECKING:
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure


def test_a_note_stands_below_a_figure(tmp_path: Path) -> None:
    figure = gantt_figure(some_results(some_trace()))
    save(figure, tmp_path / "bare.svg")
    save(figure, tmp_path / "told.svg", "log on 100c: easy.\nOnly jobs with procs > 1.")
    bare, shown = ((tmp_path / f"{name}.svg").read_text("utf-8") for name in ("bare", "told"))
    assert "Only jobs with procs" in shown
    heights = [float(re.findall(r'height="([0-9.]+)pt"', text)[0]) for text in (bare, shown)]
    assert 10 < heights[1] - heights[0] < 40


def test_a_schedule_that_runs_nothing_is_an_empty_picture() -> None:
    trace = some_trace()
    result = make_result(trace, [-1, -1])
    (axes,) = with_image(gantt_figure([result]))
    assert np.asarray(axes.images[0].get_array()).min() == 255
    heatmap_figure([result])
    with pytest.raises(InputError, match="No job to compare"):
        drawn("distributions", [result])


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


def test_few_late_jobs_have_their_numbers_where_they_count_as_late() -> None:
    trace = make_trace([0] * 4, [600] * 4, user=["a", "a", "b", "b"])
    figure = heatmap_figure([make_result(trace, [5000, 5000, 0, 9000], 1)])
    (axes,) = with_image(figure)
    numbers = {text.get_text(): text.get_position() for text in axes.texts}
    assert {"1, 2", "4"} <= set(numbers)  # the jobs of a are late together, the third job is on time
    for name in ("1, 2", "4"):
        x, y = numbers[name]
        assert colour_at(axes, x, y) != WHITE
    many = make_trace([0] * 30, [600] * 30, user=["a"] * 30)
    (axes,) = with_image(heatmap_figure([make_result(many, [9000] * 30, 1)]))
    assert not any(text.get_text().startswith("1,") for text in axes.texts)


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
    # Who is never late has no row, so the axis says of how many users they are.
    few = make_result(trace, np.arange(users) + np.where(np.arange(users) < 450, 7200, 0))
    (axes,) = with_image(heatmap_figure([few]))
    assert axes.get_ylabel() == "450 of 900 users with late jobs"
    named = [label.get_text() for label in axes.get_yticklabels()]
    assert named[0] == "u0"  # the uppermost
    assert 10 < len(named) < 40  # as many as there is room for
    assert (np.asarray(axes.images[0].get_array())[:, 300] < 255).any(axis=1).all()


def test_heatmap_shows_the_rows_the_means_and_the_scales_that_it_is_asked_for() -> None:
    from matplotlib.lines import Line2D

    users = 40
    trace = make_trace([0] * users, [600] * users, user=[f"u{n}" for n in range(users)])
    results = [make_result(trace, [late] * users, run) for run, late in ((1, 7200), (2, 60_000))]
    rows = UserRows(
        np.arange(users)[::-1].copy(), users, 1, (QueueGroup("short", 1, 19), QueueGroup("long", 20, 20))
    )
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


def test_strips_stay_where_a_heatmap_is_made_lower() -> None:
    results = some_results(some_trace())
    usual = heatmap_figure(results)
    with drawn_on(Sheet(heights=0.4)):
        lower = heatmap_figure(results)
    assert len(lower.axes) == len(usual.axes)
    assert lower.get_figheight() < 0.7 * usual.get_figheight()
    assert [axes.get_ylabel() for axes in lower.axes[1:]] == [axes.get_ylabel() for axes in usual.axes[1:]]
    assert cut(lower) == []


@pytest.mark.parametrize("draw", [gantt_figure, heatmap_figure])
def test_pictures_of_data_are_finer_on_large_paper(draw: Callable[..., Figure]) -> None:
    assert [on_paper(paper).fine for paper in ("", "85mm", "180mm", "slide", "poster")] == [1, 1, 1, 2, 2]
    results = some_results(some_trace())
    shapes = []
    for fine in (1, 2):
        with drawn_on(Sheet(fine=fine)):
            picture = draw(results).axes[0].images[0].get_array()
        assert picture is not None
        shapes.append(picture.shape[:2])
    assert shapes[1] == (2 * shapes[0][0], 2 * shapes[0][1])


def test_no_strip_for_ram_where_nothing_is_known_of_it() -> None:
    trace = some_trace(ram=False)
    labels = [axes.get_ylabel() for axes in heatmap_figure(some_results(trace)).axes]
    assert labels.count("CPU") == 2
    assert "RAM" not in labels


def test_strips_and_gantt_titles_show_one_utilization_a_run() -> None:
    """Both are of the run's own span: the first run ends two hours before the second."""
    results = some_results(some_trace())
    strips = texts(heatmap_figure(results))
    titles = " ".join(texts(gantt_figure(results)))
    assert "mean 65.0 %\nto its end" in strips
    assert "mean\n43.3 %" in strips
    assert "utilization 65.0 %" in titles
    assert "utilization 43.3 %" in titles


def test_heatmap_needs_expected_ends() -> None:
    trace = some_trace()
    with pytest.raises(InputError, match="easy: there is no heatmap without expected end times"):
        heatmap_figure([make_result(trace, [0, 0], grace=None)])


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_figure_is_the_same_file(tmp_path: Path, suffix: str) -> None:
    trace = some_trace()
    files = []
    for name in ("one", "two"):
        for kind in ("gantt", "distributions"):
            path = tmp_path / f"{name}-{kind}{suffix}"
            save(drawn(kind, some_results(trace)), path)
            files.append(path.read_bytes())
    assert files[:2] == files[2:]
    assert not any(b"CreationDate" in data or b"dc:date" in data for data in files)
    assert len(list(tmp_path.iterdir())) == 4


def test_data_inside_vector_files_are_pictures(tmp_path: Path) -> None:
    trace = some_trace()
    figure = gantt_figure(some_results(trace))
    save(figure, tmp_path / "gantt.svg")
    save(figure, tmp_path / "gantt.pdf")
    svg = (tmp_path / "gantt.svg").read_text("utf-8")
    assert svg.count("<image") == 2
    assert svg.count("<path") < 500
    assert (tmp_path / "gantt.pdf").read_bytes().count(b"/Subtype /Image") == 2


def test_fonts_inside_pdf_hold_glyphs_and_nothing_of_layout(tmp_path: Path) -> None:
    save(gantt_figure(some_results(some_trace())), tmp_path / "x.pdf")
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (tmp_path / "x.pdf").read_bytes(), re.DOTALL)
    inflated = [zlib.decompress(match) for match in found if match[:1] == b"x"]
    fonts = [TTFont(io.BytesIO(data)) for data in inflated if data[:4] == b"\x00\x01\x00\x00"]
    assert len(fonts) >= 2  # the usual one and the bold one of the title
    for font in fonts:
        assert {"glyf", "hmtx", "loca"} <= set(font.keys())
        assert not {"GDEF", "GPOS", "GSUB"} & set(font.keys())


def test_save_refuses_other_formats_and_says_which_it_takes(tmp_path: Path) -> None:
    figure = drawn("distributions", some_results(some_trace()))
    with pytest.raises(InputError, match=r"a figure is saved as one of \.png, \.svg, \.pdf"):
        save(figure, tmp_path / "figure.jpeg")
    with pytest.raises(InputError, match="cannot write this figure"):
        save(figure, tmp_path / "nowhere" / "figure.png")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_whole_when_saving_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = drawn("distributions", some_results(some_trace()))
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
        "from pathlib import Path\n"
        "from tests.views.figures.samples import drawn, some_results, some_trace\n"
        "from views.figures.save import save\n"
        "for kind in ('gantt', 'distributions', 'sizes', 'scatter', 'hours', 'value', 'fairshare'):\n"
        "    figure = drawn(kind, some_results(some_trace()))\n"
        "save(figure, Path(sys.argv[1]))\n"
        "print([m for m in ('PySide6', 'pyqtgraph', 'matplotlib.pyplot') if m in sys.modules])"
    )
    path = tmp_path / "last.pdf"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert path.stat().st_size > 5000
