"""The measured jobs: limited by a range of time, the filter, and optionally without administrators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.model.reading import Opened
from app.model.settings import Settings
from app.model.workbench import Workbench
from engine.filter import Expression
from engine.filter.expression import Compare, Not, join
from engine.filter.submit_filter import submitted_in
from views.state.filter import FilterModel
from views.state.view_state import ViewState
from views.text.counts import format_count, plural
from views.text.ticks import axis_of


class MeasuredJobs(QObject):
    """Model of the measured jobs; it updates the workbench whenever the filter, the range or the
    administrators change. The range is an option of the view, `measured`.

    Administrators are users of the trace, by name: test jobs of the machine's own staff distort metrics of
    users. The settings hold them for each trace; those in a session have priority.
    """

    changed = Signal()

    def __init__(
        self,
        settings: Settings,
        workbench: Workbench,
        filter: FilterModel,
        view: ViewState,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._workbench, self._filter = settings, workbench, filter
        self._view = view
        self.administrators: tuple[str, ...] = ()
        self.without_administrators = settings.without_administrators
        workbench.opened.connect(self._recall)
        workbench.study_changed.connect(self._update_text)
        filter.changed.connect(self._update_text)
        view.follow(self, "measured", self._update_text)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The users whose jobs are not measured."""
        return self.administrators if self.without_administrators else ()

    @property
    def expression(self) -> Expression | None:
        """The condition that jobs must match, under at least one run, to be measured; None: all jobs."""
        # The range, the administrators and the filter are joined; a filter counts only if it hides jobs.
        parts: list[Expression] = []
        study, span = self._workbench.study, self._view.options.measured
        if span is not None and self._workbench.is_open:
            parts.append(submitted_in(study.trace, *span))
        if self.left_out:
            parts.append(Not(Compare("user", "in", self.left_out)))
        # Built and not parsed from a text: a name may look like a word of filters.
        if self._filter.value.hidden is not None:
            parts.append(self._filter.value.hidden)
        return join("and", *parts) if parts else None

    @property
    def description(self) -> str:
        """Whose jobs are left out and how many they are, in words; empty: nobody's."""
        study = self._workbench.study
        if not self.left_out:
            return ""
        user, names = study.trace.user, set(self.left_out)
        codes = [code for code, name in enumerate(user.names) if name in names]
        jobs = int(np.isin(user.codes, codes).sum())
        whose = plural(len(self.left_out), "administrator")
        return f"Heatmaps and metrics leave out {plural(jobs, 'job')} of {whose}: {', '.join(self.left_out)}"

    @property
    def range_text(self) -> str:
        """The measured range and its number of jobs, in words; empty: all of the time."""
        study, span = self._workbench.study, self._view.options.measured
        if span is None:
            return ""
        submit, axis = study.trace.submit, axis_of(study.trace)
        # Jobs are counted as the metrics will have them: submitted in [first, last).
        jobs = int(np.count_nonzero((submit >= span[0]) & (submit < span[1])))
        first, last = map(axis.format, map(float, span))
        return (
            f"Measured only: {format_count(jobs)} of {plural(len(submit), 'job')}, submitted {first} – {last}"
        )

    def measure_only(self, span: tuple[float, float] | None) -> None:
        """Measure only the jobs that were submitted within a range, s; None: all."""
        # Whole seconds, and at least a second: an empty range would measure nothing.
        whole = None if span is None else (round(span[0]), max(round(span[1]), round(span[0]) + 1))
        self._view.choose(measured=whole)

    def leave_administrators_out(self, on: bool) -> None:
        """Set whether administrators' jobs are measured; saved as a setting."""
        self._settings.without_administrators = self.without_administrators = on
        self._update_text()

    def set_administrators(self, names: Sequence[str]) -> None:
        """Set the administrators of the open trace; saved as a setting under its name."""
        self.administrators = tuple(names)
        known = self._settings.administrators
        self._settings.administrators = {**known, self._workbench.study.trace.name: list(names)}
        self._update_text()

    def _recall(self, opened: Opened) -> None:
        """Read from settings or session who the administrators of another trace are."""
        trace = opened.study.trace
        # A session says whom it leaves out; if nobody, the names of the settings are kept, and not used.
        left_out = opened.session.left_out if opened.session is not None else None
        named = set(left_out or self._settings.administrators.get(trace.name, []))
        # In the order of the trace; names that it does not have are dropped.
        self.administrators = tuple(name for name in trace.user.names if name in named)
        wanted = self._settings.without_administrators
        self.without_administrators = wanted if left_out is None else bool(left_out)

    def _update_text(self) -> None:
        # The workbench measures again only if the condition has changed; texts are updated anyway.
        self._workbench.set_only(self.expression)
        self.changed.emit()
