"""The filter of a window, which all charts and tables share."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from engine.arrays import Mask
from engine.filter import Expression
from engine.quantities import Jobs
from views.state.selection import Selection

NO_MATCH = "No job matches the filter"
"""The message if nothing matches a filter."""

NO_SELECTED = "No selected job matches the filter"
"""The message if nothing selected matches a filter."""


@dataclass(frozen=True)
class Filter:
    """A filter of jobs: jobs that do not match are faded, or left out if it `hides`.

    Jobs that are left out are left out everywhere, including the metrics.
    """

    expression: Expression | None = None
    hides: bool = False

    def mask(self, jobs: Jobs) -> Mask | None:
        """The jobs that are looked at, shape (n,); None where all are."""
        return None if self.expression is None else self.expression.mask(jobs)

    @property
    def hidden(self) -> Expression | None:
        """The condition for jobs to be shown at all; None: nothing is hidden."""
        return self.expression if self.hides else None

    @property
    def dimmed(self) -> Expression | None:
        """The condition for jobs not to be faded; None: nothing is faded."""
        return None if self.hides else self.expression


class FilterModel(QObject):
    """Model of the filter; `changed` is sent once for each real change.

    `stepped` carries the filter before a change that the user made, to be undone: all changes while it is
    being typed, between `hold` and `release`, are a single step.
    """

    changed = Signal()
    stepped = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._value = Filter()
        self._held: Filter | None = None  # what was there when it began to be typed

    @property
    def value(self) -> Filter:
        """The present filter."""
        return self._value

    def set(self, value: Filter) -> None:
        """Look at these jobs."""
        before = self._value
        self.put(value)
        if self._held is None:
            self._record_step(before)

    def put(self, value: Filter) -> None:
        """Look at these jobs, which a session or undoing brought back: that is no step."""
        if value != self._value:
            self._value = value
            self.changed.emit()

    def clear(self) -> None:
        """Look at all jobs."""
        self.set(Filter())

    def hold(self) -> None:
        """Begin typing: changes are a single step until `release`."""
        if self._held is None:
            self._held = self._value

    def release(self) -> None:
        """End typing."""
        before, self._held = self._held, None
        if before is not None:
            self._record_step(before)

    def reset(self) -> None:
        """Forget the filter, for another trace is shown."""
        self._held = None
        self.put(Filter())

    def _record_step(self, before: Filter) -> None:
        if before != self._value:
            self.stepped.emit(before)


def lack_of(jobs: Jobs, selection: Selection, expression: Expression) -> str:
    """The reason why nothing matches a filter: no job at all, or no selected job; empty if some match."""
    matching = expression.mask(jobs)
    if not matching.any():
        return NO_MATCH
    picked = selection.mask(jobs.trace)
    return NO_SELECTED if picked is not None and picked.any() and not (picked & matching).any() else ""
