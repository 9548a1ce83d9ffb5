"""Figures in Python: named options, and axes of somebody's own."""

import inspect
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

import batchscope
from app.api import OPTIONS
from app.export.look_options import look_options
from app.export.picks import PICKS
from tests.app.cli.commands import small_log


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> batchscope.Runs:
    log = batchscope.read(small_log(tmp_path_factory.mktemp("log")))
    return batchscope.compare(log, ["easy", "fcfs"])


def test_the_options_are_those_of_the_command_line() -> None:
    """An option that is added there is named here, too: editors complete names, not dictionaries."""
    parameters = inspect.signature(batchscope.Runs.figure).parameters.values()
    named = {each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY} - {"ax"}
    assert named == OPTIONS == {*look_options(), *PICKS}


def test_plots_are_drawn_on_axes_of_ones_own(runs: batchscope.Runs) -> None:
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    picture = runs.figure("metrics", ax=[left, right])
    for axes, title in ((left, "Mean wait"), (right, "Mean bounded slowdown")):
        assert title in [text.get_text() for text in axes.texts]
    assert left.get_ylim()[1] > runs["fcfs"].metrics["wait_mean"]
    assert picture._repr_png_() is None
    assert len(picture.data) > 0
    alone = plt.figure().subplots()
    runs.figure("timeline", ax=alone)
    plt.close("all")
    assert alone.lines or alone.collections or alone.patches


@pytest.mark.parametrize(
    ("kind", "count", "said"),
    [
        ("gantt", 1, "gantt needs a page of its own; on axes of yours are drawn "),
        ("metrics", 40, "there are 40 axes for "),
    ],
)
def test_what_cannot_be_drawn_is_said(runs: batchscope.Runs, kind: str, count: int, said: str) -> None:
    axes = Figure().subplots(1, count)
    with pytest.raises(batchscope.InputError) as caught:
        runs.figure(kind, ax=axes)
    assert str(caught.value).startswith(said)


def test_a_misspelt_option_is_named(runs: batchscope.Runs, tmp_path: Path) -> None:
    with pytest.raises(batchscope.InputError, match="colour: figures are drawn without"):
        runs.figure("gantt", colour="wait")  # type: ignore[arg-type]
