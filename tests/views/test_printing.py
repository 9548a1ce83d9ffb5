"""Figures on paper: sizes in mm, fonts, greys, what is written around, and the same bytes."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

import batchscope
from tests.app.cli.commands import Commands, small_log
from views.data.changes import class_colours
from views.figures.grey import TWO_SIDED, in_greys
from views.figures.line_labels import label_lines
from views.figures.swatch_legend import add_legend
from views.theme.palette import OTHER_USERS, USER_COLOURS, pattern_of, rgb, run_colour

RUNS = ("-p", "easy", "-p", "fcfs")
INCH = 72


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(capsys)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_log(tmp_path_factory.mktemp("log"))


def pdf_size(path: Path) -> tuple[float, float]:
    """Width and height of the page in mm."""
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", path.read_bytes())
    assert box is not None
    return float(box[1]) / INCH * 25.4, float(box[2]) / INCH * 25.4


@pytest.mark.parametrize(
    ("paper", "width", "most"),
    [
        ("85mm", 85, 225),
        ("180mm", 180, 225),
        ("slide", 338.7, 190.5),
        ("poster", 801, 1149),
        ("120", 120, None),
    ],
)
def test_papers_have_their_size(
    cli: Commands, log: Path, tmp_path: Path, paper: str, width: float, most: float | None
) -> None:
    cli.done("figure", "radar", log, *RUNS, "-o", tmp_path / "x.pdf", "--paper", paper)
    wide, tall = pdf_size(tmp_path / "x.pdf")
    assert wide <= width + 0.4
    assert most is None or tall <= most + 0.1
    assert wide == pytest.approx(width, abs=0.4) or tall == pytest.approx(most, rel=0.05)


def test_all_formats_have_one_size(cli: Commands, log: Path, tmp_path: Path) -> None:
    for suffix in ("pdf", "svg", "png"):
        cli.done("figure", "sizes", log, *RUNS, "-o", tmp_path / f"x.{suffix}", "--paper", "slide")
    wide, tall = pdf_size(tmp_path / "x.pdf")
    svg = (tmp_path / "x.svg").read_text("utf-8")
    found = re.search(r'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert found is not None
    assert (float(found[1]) / INCH * 25.4, float(found[2]) / INCH * 25.4) == pytest.approx(
        (wide, tall), abs=0.1
    )
    with Image.open(tmp_path / "x.png") as picture:
        assert picture.info["dpi"] == pytest.approx((200, 200), abs=1)
        assert (picture.width / 200 * 25.4, picture.height / 200 * 25.4) == pytest.approx((wide, tall), abs=1)


def test_a_figure_as_wide_as_a_column_has_the_text_of_that_paper(
    cli: Commands, log: Path, tmp_path: Path
) -> None:
    made = {}
    for name, kind, words in (
        ("column", "sizes-column", ()),
        ("paper", "sizes", ("--paper", "88.9mm")),
        ("larger", "sizes-column", ("--font-size", "8")),
    ):
        cli.done("figure", kind, log, *RUNS, "-o", tmp_path / f"{name}.svg", *words)
        made[name] = (tmp_path / f"{name}.svg").read_text("utf-8")
    scales = {
        name: float(re.search(r'<svg [^>]*width="([\d.]+)pt"', text)[1])  # type: ignore[index]
        / float(re.search(r'viewBox="0 0 ([\d.]+) ', text)[1])  # type: ignore[index]
        for name, text in made.items()
    }
    assert scales == pytest.approx({"column": 7 / 8, "paper": 7 / 8, "larger": 1.0}, abs=1e-4)
    assert made["column"] == made["paper"]


def test_a_figure_that_is_higher_than_the_page_is_made_lower(
    cli: Commands, log: Path, tmp_path: Path
) -> None:
    heights = []
    for name, limit in (("free.pdf", ()), ("low.pdf", ("--height", "100"))):
        cli.done("figure", "gantt", log, *RUNS, "-o", tmp_path / name, *limit)
        heights.append(pdf_size(tmp_path / name))
    assert heights[0][1] > 120
    assert 93 < heights[1][1] <= 100.1
    assert heights[1][0] == pytest.approx(heights[0][0], abs=0.1)  # plots are lower, text is not smaller


def test_greys_hold_no_colour(cli: Commands, log: Path, tmp_path: Path) -> None:
    spreads = []
    for name, option in (("colour.png", ()), ("grey.png", ("--grey",))):
        cli.done("figure", "heatmap", log, *RUNS, "-o", tmp_path / name, *option)
        with Image.open(tmp_path / name) as picture:
            pixels = np.asarray(picture.convert("RGB")).astype(int)
        spreads.append(int((pixels.max(axis=2) - pixels.min(axis=2)).max()))
    assert spreads[0] > 60
    assert spreads[1] <= 1


def test_what_is_around_can_be_left_out_and_is_in_the_metadata(
    cli: Commands, log: Path, tmp_path: Path
) -> None:
    sizes = []
    for name, options in (("all.pdf", ()), ("bare.pdf", ("--no-title", "--no-captions", "--no-note"))):
        cli.done("figure", "hours", log, *RUNS, "-o", tmp_path / name, *options)
        sizes.append(pdf_size(tmp_path / name)[1])
        assert b"/Subject (small on 8c: easy, fcfs." in (tmp_path / name).read_bytes()
    assert sizes[1] < sizes[0] - 5
    cli.done("figure", "hours", log, *RUNS, "-o", tmp_path / "bare.svg", "--no-note")
    assert "<dc:description>small on 8c: easy, fcfs." in re.sub(
        r">\s+", ">", (tmp_path / "bare.svg").read_text("utf-8")
    )


@pytest.mark.parametrize("paper", ["85mm", "slide"])
def test_the_same_bytes_on_paper(cli: Commands, log: Path, tmp_path: Path, paper: str) -> None:
    for name in ("a.pdf", "b.pdf"):
        cli.done("figure", "radar", log, *RUNS, "-o", tmp_path / name, "--paper", paper, "--grey")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--paper", "slid"), "slid is not a width in mm, and no paper has this name; did you mean 'slide'?"),
        (("--paper", "5"), "a width of 5 mm: it is 20 to 3000 mm"),
        (("--font", "DejaVu San"), "no font is called DejaVu San; did you mean 'DejaVu Sans'?"),
        (("--font-size", "900"), "text of 900 points: it is 3 to 200 points"),
        (("--data", "x.txt"), "cannot write this format"),
    ],
)
def test_what_cannot_be_printed_is_reported(
    cli: Commands, log: Path, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    outcome = cli("figure", "radar", log, *RUNS, "-o", tmp_path / "x.pdf", *words)
    assert outcome.status == 2
    assert complaint in outcome.complaint


def test_data_are_what_was_drawn(cli: Commands, log: Path, tmp_path: Path) -> None:
    draw = ("figure", "distributions", log, *RUNS, "-o", tmp_path / "x.png", "--force")
    cli.done(*draw, "--data", tmp_path / "x.csv")
    cli.done(*draw, "--data", tmp_path / "x.json")
    cli.done(*draw, "--data", tmp_path / "x.parquet")
    rows = pd.read_csv(tmp_path / "x.csv")
    boxes = rows[(rows["is"] == "boxoutline") & (rows["plot"] == "Mean wait")]
    assert list(boxes["group"]) == ["easy", "fcfs"]
    runs = batchscope.compare(batchscope.read(log), ["easy", "fcfs"])
    users = runs["fcfs"].evaluation.users
    median = float(np.median(users["wait_mean"][users.active]))
    assert float(boxes["median"].iloc[1]) == pytest.approx(median, rel=1e-6)
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert document["figure"] == "distributions"
    assert len(document["rows"]) == len(rows) == len(pd.read_parquet(tmp_path / "x.parquet"))


@pytest.mark.parametrize(
    ("kind", "columns", "many"),
    [("gantt", ["run", "job_id", "user"], 24), ("difference", ["job_id", "user", "submit"], 12)],
)
def test_data_of_charts_of_jobs(
    cli: Commands, log: Path, tmp_path: Path, kind: str, columns: list[str], many: int
) -> None:
    cli.done("figure", kind, log, *RUNS, "-o", tmp_path / "x.png", "--data", tmp_path / "x.csv")
    rows = pd.read_csv(tmp_path / "x.csv")
    assert list(rows.columns)[:3] == columns
    assert len(rows) == many


@pytest.mark.parametrize("kind", ["sizes", "gantt", "heatmap"])
def test_a_figure_is_drawn_once_also_where_its_page_is_too_low(
    cli: Commands, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    made: list[Figure] = []
    begin = Figure.__init__

    def counted(figure: Figure, *args: Any, **kwargs: Any) -> None:
        made.append(figure)
        begin(figure, *args, **kwargs)

    monkeypatch.setattr(Figure, "__init__", counted)
    cli.done("figure", kind, log, *RUNS, "-o", tmp_path / "x.pdf", "--height", "60")
    assert len(made) == 1
    assert pdf_size(tmp_path / "x.pdf")[1] <= 60.1


LONG = "fairshare-easy:order=saf,backfill=sjf,estimate=last2"
MANY = (
    *("easy", LONG, "fcfs", "conservative", "metric:bf=0.5,window=4", "tuned-2d", "queues:n=3", "auction"),
    *("easy:order=laf,backfill=sjf,estimate=hierarchy", "just", "plan", "easy:order=sjf"),
)


@pytest.fixture(scope="module")
def twelve(log: Path) -> batchscope.Runs:
    return batchscope.compare(batchscope.read(log), MANY)


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Texts inside axes and beside their ticks that lie over one another, or reach over the page."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    page = figure.bbox
    found: list[tuple[str, str]] = []
    boxes: list[tuple[str, Any]] = []
    for axes in figure.axes:
        # Labels of ticks count only where they are seen.
        texts = [*axes.texts, *(axes.get_xticklabels() if axes.xaxis.get_visible() and axes.axison else ())]
        for text in texts:
            box = text.get_window_extent(canvas.get_renderer())
            seen = text in axes.texts or axes.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1 + 1
            if seen and text.get_visible() and text.get_text().strip():
                boxes.append((text.get_text(), box))
    for k, (first, box) in enumerate(boxes):
        if box.x0 < -2 or box.x1 > page.x1 + 2:
            found.append((first, "the edge of the page"))
        for second, over in boxes[k + 1 :]:
            # Letters may come near, but not into each other: boxes are higher than letters.
            across = min(box.x1, over.x1) - max(box.x0, over.x0)
            up = min(box.y1, over.y1) - max(box.y0, over.y0)
            if across > 1.5 and up > 0.25 * min(box.height, over.height):
                found.append((first, second))
    return found


@pytest.mark.parametrize("kind", ["metrics", "distributions", "hours", "gains", "heatmap", "difference"])
def test_no_words_lie_over_one_another_with_twelve_runs_in_a_column(
    twelve: batchscope.Runs, kind: str
) -> None:
    made = twelve.figure(kind, paper="85mm")
    assert made.printed.scale == pytest.approx(7 / 8)  # not made smaller as a whole
    assert overlaps(made.figure) == []


def test_lines_of_many_runs_are_named_on_them(twelve: batchscope.Runs) -> None:
    made = twelve.figure("timeline", paper="85mm", grey=True).figure
    depth, *_ = made.axes
    numbers = [str(k) for k in range(1, 13)]
    written = [number for text in depth.texts for number in text.get_text().split("=")]  # 1=4: they coincide
    assert sorted((number for number in written if number in numbers), key=int) == numbers
    (legend,) = made.legends
    named, names = (
        [text.get_text() for text in legend.get_texts()],
        [judged_run.result.name for judged_run in twelve.judged],
    )
    # A line of the legend may end behind any sign of a name.
    assert ["".join(line.split()) for line in named] == [
        f"{k}{name}" for k, name in zip(numbers, names, strict=True)
    ]


def test_users_are_named_on_their_lines_in_grey_alone(log: Path) -> None:
    runs = batchscope.compare(batchscope.read(log), ["easy"])
    for grey in (True, False):
        made = runs.figure("fairshare", paper="85mm", grey=grey).figure
        (legend,) = made.legends
        users = {text.get_text() for text in legend.get_texts()}
        assert users <= set(runs.log.trace.user.names)
        assert (users <= {text.get_text() for text in made.axes[0].texts}) == grey


def test_a_label_is_on_its_line_where_others_are_far() -> None:
    axes = Figure().add_axes((0.0, 0.0, 1.0, 1.0))
    x = np.linspace(0.0, 10.0, 101)
    axes.plot(x, np.where(x < 5, 1.0, 3.0), color="#0072b2")
    axes.plot(x, np.where(x < 5, 1.1, 1.0), color="#d55e00")
    axes.plot([0, 10], [2, 2], "--", color="#009e73")
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 4)
    label_lines(axes, {"#0072b2": "a", "#d55e00": "b", "#009e73": "c"}, (3.0, 2.0))
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert set(places) == {"a", "b"}
    assert all(across > 4.9 for across, _ in places.values())
    assert (places["a"][1], places["b"][1]) == (pytest.approx(3.0), pytest.approx(1.0))


def test_lines_that_coincide_have_a_label_in_common() -> None:
    axes = Figure().add_axes((0.0, 0.0, 1.0, 1.0))
    x = np.linspace(0.0, 10.0, 101)
    axes.plot(x, np.full(101, 1.0), color="#0072b2")
    axes.plot(x, np.full(101, 3.0), color="#d55e00")
    axes.plot(x, np.full(101, 1.001), color="#009e73")
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 4)
    label_lines(axes, {"#0072b2": "1", "#d55e00": "2", "#009e73": "3"}, (3.0, 2.0))
    places = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert places == {"1=3": pytest.approx(1.0, abs=0.01), "2": pytest.approx(3.0)}


def test_a_page_too_low_for_twelve_heatmaps_does_without_their_strips(twelve: batchscope.Runs) -> None:
    made = twelve.figure("heatmap", paper="85mm").figure
    assert len(made.axes) == len(MANY) + 1  # and the scale
    assert any("no room for strips" in text.get_text() for text in made.texts)


def test_a_difference_tells_long_names_of_both_runs_whole(log: Path) -> None:
    runs = batchscope.compare(batchscope.read(log), ["easy", LONG])
    figure = runs.figure("difference", paper="85mm").figure
    written = [text.get_text().replace("\n", "") for text in figure.texts]
    assert any(f"{LONG} against easy" in text for text in written)
    labels = ["".join(axes.get_ylabel().split()) for axes in figure.axes]
    assert f"waitunder{LONG}" in labels  # it wraps


@pytest.mark.parametrize(
    ("kind", "policies", "columns"),
    [
        ("timeline", ("easy", "tuned-2d"), {"band", "step"}),
        ("filling", ("easy",), {"block"}),
    ],
)
def test_the_numbers_of_pictures_are_in_the_data(
    cli: Commands, log: Path, tmp_path: Path, kind: str, policies: tuple[str, ...], columns: set[str]
) -> None:
    given = [word for name in policies for word in ("-p", name)]
    cli.done("figure", kind, log, *given, "-o", tmp_path / "x.svg", "--data", tmp_path / "x.csv")
    table = pd.read_csv(tmp_path / "x.csv")
    assert columns <= set(table["is"])
    shown = table[table["is"].isin(columns)]
    found = set(shown["series"].astype(str).str.split(",").str[0])
    assert found == set(policies) if kind == "timeline" else len(found) == 1
    if kind == "timeline":
        depth = shown[shown["plot"].str.startswith("Queue depth")]
        assert (depth["low"] <= depth["y"] + 1e-6).all()
        assert (depth["y"] <= depth["high"] + 1e-6).all()
        assert depth["high"].max() > 0
        assert set(shown.loc[shown["is"] == "step", "group"]) == {"bf", "window"}
    else:
        assert (shown["left"] < shown["right"]).all()
        assert (shown["low"] < shown["top"]).all()


def test_in_greys_earlier_is_light_and_later_dark() -> None:
    figure = Figure()
    figure.set_label(TWO_SIDED)
    patches = [Rectangle((0, 0), 1, 1, facecolor=colour) for colour in class_colours(False)]
    for patch in patches:
        figure.add_artist(patch)
    shown = figure.text(0, 0, "more (orange), fewer (blue)")
    in_greys(figure)
    levels = [patch.get_facecolor()[0] for patch in patches]
    assert levels == sorted(levels, reverse=True)
    same = levels[len(levels) // 2]
    assert min(levels[: len(levels) // 2]) > same + 0.1
    assert max(levels[len(levels) // 2 + 1 :]) < same - 0.1
    assert shown.get_text() == "more (dark), fewer (light)"


def test_plain_users_have_greys_of_their_own_in_pictures_as_in_legends() -> None:
    plain = [colour for colour in (*USER_COLOURS, OTHER_USERS) if not pattern_of(colour)]
    figure = Figure()
    patches = [figure.add_artist(Rectangle((0, 0), 1, 1, facecolor=colour)) for colour in plain]
    pixels = np.array([[(*rgb(colour), 255) for colour in plain]], np.uint8)
    picture = figure.add_subplot().imshow(pixels)
    in_greys(figure)
    keys = [round(255 * patch.get_facecolor()[0]) for patch in patches]  # type: ignore[attr-defined]
    assert np.asarray(picture.get_array())[0, :, 0].tolist() == keys
    assert len(plain) == 8
    assert np.diff(sorted(keys)).min() > 15


def test_the_ground_of_a_text_is_grey_too() -> None:
    figure = Figure()
    shown = figure.text(0, 0, "7", bbox={"facecolor": "#1f9e9e", "edgecolor": "none"})
    in_greys(figure)
    ground = shown.get_bbox_patch()
    assert ground is not None
    red, green, blue, _ = ground.get_facecolor()
    assert red == green == blue > 0.2


def test_users_that_charts_stripe_are_striped_in_the_legend() -> None:
    figure = Figure()
    colours = [run_colour(run) for run in (1, 8)]
    add_legend(figure, [(colours[0], "plain"), (colours[1], "striped")], 0.1, 2)
    plain, striped = figure.legends[0].get_patches()
    assert not plain.get_hatch()
    assert striped.get_hatch()
