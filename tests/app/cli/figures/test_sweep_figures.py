"""Figures and tables of a study, with what its paper has beside what was found."""

import csv
import json
from importlib import import_module
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from app.report.folder import write_folder
from engine.sweep.parameters import numbers_of
from engine.sweep.study_file import read_study_file
from engine.sweep.study_results import StudyResults
from tests.app.cli.commands import Commands, small_log
from tests.traces import make_trace
from views.data.own_data import OwnData
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.figures.plots import plots_figure
from views.figures.save import save
from views.grammar.choices import usual_encoding, with_choice
from views.grammar.encoding import Kind
from views.grammar.study_figure import StudyFigure
from views.study.plots import study_plots

STUDY = """
title = "How far does a wrong estimate go?"
source = "Nobody 1999"
traces = ["first.swf", "second.swf"]
policies = ["easy", "easy-sjbf"]
metrics = ["wait_mean", "utilization"]
against = "easy"
keys = { estimate = ["scaled1", "scaled2", "scaled10"] }
findings = [
    { text = "shortest first waits less", policy = "easy-sjbf", metrics = ["wait_mean"], paper = 90 },
    { text = "and uses as much", policy = "easy-sjbf", metrics = ["utilization"], least = 95 },
]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for name in ("first", "second"):
        small_log(tmp_path, f"{name}.swf")
    path = tmp_path / "study.toml"
    path.write_text(STUDY, "utf-8")
    return path


FIGURES = """
[[figures]]
name = "waits"
kind = "bars"
x = "estimate"
y = "wait_mean"
colour = "policy"
"""


def test_a_study_draws_the_figures_that_its_file_names(cli: Commands, tmp_path: Path) -> None:
    log, path = small_log(tmp_path), tmp_path / "study.toml"
    path.write_text(STUDY + FIGURES, "utf-8")
    made = tmp_path / "made"
    cli.done("sweep", path, log, "-o", tmp_path / "kept", "--figures", made)
    assert sorted(each.name for each in made.glob("*.svg")) == ["small-waits.svg"]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (
            ('kind = "bars"', 'kind = "pies"'),
            "the figure waits of the study: 'pies' is no kind of composed figure",
        ),
        (('x = "estimate"', ""), "the figure waits needs its kind and x"),
        (('x = "estimate"', 'x = "estimate"\nfree = 1'), "free of the figure waits should be true or false"),
        (('name = "waits"', 'name = "../up"'), "figures need a name for their files"),
        (('y = "wait_mean"', 'error = "never"'), "'never' is no kind of whiskers"),
        (("[[figures]]", f"{FIGURES}[[figures]]"), "figures have the name 'waits' twice"),
    ],
)
def test_figures_of_a_study_that_are_wrong_are_named_before_anything_is_run(
    cli: Commands, tmp_path: Path, changed: tuple[str, str], complaint: str
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY + FIGURES.replace(*changed), "utf-8")
    outcome = cli("sweep", path, small_log(tmp_path), "-o", tmp_path / "kept")
    assert complaint in outcome.complaint
    assert not (tmp_path / "kept").exists()


@pytest.fixture
def tables_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figure of a study is drawn, which takes most of the time."""
    monkeypatch.setattr("app.report.study._draw", lambda *_: None)


