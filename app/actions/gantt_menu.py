"""The menus of Gantt charts: what colours say, what rows are, what else is shown, and steps among jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtGui import QAction

from app.actions.command import Command, OptionChoice, Submenu, Switch
from app.actions.folding import folding
from app.model.models import Models
from app.panels.charts.chart_set import ChartSet
from views.data.gantt.colours import COLOUR_NAMES, COLOURS
from views.data.gantt.rows import ROW_NAMES
from views.data.gantt.shown_layers import LAYER_NAMES
from views.data.gantt.steps import STEP_NAMES
from views.widgets.menu_entries import MenuEntry, literal, note

_COMPARED = "Two runs are compared: colours say how much earlier or later jobs start"
_NO_FAILURES = "No nodes fail: give a run a machine with failures, such as 20x80c~30d/4h"


def gantt_menus(models: Models, charts: ChartSet) -> tuple[Submenu, ...]:
    """The menus of colours, rows, layers and steps."""
    layers = [
        Switch(
            f"layers.{name}", label, tip, why_not=partial(_why_no_outages, models) if name == "down" else None
        )
        for name, (label, tip) in LAYER_NAMES.items()
    ]
    return (
        _colours(models),
        _rows(models, charts),
        Submenu("gantt layers", "Gantt &layers", layers),
        _steps(models, charts),
    )


def _colours(models: Models) -> Submenu:
    why_not = while_compared(
        models, "Two runs are compared: colours say how much earlier or later jobs start"
    )
    against = Submenu(
        "baselines", "Change of start a&gainst", listed=partial(_baselines, models), why_not=why_not
    )
    # Those of a user's files come with the files, whenever they are opened.
    usual = dict(COLOUR_NAMES)
    commands = partial(_own_colours, models, frozenset(usual), why_not)
    return Submenu(
        "gantt colours", "Gantt c&olours", (OptionChoice("colours", usual, why_not), against), listed=commands
    )


def _own_colours(models: Models, usual: frozenset[str], why_not: Callable[[], str]) -> list[MenuEntry]:
    """The quantities of files that were allowed since the window was made, as colours."""
    if why_not():
        return []
    now, trace = models.view.options.colours, models.workbench.study.trace
    return [
        MenuEntry(literal(title), partial(models.view.choose, colours=name), on=name == now, radio=True)
        for name, title in COLOUR_NAMES.items()
        if name not in usual and (name == now or COLOURS[name].available_in(trace))
    ]


def while_compared(models: Models, why: str) -> Callable[[], str]:
    """Gives why an entry cannot be used while two runs are compared; empty while none are."""
    return lambda: why if models.view.options.view == "difference" else ""


def follow_trace(models: Models, actions: Mapping[str, QAction]) -> None:
    """Show colours that need optional data only while the open log has that data."""

    def offer() -> None:
        for name in COLOUR_NAMES:
            if action := actions.get(f"colours={name}"):  # none of a file that was opened in this window
                action.setVisible(COLOURS[name].available_in(models.workbench.study.trace))

    models.workbench.study_changed.connect(offer)
    offer()


def _baselines(models: Models) -> list[MenuEntry]:
    """The runs to compare starts with; choosing a run shows the changes."""
    study = models.workbench.study
    present = study.baseline(models.view.options.baseline)
    return [
        MenuEntry(
            literal(study.name(run)),
            partial(models.view.choose, baseline=run.id, colours="change"),
            on=run.id == present,
            radio=True,
        )
        for run in study.runs
    ] or [note("No runs yet")]


def _rows(models: Models, charts: ChartSet) -> Submenu:
    # The chart is looked up when the command is used: it is made anew with other runs, and may not be shown.
    def fit() -> None:
        if (gantt := charts.gantt) is not None:
            gantt.fit_rows()

    return Submenu(
        "gantt rows",
        "Gantt &rows",
        (
            OptionChoice("rows", ROW_NAMES),
            None,
            Command("all rows", "Show &all rows", models.clock.fit_rows, program=True),
            Command(
                "fit rows", "&Fit the jobs in view", fit, "Shift+F", "Show only rows in use", program=True
            ),
            None,
            *folding(models, charts),
        ),
    )


def _why_no_outages(models: Models) -> str:
    """The reason why the layer of outages cannot be shown: the machine has no failures."""
    fails = any(run.cluster.failures is not None for run in models.workbench.study.runs)
    return "" if fails else _NO_FAILURES


def _steps(models: Models, charts: ChartSet) -> Submenu:
    def step(forward: bool) -> None:
        if (gantt := charts.gantt) is not None:
            gantt.step(models.view.options.step, forward)

    tips = "Select the next job in the order that is chosen below", "Select the previous job in that order"
    return Submenu(
        "steps",
        "S&tep from job to job",
        (
            Command("next job", "&Next job", partial(step, True), ".", tips[0]),
            Command("previous job", "&Previous job", partial(step, False), ",", tips[1]),
            None,
            OptionChoice("step", STEP_NAMES),
        ),
    )
