"""Figures for Python: what `engine.api` compares, with the figures of the window, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from engine import api, runs
from engine.errors import InputError
from engine.quantities.job_table import Table
from engine.study import own_labels
from resources import example_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from app.model.chart_data import ComparedRun
    from views.figures.printing import Printed
    from views.grammar.encoding import Kind, Spread

# What draws is imported by what draws: a comparison takes less time than the import of all charts.

EXAMPLE = example_path()
"""The bundled example log."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure that was drawn: `savefig` writes it, a notebook shows it. `figure` is matplotlib's."""

    kind: str
    printed: Printed
    about: str  # where it comes from
    table: Callable[[], Table]  # gives the values that are drawn

    @cached_property
    def data(self) -> DataFrame:
        """The values that are drawn: a row for each point, bar, box or job. Raises InputError."""
        return runs.frame_of(self.table())

    @property
    def figure(self) -> Figure:
        """The figure as matplotlib has it, before it is enlarged to its page."""
        return self.printed.figure

    def savefig(self, path: str | PathLike[str], note: bool = False) -> None:
        """Write the figure as PDF, SVG or PNG, by the suffix; the same figure gives the same bytes.

        With a `note`, lines below the figure name its source; the file's metadata always does. Raises
        InputError.
        """
        from views.figures.save import save_printed

        save_printed(self.printed, Path(path), self.about if note else "", about=self.about)

    def _repr_png_(self) -> bytes:
        from views.figures.save import rendered

        return rendered(self.printed, ".png", dpi=110)

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches() * 25.4 * self.printed.scale
        return f"<figure {self.kind}, {width:.0f} x {height:.0f} mm>"


@dataclass(frozen=True, eq=False, repr=False)
class Runs(runs.Runs):
    """Runs of a log by name, compared with each other, with their figures."""

    @cached_property
    def judged(self) -> tuple[ComparedRun, ...]:
        """The runs as charts have them, numbered from 1."""
        from app.model.chart_data import compared_run, draw

        found = []
        policies = [run.schedule.policy for run in self.runs]
        machines = [run.machine for run in self.runs]
        labels = own_labels(list(zip(policies, machines, strict=True)), self.log.trace.cluster)
        for number, run in enumerate(self.runs, 1):
            data = draw(partial(_as_it_is, run))
            verdict = self.verdicts.runs[number - 1]
            judged = compared_run(number, data, run.evaluation, None).judged(verdict)
            found.append(judged.called("", labels[number - 1], 1))
        return tuple(found)

    def figure(
        self, kind: str, paper: str = "", grey: bool = False, user: str = "", **options: str
    ) -> Picture:
        """A figure of the runs, a kind in FIGURES; `options` are options of views by name: `colours="wait"`.

        Others pick what is shown: `users="a,b"`, `instant="3600"`.

        `paper` is a width in mm or a name in `views.figures.printing.PAPERS`: 85mm, 180mm, slide, poster.
        Figures of one user, like `filling`, show `user`, or the user who used most. Raises InputError, which
        names similar kinds and options.
        """
        from app.export.asking import figure_of, request_of
        from app.export.data import data_of
        from app.export.look_options import check_own_quantities, look_of
        from app.export.picks import picks_of, provenance_of, split_picks
        from app.export.provenance import caption_of
        from views.figures.printing import on_paper, printed

        spec, trace, only = figure_of(kind), self.log.trace, self.measuring.filter(self.log.trace)
        looks, picked = split_picks(options)
        picks = picks_of(picked, trace, [user] if user else [])
        check_own_quantities(looks, (only, picks.faded), [run.schedule for run in self.runs])
        request = request_of(trace, self.judged, look_of(looks), picks, only)
        if why := spec.lacks(request):
            raise InputError(f"{kind}: {why}")
        about = caption_of(spec, request, provenance_of(request, picks, only, self.measuring.share))()
        drawn = printed(spec.drawing(request), on_paper(paper, grey, spec.print))
        return Picture(kind, drawn, about, partial(data_of, spec, request))


def figure(
    source: Runs | Sequence[Runs] | str | PathLike[str],
    kind: Kind,
    x: str,
    y: str | Sequence[str],
    *,
    colour: str = "",
    style: str = "",
    facet: str | Sequence[str] = (),
    where: Sequence[str] = (),
    order: Sequence[str] = (),
    baseline: str = "",
    error: Spread = "95",
    log_x: bool = False,
    log_y: bool = False,
    free: bool = False,
    names: Mapping[str, str] | None = None,
    paper: str = "",
    grey: bool = False,
) -> Picture:
    """A figure that is composed of results: `kind` is lines, bars, points, boxes, areas or cells.

    The source is the folder of a study, a table of results, or runs of one or several logs. `x`, `colour`,
    `style` and `facet` (ACROSS, or DOWN and ACROSS) are parameters: log, policy, keys of policies, columns of
    the table, and of jobs also user, queue and the like. `y` are metrics, or quantities of jobs. `where`,
    `order` and `baseline` are spelled as on the command line: `delta=1|5`, `policy=easy|fcfs`,
    `policy=auction`. `error` is what whiskers are: 95, sd, range or none. `names` has words by parameter,
    value or measure. Raises InputError, OSError.
    """
    from app.export.composing import compose, encoding_of, used_names
    from engine.sweep.result_table import read_results
    from engine.sweep.run_table import JudgedRun, table_of_runs
    from views.figures.printing import Print, on_paper

    measures, facets = [y] if isinstance(y, str) else list(y), [facet] if isinstance(facet, str) else facet
    encoding = encoding_of(
        kind,
        x,
        measures,
        colour=colour,
        style=style,
        facet=list(filter(None, facets)),
        where=where,
        order=order,
        baseline=baseline,
        error=error,
        log_x=log_x,
        log_y=log_y,
        free=free,
        names=names,
    )
    if isinstance(source, str | PathLike):
        table = read_results(Path(source))
    else:
        every = [source] if isinstance(source, Runs) else source
        judged = [
            JudgedRun(runs.log.trace.shown_name, run.name, run.evaluation)
            for runs in every
            for run in runs.runs
        ]
        table = table_of_runs(judged, measures, used_names(encoding))
    made = compose(table, encoding, on_paper(paper, grey, Print()))
    return Picture(kind, made.printed, made.caption, lambda: made.table)


P = ParamSpec("P")


def _with_figures(make: Callable[P, runs.Runs]) -> Callable[P, Runs]:
    """The function that makes runs with the same arguments, with their figures."""

    @wraps(make)
    def made(*given: P.args, **named: P.kwargs) -> Runs:
        found = make(*given, **named)
        return Runs(found.log, found.runs, found.measuring, found.not_shown)

    return made


compare = _with_figures(api.compare)


def _as_it_is(run: runs.OneRun) -> Any:
    return run.schedule
