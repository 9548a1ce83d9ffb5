"""Changes of what is looked at that can be undone: filter, measured range, marks, panels and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand

from app.model.models import Models
from app.model.value_edit import ValueEdit
from engine.shown_text import shown_name
from engine.words import clip
from views.data.marks import TimeMark
from views.data.panel_look import PanelLook
from views.state.filter import Filter
from views.text.ticks import axis_of

Span = tuple[int, int] | None
Marks = tuple[TimeMark, ...]

_LONGEST = 60  # characters of a filter in a menu


class LookEdits(QObject):
    """Listener that puts changes of filter, measured range, marks, panels, columns and the like on the stack
    of edits.

    What a session or another trace brings is no change.
    """

    def __init__(self, models: Models, parent: QObject) -> None:
        super().__init__(parent)
        self._models = models
        self._steps: dict[str, Callable[[Any, Any], str]] = {
            "measured": lambda _, now: self._span_step(now),
            "marks": marks_step,
            "panels": panels_step,
            "folded": folded_step,
            "columns": lambda *_: "the arrangement of runs",
            "hidden_columns": lambda *_: "the change of columns",
            "offsets": lambda _, now: "the alignment of runs" if now else "the end of the alignment",
            "heatmaps": pins_step,
        }
        # A signal tells that an option changed, not what it was: the value before is remembered for each.
        self._values = {name: (self._value(name),) * 2 for name in self._steps}  # before, and now
        models.filter.stepped.connect(self._filtered)
        models.view.changed.connect(self._follow)
        models.view.chosen.connect(self._chosen)
        models.workbench.changing.connect(self._keep_baseline)

    def _filtered(self, before: Filter) -> None:
        filter = self._models.filter
        self._push(ValueEdit(filter_step(before, filter.value), filter.put, before, filter.value))

    def _follow(self, names: frozenset[str]) -> None:
        for name in names & self._steps.keys():
            # Changes by a session or by undo are followed here too, but only those that a user chose become
            # edits.
            self._values[name] = self._values[name][1], self._value(name)

    def _chosen(self, names: frozenset[str]) -> None:
        for name, step in self._steps.items():
            values = self._values[name]
            if name in names and values[0] != values[1]:  # of heatmaps perhaps something else
                self._push(ValueEdit(step(*values), partial(self._restore, name), *values))

    def _keep_baseline(self, run_id: int) -> None:
        """Let the run that others are compared with stay it, whatever it becomes.

        The usual baseline goes by policies: under a slider, what all gains and differences are against would
        jump to another run.
        """
        view, study = self._models.view, self._models.workbench.study
        if study.baseline(view.options.baseline) == run_id:
            self._restore("baseline", run_id)

    def _value(self, name: str) -> Any:
        """What can be undone of an option of the view: of heatmaps the pinned users."""
        options = self._models.view.options
        return options.heatmaps.pinned if name == "heatmaps" else getattr(options, name)

    def _restore(self, name: str, value: Any) -> None:
        """Bring an option of the view back."""
        view = self._models.view
        if name == "heatmaps":
            value = replace(view.options.heatmaps, pinned=value)
        view.restore(replace(view.options, **{name: value}))

    def _span_step(self, span: Span) -> str:
        if span is None:
            return "the end of the limit of metrics"
        format = partial(map, axis_of(self._models.workbench.study.trace).format)
        return f"the limit of metrics to {' – '.join(format(map(float, span)))}"

    def _push(self, edit: QUndoCommand) -> None:
        if self._models.workbench.is_open:
            self._models.workbench.edits.push(edit)


def marks_step(before: Marks, now: Marks) -> str:
    """The change between two lists of marks, in words that follow `Undo`."""
    gone, new = (
        [mark for mark in having if mark not in lacking] for having, lacking in ((before, now), (now, before))
    )
    name = clip((new or gone or [TimeMark()])[0].name, _LONGEST)
    if len(new) > 1 or len(gone) > 1:
        return "the removal of all marks" if not now else "the change of marks"
    if not new or not gone:
        return f"the mark {name}" if new else f"the removal of the mark {name}"
    if new[0].name != gone[0].name:
        return f"the renaming of the mark {clip(gone[0].name, _LONGEST)}"
    return f"the change of the mark {name}"


def panels_step(before: PanelLook, now: PanelLook) -> str:
    """The change of the panels of runs, in words that follow `Undo`."""
    if now.hidden != before.hidden:
        several = abs(len(now.hidden) - len(before.hidden)) > 1
        verb = "hiding" if len(now.hidden) > len(before.hidden) else "showing"
        return f"the {verb} of {'charts' if several else 'a chart'}"
    return "the pinning of a run" if now.pinned is not None else "the unpinning of a run"


def pins_step(before: tuple[str, ...], now: tuple[str, ...]) -> str:
    """The change of the users that are pinned in heatmaps, in words that follow `Undo`."""
    changed = sorted(set(before) ^ set(now))
    verb = "pinning" if len(now) > len(before) else "unpinning"
    return f"the {verb} of {f'user {shown_name(changed[0], _LONGEST)}' if len(changed) == 1 else 'users'}"


def folded_step(before: tuple[str, ...], now: tuple[str, ...]) -> str:
    """The change of the folded groups of nodes, in words that follow `Undo`."""
    changed = sorted(set(before) ^ set(now))
    verb = "folding" if len(now) > len(before) else "unfolding"
    return f"the {verb} of {clip(changed[0], _LONGEST) if len(changed) == 1 else 'groups of nodes'}"


def filter_step(before: Filter, now: Filter) -> str:
    """The change between two filters, in words that follow `Undo`."""
    if now.expression is None:
        return f"the end of the filter {clip(str(before.expression), _LONGEST)}"
    if now.expression != before.expression:
        return f"the filter {clip(str(now.expression), _LONGEST)}"
    return "the hiding of other jobs" if now.hides else "the showing of other jobs"
