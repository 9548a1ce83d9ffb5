"""The source note of an exported figure or table: trace, machines, policies, filter, times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from engine.filter import Expression
from engine.quantities.job_table import Table
from engine.search.verdict import listed_bounds, verdict
from engine.study import numbered
from engine.sweep.grid import Grid
from engine.sweep.study_file import StudyFile
from engine.trace import Trace
from views.data.results import Result, verdicts_of
from views.data.search_results import SearchResults
from views.data.sweep_cells import SweepCells
from views.data.twin_look import TwinLook
from views.figures.request import FigureRequest
from views.grammar.study_figure import StudyFigure
from views.spec import FigureSpec
from views.text.counts import plural
from views.text.ticks import axis_of

_LINE = 150
"""Characters of a line below a figure."""


@dataclass(frozen=True)
class Provenance:
    """The source of exported files: finished runs, at least one, and the part of them that the window shows.

    Jobs had to match `only` to be measured and shown, and `dimmed` not to be faded. `window` (s) is the time
    that charts show, `instant` (s) the marked instant; `share` is the users' expected share. `selected`
    describes the selected jobs, if a figure fades the others.
    """

    results: Sequence[Result]
    only: Expression | None
    dimmed: Expression | None
    window: tuple[float, float]
    share: str
    instant: float | None = None
    selected: str = ""

    def note(self, timed: bool, of_all: bool = False) -> str:
        """Lines for below a figure: `timed` if it shows the time of the window alone, `of_all` if all jobs,
        whatever is measured.
        """
        parts = [self._runs()]
        if timed:
            # The visible time counts only for figures over time.
            parts.append(f"Shown: {self._between(*self.window)}")
        if timed and self.instant is not None:
            parts.append(f"Marked: {axis_of(self.results[0].schedule.trace).format(self.instant)}")
        if of_all:
            return fill(". ".join([*parts, "Of all jobs", *self._thanks()]) + ".", _LINE)
        parts += [f"Measured: {self._measured()}", f"Expected share: {self.share}"]
        parts += [f"Only jobs with {self.only}"] if self.only is not None else []
        # What is not faded: jobs that match the filter, and those that are selected.
        bright = [str(self.dimmed)] if self.dimmed is not None else []
        bright += [self.selected] if self.selected else []
        parts += [f"Faded: all but {' and '.join(bright)}"] if bright else []
        parts += self._thanks()
        return fill(". ".join(parts) + ".", _LINE)

    def note_of_sweep(self, grid: Grid) -> str:
        """Note lines for the surface of a sweep of this grid, which names its measured jobs itself."""
        first, last = (grid.policies[end].spelling for end in (0, -1))
        trace = self.results[0].schedule.trace
        return fill(
            f"{trace.shown_name}: all of {grid.rows.key} with {grid.columns.key}, from {first} to {last}.",
            _LINE,
        )

    def note_of_study(self, study: StudyFile) -> str:
        """Lines for below the plots of a study: of all jobs of the trace, whatever the window measures."""
        trace = self.results[0].schedule.trace
        source = f" ({study.source})" if study.source else ""
        what = f": {study.title}{source}" if study.title else source
        text = f"{trace.shown_name}, all {plural(len(trace), 'job')}{what}"
        return fill(text if text.endswith("?") else f"{text}.", _LINE)

    def note_of_search(self, results: SearchResults) -> str:
        """Lines for below the plots of a search: what was tried, and the verdict."""
        trace, question, answer = self.results[0].schedule.trace, results.question, results.answer
        bounds = f" subject to {listed_bounds(question)}" if question.bounds else ""
        text = verdict(question, answer) if answer is not None else "Not judged."
        tried = plural(len(results.trials), "trial")
        return fill(f"{trace.shown_name}, {tried} on its first two thirds{bounds}. {text}", _LINE)

    def note_of_twin(self, look: TwinLook) -> str:
        """Lines for below the plot of a twin: the log, the site, and how near it comes."""
        return fill(f"{look.schedule.trace.shown_name} beside {look.site}: {look.twin.verdict}.", _LINE)

    def add_to(self, table: Table) -> Table:
        """The table with additional columns: trace, machine, filter and measured span (s)."""
        first, last = self._span()
        about = {
            "trace": self.results[0].schedule.trace.name,
            "machine": " ".join(self._machines()),
            "filter": str(self.only or ""),
            "measured_from": first,
            "measured_to": last,
        }
        if sites := self.accuracies():
            about["accuracy"] = "; ".join(sites)
        rows = len(table[0][1])
        return [*table, *((name, [value] * rows) for name, value in about.items())]

    def of(self, *results: Result) -> Provenance:
        """The provenance of some of the runs alone."""
        return replace(self, results=results)

    def _thanks(self) -> list[str]:
        return thanks(self.results[0].schedule.trace)

    def _machines(self) -> list[str]:
        return list(dict.fromkeys(str(result.schedule.cluster) for result in self.results))

    def _runs(self) -> str:
        trace = self.results[0].schedule.trace
        machines = self._machines()
        if len(machines) == 1:
            names = ", ".join(map(_policy, self.results))
            runs = f"{trace.shown_name} on {machines[0]}: {names}"
        else:
            runs = f"{trace.shown_name}: " + ", ".join(
                f"{_policy(result)} on {result.schedule.cluster}" for result in self.results
            )
        return ". ".join([runs, *self.accuracies(), *self._spreads()])

    def accuracies(self) -> list[str]:
        """A sentence a run of a site, without a full stop: how near the site comes to the log."""
        return verdicts_of(self.results).sentences

    def _spreads(self) -> list[str]:
        """What the phases of the loops of sites explain of the changes between these, without full stops."""
        return verdicts_of(self.results).lines(self.results[0].measured)

    def _measured(self) -> str:
        count = plural(int(self.results[0].measured.sum()), "job")
        return f"{count}, submitted {self._between(*self._span())}"

    def _span(self) -> tuple[int, int]:
        """First and last submission of the measured jobs, s."""
        submit = self.results[0].schedule.trace.submit[self.results[0].measured]
        return (int(submit[0]), int(submit[-1])) if len(submit) else (0, 0)  # jobs are in this order

    def _between(self, start: float, end: float) -> str:
        axis = axis_of(self.results[0].schedule.trace)
        return f"{axis.format(float(start))} to {axis.format(float(end))}"


def _policy(result: Result) -> str:
    """The policy of a run, after the name that a reader gave the run."""
    spelling = result.schedule.policy.spelling
    called = result.title or result.label
    return f"{numbered(called, result.number)} = {spelling}" if called else numbered(spelling, result.number)


def table_caption(
    trace: Trace, machines: Sequence[object], jobs: NDArray[np.bool_] | None, *more: str
) -> str:
    """The caption of a table: log, machines, measured jobs, shape (n,) or all, their span, and the version.

    `more` are further sentences, without their full stops.
    """
    submit = trace.submit if jobs is None else trace.submit[jobs]
    axis = axis_of(trace)
    span = ""
    if len(submit):  # jobs are in this order
        span = f", submitted {axis.format(float(submit[0]))} to {axis.format(float(submit[-1]))}"
    on = " and ".join(dict.fromkeys(map(str, machines)))
    about = f"{trace.shown_name} on {on}: {plural(len(submit), 'job')}{span}"
    return f"{'. '.join([about, *more, program_words()])}."


def program_words() -> str:
    """The name of the program with its version."""
    return f"Batchscope {version('batchscope')}"


def thanks(trace: Trace) -> list[str]:
    """A sentence with the acknowledgement that the log's header asks for; none if it does not."""
    named = trace.header.get("Acknowledge", "").split("\n")
    return [f"Log by courtesy of {', '.join(named)}"] if named[0] else []


def caption_of(spec: FigureSpec, request: FigureRequest, about: Provenance) -> Callable[[], str]:
    """Function that gives the lines below a figure."""
    own = request.own
    # Sweeps, studies, searches and twins have inputs of their own, and so their own lines.
    if spec.caption == "sweep":
        return partial(about.note_of_sweep, own.get(SweepCells).grid)
    if spec.caption == "study":
        return partial(about.note_of_study, own.get(StudyFigure).results.study)
    if spec.caption == "search":
        return partial(about.note_of_search, own.get(SearchResults))
    if spec.caption == "twin":
        return partial(about.note_of_twin, own.get(TwinLook))
    about = replace(
        about.of(*spec.runs(request)), selected="" if spec.caption != "selection" else about.selected
    )
    timed = spec.caption in ("time", "selection", "all jobs")
    return lambda: about.note(timed, of_all=spec.caption == "all jobs")
