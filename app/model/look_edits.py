"""Changes of what is looked at that can be undone: filter, measured range, marks, panels of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand

from app.model.models import Models
from engine.words import clip
from views.data.marks import Mark
from views.data.panel_look import PanelLook
from views.state.filter import Filter
from views.text.ticks import axis_of

T = TypeVar("T")
Span = tuple[int, int] | None
Marks = tuple[Mark, ...]

_LONGEST = 60  # characters of a filter in a menu


class LookEdit(QUndoCommand, Generic[T]):
    """A change from one value to another, which is done when it is pushed; `show` brings a value back."""

    def __init__(self, text: str, show: Callable[[T], object], before: T, now: T) -> None:
        super().__init__(text.replace("&", "&&"))  # the text is that of a menu entry
        self._show, self._before, self._now = show, before, now
        self._is_new = True

    def redo(self) -> None:
        """Do the change again."""
        if not self._is_new:
            self._show(self._now)
        self._is_new = False

    def undo(self) -> None:
        """Take the change back."""
        self._show(self._before)


class LookEdits(QObject):
    """Listener that puts each change of filter, measured range, marks and panels on the stack of edits.

    What a session or another trace brings is no change.
    """

    def __init__(self, models: Models, parent: QObject) -> None:
        super().__init__(parent)
        self._models = models
        self._spans: tuple[Span, Span] = (None, None)  # the one before, and the present one
        self._marks: tuple[Marks, Marks] = ((), ())  # the same
        self._panels = (PanelLook(), PanelLook())  # the same
        models.filter.stepped.connect(self._filtered)
        models.view.follow(self, "measured", self._follow_span)
        models.view.follow(self, "marks", self._follow_marks)
        models.view.follow(self, "panels", self._follow_panels)
        models.view.chosen.connect(self._chosen)

    def _filtered(self, before: Filter) -> None:
        filter = self._models.filter
        self._push(LookEdit(filter_step(before, filter.value), filter.put, before, filter.value))

    def _follow_span(self) -> None:
        self._spans = self._spans[1], self._models.view.options.measured

    def _chosen(self, names: frozenset[str]) -> None:
        if "measured" in names:
            self._push(LookEdit(self._span_step(), partial(self._restore, "measured"), *self._spans))
        if "marks" in names:
            self._push(LookEdit(marks_step(*self._marks), partial(self._restore, "marks"), *self._marks))

        if "panels" in names:
            self._push(LookEdit(panels_step(*self._panels), partial(self._restore, "panels"), *self._panels))

    def _follow_panels(self) -> None:
        self._panels = self._panels[1], self._models.view.options.panels

    def _follow_marks(self) -> None:
        self._marks = self._marks[1], self._models.view.options.marks

    def _restore(self, name: str, value: object) -> None:
        """Bring an option of the view back."""
        view = self._models.view
        view.restore(replace(view.options, **{name: value}))  # type: ignore[arg-type]

    def _span_step(self) -> str:
        study, span = self._models.workbench.study, self._spans[1]
        if study is None or span is None:
            return "the measuring of all"
        spell = partial(map, axis_of(study.trace).spell)
        return f"the measuring of {' – '.join(spell(map(float, span)))} only"

    def _push(self, edit: QUndoCommand) -> None:
        if self._models.workbench.study is not None:
            self._models.workbench.edits.push(edit)


def marks_step(before: Marks, now: Marks) -> str:
    """What changed between two lists of marks, in words that follow `Undo`."""
    gone, new = ([mark for mark in one if mark not in other] for one, other in ((before, now), (now, before)))
    name = clip((new or gone or [Mark()])[0].name, _LONGEST)
    if len(new) > 1 or len(gone) > 1:
        return "the removal of all marks" if not now else "the change of marks"
    if not new or not gone:
        return f"the mark {name}" if new else f"the removal of the mark {name}"
    if new[0].name != gone[0].name:
        return f"the renaming of the mark {clip(gone[0].name, _LONGEST)}"
    return f"the change of the mark {name}"


def panels_step(before: PanelLook, now: PanelLook) -> str:
    """What changed of the panels of runs, in words that follow `Undo`."""
    if now.hidden != before.hidden:
        many = abs(len(now.hidden) - len(before.hidden)) > 1
        verb = "hiding" if len(now.hidden) > len(before.hidden) else "showing"
        return f"the {verb} of {'charts' if many else 'a chart'}"
    if now.order != before.order:
        return "the move of a run's charts"
    return "the pinning of a run" if now.pinned is not None else "the unpinning of a run"


def filter_step(before: Filter, now: Filter) -> str:
    """What changed between two filters, in words that follow `Undo`."""
    if now.expression is None:
        return f"the end of the filter {clip(str(before.expression), _LONGEST)}"
    if now.expression != before.expression:
        return f"the filter {clip(str(now.expression), _LONGEST)}"
    return "the hiding of other jobs" if now.hides else "the showing of other jobs"