@pytest.mark.usefixtures("tables_alone")
def test_a_column_a_log_and_the_papers_number(cli: Commands, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures"
    document = cli.done("sweep", study, "-o", tmp_path / "out", "--figures", out, "--json").document
    with (out / "numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    claimed = ("Paper", "Paper, low", "Paper, high", "Paper's claim")
    logs = ["first", "first, standard deviation", "second", "second, standard deviation"]
    assert list(rows[0]) == ["Policy", "estimate", "Metric", "Unit", *logs, *claimed]
    assert len(rows) == len(document["traces"][0]["points"]) == 12
    for place, name in enumerate(("first", "second")):
        values = [point["value"] for point in document["traces"][place]["points"]]
        assert [float(row[name]) for row in rows] == values  # bare, with all their digits
    papers = {(row["Policy"], row["Metric"]): (row["Paper"], row["Paper's claim"]) for row in rows}
    assert papers["easy-sjbf", "Mean wait"] == ("90.0", "90")
    assert papers["easy-sjbf", "Utilization"] == ("", "at least 95")
    assert papers["easy", "Mean wait"] == ("", "")
    with (out / "findings.csv").open(encoding="utf-8", newline="") as file:
        (found, *_) = csv.DictReader(file)
    assert float(found["first, value"]) > 0
    findings = (out / "findings.md").read_text("utf-8").splitlines()
    answer = document["traces"][0]["findings"][0]["answer"]
    assert f"| shortest first waits less | 90 | {answer} (" in findings[2]
    assert "\\toprule" in (out / "numbers.tex").read_text("utf-8")


PRINTED = """
[[printed]]
title = "table 7: waits"
metric = "wait_mean"
logs = ["first", "elsewhere"]
keys = { estimate = "scaled2" }
[printed.numbers]
"easy-sjbf" = [-12.5, "-"]
"easy" = [0, 3]

[[printed]]
title = "table 8"
metric = "utilization"
against = "nothing"
unit = "%"
per = 0.01
logs = ["elsewhere"]
keys = { estimate = "scaled1" }
[printed.numbers]
"easy" = [70.2]

[[logs]]
name = "first"
jobs = 30
load = 70
[[logs]]
name = "elsewhere"
phi = 2.64
"""


@pytest.mark.usefixtures("tables_alone")
def test_tables_as_the_paper_prints_them_with_another_log_beside(
    cli: Commands, study: Path, tmp_path: Path
) -> None:
    study.write_text(STUDY + PRINTED, "utf-8")
    out, logs = tmp_path / "figures", (tmp_path / "first.swf", "--log", tmp_path / "second.swf")
    document = cli.done("sweep", study, *logs, "-o", tmp_path / "out", "--figures", out, "--json").document
    titles, waits, usual = _rows(out / "table_7__waits.csv")
    assert titles == ["Policy", "Unit", "first", "first (paper)", "second", "elsewhere (paper)"]
    value = next(
        point["value"]
        for point in document["traces"][0]["points"]
        if (point["policy"], point["metric"], point["keys"]["estimate"])
        == ("easy-sjbf", "wait_mean", "scaled2")
    )
    assert float(waits[2]) == pytest.approx(value - 100, abs=0.05)
    assert (waits[:2], float(waits[3]), waits[5]) == (["easy-sjbf", "% change"], -12.5, "")
    assert [float(cell) for cell in usual[2:]] == [0.0, 0.0, 0.0, 3.0]
    assert "$-$12.5 & " in (out / "table_7__waits.tex").read_text("utf-8")  # with its sign for people
    titles, row = _rows(out / "table_8.csv")
    assert titles == ["Policy", "Unit", "first", "second", "elsewhere (paper)"]
    assert (row[1], row[4]) == ("%", "70.2")
    assert 0 < float(row[2]) <= 100
    titles, first, paper, _, elsewhere = _rows(out / "logs.csv")
    assert first[:2] == ["first", "8"]
    assert paper[:3] + paper[4:5] == ["first (paper)", "", "30", "70.0"]
    assert (elsewhere[0], elsewhere[7]) == ("elsewhere (paper)", "2.64")


PARTS = """
[[printed]]
title = "table 9"
part = "wait"
metric = "wait_mean"
against = "nothing"
unit = "min"
per = 60
logs = ["first"]
keys = { estimate = "scaled2" }
[printed.numbers]
"easy-sjbf" = [2.5]
"easy" = [3.0]
[[printed]]
title = "table 9"
part = "use"
metric = "utilization"
logs = ["LOG"]
keys = { estimate = "scaled2" }
[printed.numbers]
"easy-sjbf" = [1.5]
"""


@pytest.mark.usefixtures("tables_alone")
def test_parts_of_a_printed_table_are_one_table(cli: Commands, study: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.toml"
    names.write_text('"easy-sjbf" = "Shortest"\nwait_mean = "Wait"\n', "utf-8")
    words = (study, tmp_path / "first.swf", "-o", tmp_path / "out", "--names", names)
    study.write_text(STUDY + PARTS.replace("LOG", "first"), "utf-8")
    cli.done("sweep", *words, "--figures", tmp_path / "one")
    titles, shortest, easy = _rows(tmp_path / "one" / "table_9.csv")
    assert titles == ["Policy", "wait, min", "wait (paper)", "use, % change", "use (paper)"]
    assert (shortest[0], shortest[2], shortest[4]) == ("Shortest", "2.5", "1.5")
    assert easy[3:] == ["0", ""]  # the paper has no number of it
    # Of several logs the parts are rows, each with the number of the log that it has.
    study.write_text(STUDY + PARTS.replace("LOG", "second"), "utf-8")
    cli.done(
        "sweep",
        *words,
        "--log",
        tmp_path / "second.swf",
        "--figures",
        tmp_path / "two",
        "--rows",
        "wait_mean",
    )
    titles, *rows = _rows(tmp_path / "two" / "table_9.csv")
    assert titles == ["Policy", "Unit", "Part", "first", "first (paper)", "second", "second (paper)"]
    assert [(row[2], row[4], row[6]) for row in rows] == [
        ("wait", "2.5", ""),
        ("wait", "3.0", ""),
        ("use", "", "1.5"),
    ]
    document = json.loads((tmp_path / "two" / "numbers.json").read_text("utf-8"))
    assert {row["Metric"] for row in document["rows"]} == {"Wait"}
    assert {row["Policy"] for row in document["rows"]} == {"easy", "Shortest"}
    assert "2 logs: first and second" in document["caption"]
    assert "\\caption{How far" in (tmp_path / "two" / "numbers.tex").read_text("utf-8")
    refused = cli("sweep", *words, "--rows", "wait_max", "--figures", tmp_path / "three")
    assert "--rows: the study has no wait_max" in refused.complaint


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_figures_of_each_log_with_the_same_bytes(cli: Commands, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures"
    cli.done("sweep", study, "-o", tmp_path / "out", "--figures", out)
    names = {path.name for path in out.iterdir()}
    assert {"first-wait_mean.pdf", "second-utilization.svg", "first-wait_mean-heatmap.png"} <= names
    before = json.loads((out / "manifest.json").read_text("utf-8"))
    outcome = cli("sweep", study, "-o", tmp_path / "out", "--figures", out)
    assert outcome.status == 2
    assert "give --force to replace it" in outcome.complaint
    cli.done("sweep", study, "-o", tmp_path / "out", "--figures", out, "--force")
    assert json.loads((out / "manifest.json").read_text("utf-8")) == before


def test_numbers_behind_a_word_are_an_axis(study: Path) -> None:
    planned = read_study_file(study)
    parameters = StudyResults(planned, (None,) * len(planned.runs)).table.parameters
    assert parameters["estimate"] == ("scaled1", "scaled2", "scaled10")
    assert numbers_of("estimate", parameters["estimate"]) == [1.0, 2.0, 10.0]
    assert numbers_of("policy", parameters["policy"]) is None


def test_a_full_disk_names_the_folder_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, write: object, **_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(import_module("views.figures.save"), "write_atomically", full)
    folder = tmp_path / "figures"
    with pytest.raises(OSError, match="No space left on device") as raised:
        write_folder(folder, lambda part: save(Figure(), part / "x.pdf"), {}, force=False)
    assert raised.value.filename == str(folder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("tables_alone")
def test_parts_of_a_whole_are_in_percent_and_names_of_rows_are_whole(
    cli: Commands, study: Path, tmp_path: Path
) -> None:
    output = (
        study.read_text("utf-8")
        .replace('against = "easy"\n', "")
        .replace('"easy-sjbf"]', '"easy-sjbf:order=saf"]')
    )
    study.write_text(output.partition("findings =")[0], "utf-8")
    out = tmp_path / "figures"
    document = cli.done("sweep", study, "-o", tmp_path / "out", "--figures", out, "--json").document
    lines = cli.done("sweep", study, "-o", tmp_path / "out").out.splitlines()
    with (out / "numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Metric"] == "Utilization"]
    values = [point["value"] for point in document["traces"][0]["points"] if point["metric"] == "utilization"]
    assert [float(row["first"]) for row in rows] == [pytest.approx(100 * value) for value in values]
    assert {row["Unit"] for row in rows} == {"%"}
    assert any(line.endswith("utilization, %") for line in lines)
    assert any(f"{100 * values[0]:.2f}" in line for line in lines)
    results = StudyResults(read_study_file(study), tuple(document["traces"][0]["runs"]))
    usual = usual_encoding(results.table, "utilization")
    kinds: tuple[Kind, ...] = ("lines", "cells")
    for kind in kinds:
        figured = StudyFigure(results, with_choice(results.table, usual, "kind", kind))
        shown = ShownRuns(make_trace([0], [1], 1), own=OwnData(figured))
        figure = plots_figure(study_plots(shown, ViewOptions()), "study")
        FigureCanvasAgg(figure).draw()
        labels = figure.axes[0].get_yticklabels()
        assert min(label.get_window_extent().x0 for label in labels if label.get_text()) >= 0
        if kind == "lines":
            assert any(float(label.get_text()) > 1 for label in labels)
            assert "%" in " ".join(text.get_text() for text in figure.axes[0].texts)
