"""The list of views, and what is made from it."""

import subprocess
import sys

import pytest
from pytestqt.qtbot import QtBot

from tests.paths import ROOT
from tests.views.context import ViewContext
from views.catalog import ALL, FIGURES, NAMES, VIEWS, figure_spec, view_spec
from views.data.shown_runs import ShownRuns
from views.spec import ViewSpec
from views.theme.theme import DARK, LIGHT

MADE = [spec for spec in VIEWS if spec.make is not None]


def test_each_name_is_one_view() -> None:
    assert len(set(NAMES)) == len(NAMES) == len(VIEWS) + 1
    assert all(view_spec(spec.name) is spec for spec in VIEWS)
    assert view_spec(ALL) is None
    assert len({figure.kind for figure in FIGURES}) == len(FIGURES)
    assert all(figure_spec(figure.kind) is figure for figure in FIGURES)


def test_charts_under_runs_are_made_by_their_panel_alone() -> None:
    assert {spec.name for spec in VIEWS if spec.make is None} == {
        spec.name for spec in VIEWS if spec.area == "runs"
    }


@pytest.mark.parametrize("spec", MADE, ids=lambda spec: spec.name)
def test_a_view_is_made_follows_its_options_and_is_empty_at_first(spec: ViewSpec, qtbot: QtBot) -> None:
    context = ViewContext(qtbot=qtbot)
    assert spec.make is not None
    widget = spec.make(context, LIGHT, None)  # type: ignore[arg-type]  # a window of its own here
    qtbot.addWidget(widget)
    if spec.bind is not None:
        spec.bind(widget, context)
    if spec.show is not None:
        spec.show(widget, ShownRuns())
    widget.show()
    widget.set_theme(DARK)  # type: ignore[attr-defined]  # what all views have
    context.settle(widget)
    context.close()


def test_the_command_line_reads_the_names_without_qt() -> None:
    program = "import sys, views.catalog; print({'PySide6', 'matplotlib', 'numba'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "set()"
