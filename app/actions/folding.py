"""Folding single groups of nodes in the rows of Gantt charts: by a key, a menu, and a right click."""

from __future__ import annotations

from functools import partial

from app.actions.command import Command, Submenu
from app.model.models import Models
from app.panels.charts.chart_set import ChartSet
from views.gantt.chart import GanttChart
from views.gantt.folds import FoldMouse
from views.state.spot import Spot
from views.widgets.menu_entries import MenuEntry, MenuItem, literal, note

_NOTHING = "Only rows of processors and nodes of a machine with several groups of nodes can be folded."
_TIP = "The group under the mouse, or the group of the selected node; otherwise all groups"


def fold_entries(models: Models, spot: Spot) -> list[MenuEntry]:
    """The entry that folds the group of nodes at a spot, or unfolds it, where groups can be folded."""
    if spot.group is None or not isinstance(spot.widget, GanttChart):
        return []
    verb = "&Unfold" if spot.group in models.view.options.folded else "F&old"
    text = f"{verb} the nodes {literal(spot.group)}"
    return [MenuEntry(text, partial(spot.widget.folds.toggle, spot.group))]


def folding(models: Models, charts: ChartSet) -> tuple[Command, Submenu]:
    """The commands that fold groups, and the list of all groups."""
    fold = Command("fold nodes", "F&old nodes", partial(_fold, models, charts), "G", _TIP, program=True)
    return fold, Submenu("folded groups", "Folded &groups", listed=partial(_groups, charts))


def _folds(charts: ChartSet) -> FoldMouse | None:
    """The folds of the chart with the focus, otherwise of the first chart with foldable rows."""
    shown = [charts.gantt, *(chart for chart in charts.shown if isinstance(chart, GanttChart))]
    return next((chart.folds for chart in shown if chart is not None and chart.folds.rows is not None), None)


def _fold(models: Models, charts: ChartSet) -> None:
    gantts = [chart for chart in charts.shown if isinstance(chart, GanttChart)]
    # The chart under the mouse is meant, else any that has groups.
    pointed = next((gantt.folds for gantt in gantts if gantt.folds.pointed is not None), None)
    folds = pointed or _folds(charts)
    rows = folds.rows if folds is not None else None
    if folds is None or rows is None:
        models.messages.show_message(_NOTHING)
        return
    group, nodes = folds.pointed, models.selection.value.nodes
    # A single selected node stands for its group; without a group all are folded.
    if group is None and len(nodes) == 1:
        (node,) = nodes
        group = rows.group_of_node(node)
    folds.toggle(group.name if group is not None else None)


def _groups(charts: ChartSet) -> list[MenuItem]:
    """The groups of the machine; folded groups are ticked."""
    folds = _folds(charts)
    rows = folds.rows if folds is not None else None
    if folds is None or rows is None:
        return [note("None can be folded")]
    groups = [
        MenuEntry(literal(group.name), partial(folds.toggle, group.name), on=group.folded)
        for group in rows.groups
    ]
    return [*groups, None, MenuEntry("All, or none", partial(folds.toggle, None))]
