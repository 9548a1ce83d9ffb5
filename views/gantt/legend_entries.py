"""The entries of a Gantt chart's legend: description, filter and selection for each class of jobs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.filter import Expression
from engine.filter.expression import Compare, Joint, Not, join
from engine.shown_text import with_kind
from engine.trace import Trace
from views.data.gantt.colours import COLOURS, Classes, ColourMode
from views.state.filter import Filter, FilterModel
from views.state.selection import SelectionModel
from views.text.counts import plural

_KIB = 1024


@dataclass(frozen=True, eq=False)
class LegendEntries:
    """The entries of the legend and what they mean; each is an index into `classes`."""

    trace: Trace
    mode: ColourMode
    classes: Classes

    def count(self, entry: int) -> int:
        """The number of jobs with this colour."""
        return int(np.count_nonzero(self.classes.of_job == entry))

    def name(self, entry: int) -> str:
        """The name of an entry, such as `user 7`, `queue short`, `≤ 1 h`."""
        name = self.classes.names[entry]
        return with_kind(self.mode, name) if self._of_names and not self._is_rest(entry) else name

    def describe(self, entry: int, model: FilterModel | None = None) -> str:
        """An entry in words, and what clicks on it do where this is the filter."""
        text = f"{self.name(entry)}: {plural(self.count(entry), 'job')}"
        if model is not None and self.is_filtered(model, entry):
            return f"{text}\nThe filter has this colour. Click: remove it.\nDouble-click: hide the others."
        if self.filter(entry) is not None:
            clicks = "Click: filter by these jobs. Ctrl+click: add them to the filter."
            return f"{text}\n{clicks}\nDouble-click: hide the others."
        # A class with neither filter nor bounds has the jobs without a value, except for changes, which never
        # have a filter.
        why = "a filter matches jobs of a single run, but a change is between two runs"
        if self.mode != "change" or entry > len(self.classes.bounds):
            why = "a filter matches values, and these jobs have none"
        return f"{text}\nClick: select these jobs. Ctrl+click: add them.\nNo filter: {why}."

    def filter(self, entry: int) -> Expression | None:
        """The filter that the jobs of a class match; None if no field describes the class."""
        classes = self.classes
        if self._of_names:
            # The rest has no code: it is what none of the coloured names is, so its filter is a negation.
            names, rest = self._names, self._is_rest(entry)
            codes = np.flatnonzero((classes.of_code == entry) != rest)
            compare = Compare(
                self.mode, "=" if len(codes) == 1 else "in", tuple(names[code] for code in codes)
            )
            return Not(compare) if rest else compare
        # Changes, which are between two runs, have no field.
        quantity, bounds = COLOURS[self.mode], classes.bounds
        field = quantity.offer("filter").name if "filter" in quantity.shown else None
        if field is None or not bounds or entry > len(bounds):
            return None
        scale = _KIB if COLOURS[self.mode].unit == "MiB" else 1  # as filters count RAM
        # Classes are ranges between two bounds: the first has no lower and the last no upper bound.
        low = [Compare(field, ">", (_plain(scale * bounds[entry - 1]),))] if entry else []
        high = [Compare(field, "<=", (_plain(scale * bounds[entry]),))] if entry < len(bounds) else []
        return join("and", *low, *high)

    def is_filtered(self, model: FilterModel, entry: int) -> bool:
        """True if the filter asks for the jobs of a class, possibly among others."""
        return self._asked(model, entry) is not None

    def _asked(self, model: FilterModel, entry: int) -> Expression | None:
        """The part of the filter that a click on an entry made.

        A filter by the users without a colour gives these users colours, and the entry then represents the
        other users.
        """
        expression, before = self.filter(entry), _parts(model)
        # After a filter by the rest, colours and so the rest itself are chosen anew, and its expression
        # differs from the filter's. It is recognised by its form.
        if self._of_names and self._is_rest(entry):
            return next((part for part in before if _is_not_in(part, self.mode)), None)
        return expression if expression is not None and expression in before else None

    def pick(self, model: FilterModel, selection: SelectionModel, entry: int, toggle: bool) -> None:
        """Filter by a class alone, or remove that filter; with `toggle` add the class to the filter, or
        remove it.

        If no filter can describe the class, its jobs are selected instead. A class without jobs here has no
        effect.
        """
        asked, before = self._asked(model, entry), _parts(model)
        expression = self.filter(entry) if asked is None else asked
        if not self.count(entry) and asked is None:
            return
        if expression is None:
            jobs = frozenset(np.flatnonzero(self.classes.of_job == entry).tolist())
            # A symmetric difference: with ctrl the class is added, or removed where it is selected already.
            selection.select_jobs(self.trace, selection.value.jobs ^ jobs if toggle else jobs)
        elif not toggle:
            # A click on the only filtered class removes the filter; on another class it replaces the filter.
            _set(model, () if before == (expression,) else (expression,), model.value.hides)
        else:
            kept = tuple(part for part in before if part != expression)
            _set(model, kept if expression in before else (*before, expression), model.value.hides)

    def hide_others(self, model: FilterModel, entry: int) -> None:
        """Leave all jobs out that are of another class."""
        asked = self._asked(model, entry)
        expression = self.filter(entry) if asked is None else asked
        if expression is not None and (asked is not None or self.count(entry)):
            _set(model, (expression,), True)

    @property
    def _of_names(self) -> bool:
        return self.mode in ("user", "queue")

    @property
    def _names(self) -> tuple[str, ...]:
        return (self.trace.user if self.mode == "user" else self.trace.queue).names

    def _is_rest(self, entry: int) -> bool:
        """True if an entry represents all users, or queues, without their own colour."""
        return entry == len(self.classes.names) - 1 and len(self._names) > len(self.classes.names)


def _is_not_in(part: Expression, field: str) -> bool:
    return isinstance(part, Not) and isinstance(part.part, Compare) and part.part.field == field


def _parts(model: FilterModel) -> tuple[Expression, ...]:
    """The alternatives of the filter, any of which may match."""
    there = model.value.expression
    if isinstance(there, Joint) and there.word == "or":
        return there.parts
    return () if there is None else (there,)


def _set(model: FilterModel, parts: tuple[Expression, ...], hides: bool) -> None:
    model.set(Filter(join("or", *parts), hides) if parts else Filter())


def _plain(bound: float) -> float:
    return int(bound) if bound == int(bound) else bound
