"""Figures for Python: what `engine.api` compares, with the figures of the window, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, ParamSpec

from engine import api, runs
from engine.errors import InputError
from engine.quantities.job_table import Table
from engine.reading.python_log import refuse_misspelt
from engine.study import own_labels
from resources import example_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from app.model.chart_data import ComparedRun
    from views.figures.printing import PrintedFigure
    from views.figures.request import FigureRequest
    from views.grammar.encoding import Kind, Spread
    from views.spec import FigureSpec

# What draws is imported by what draws: a comparison takes less time than the import of all charts.

OPTIONS = frozenset(
    (
        "rows",
        "colours",
        "changes_by",
        "fairshare_by",
        "waits_by",
        "timeline_log",
        "timeline_facets",
        "bars_cut",
        "penalties_whole",
        "down",
        "waits",
        "reservations",
        "idle",
        "backfilled",
        "shift",
        "order",
        "measure",
        "by_queue",
        "shared_scale",
        "baseline",
        "gains_over",
        "scattered",
        "scattered_to",
        "fairshare_run",
        "offsets",
        "timeline_hidden",
        "compared",
        "distributions",
        "scatter",
        "metrics",
        "folded",
        "pinned",
        "plan_criterion",
        "timeline_averages",
        "timeline_plots",
        "tolerance",
        "gain_weights",
        "users",
        "queues",
        "jobs",
        "instant",
        "marks",
        "shown",
        "part",
        "faded",
    )
)
"""The options of views that a figure takes by name."""

EXAMPLE = example_path()
"""The bundled example log."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure that was drawn: `savefig` writes it, a notebook shows it. `figure` is matplotlib's."""

    kind: str
    printed: PrintedFigure
    about: str  # where it comes from
    table: Callable[[], Table]  # gives the values that are drawn
    shown: bool = True  # in notebooks; on axes of somebody's own it is shown there

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

    def _repr_png_(self) -> bytes | None:
        if not self.shown:
            return None
        from views.figures.save import rendered

        return rendered(self.printed, ".png", dpi=110)

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches() * 25.4 * self.printed.scale
        return f"<figure {self.kind}, {width:.0f} x {height:.0f} mm>"


@dataclass(frozen=True, eq=False, repr=False)
class Runs(runs.RunSet):
    """Runs of a log by name, compared with each other, with their figures."""

    @cached_property
    def judged(self) -> tuple[ComparedRun, ...]:
        """The runs as charts have them, numbered from 1."""
        from app.model.chart_data import compared_run, draw

        judged_runs = []
        policies = [run.schedule.policy for run in self.runs]
        machines = [run.machine for run in self.runs]
        labels = own_labels(list(zip(policies, machines, strict=True)), self.log.trace.cluster)
        for number, run in enumerate(self.runs, 1):
            data = draw(partial(_as_it_is, run))
            verdict = self.verdicts.runs[number - 1]
            judged = compared_run(number, data, run.evaluation, None).judged(verdict)
            judged_runs.append(judged.called("", labels[number - 1], 1))
        return tuple(judged_runs)

    def figure(
        self,
        kind: str,
        paper: str = "",
        grey: bool = False,
        user: str = "",
        *,
        ax: Axes | Sequence[Axes] | None = None,
        rows: str = "",
        colours: str = "",
        changes_by: str = "",
        fairshare_by: str = "",
        waits_by: str = "",
        timeline_log: str = "",
        timeline_facets: str = "",
        bars_cut: str = "",
        penalties_whole: str = "",
        down: str = "",
        waits: str = "",
        reservations: str = "",
        idle: str = "",
        backfilled: str = "",
        shift: str = "",
        order: str = "",
        measure: str = "",
        by_queue: str = "",
        shared_scale: str = "",
        baseline: str = "",
        gains_over: str = "",
        scattered: str = "",
        scattered_to: str = "",
        fairshare_run: str = "",
        offsets: str = "",
        timeline_hidden: str = "",
        compared: str = "",
        distributions: str = "",
        scatter: str = "",
        metrics: str = "",
        folded: str = "",
        pinned: str = "",
        plan_criterion: str = "",
        timeline_averages: str = "",
        timeline_plots: str = "",
        tolerance: str = "",
        gain_weights: str = "",
        users: str = "",
        queues: str = "",
        jobs: str = "",
        instant: str = "",
        marks: str = "",
        shown: str = "",
        part: str = "",
        faded: str = "",
        **unknown: Never,
    ) -> Picture:
        """A figure of the runs, a kind in FIGURES, with options of views as on the command line.

        `colours="wait"` and others change how it looks, `users="a,b"`, `instant="3600"` and others pick what
        is shown; `batchscope figure --help` describes each. `paper` is a width in mm or a name in
        `views.figures.printing.PAPERS`: 85mm, 180mm, slide, poster. Figures of one user, like `filling`, show
        `user`, or the user who used most. With `ax`, one of matplotlib's axes or several, the first plots are
        also drawn on these, as large as they are, without legend and notes. Raises InputError, which names
        similar kinds and options.
        """
        # Each option is an argument, so that editors complete it; here they are gathered by their names.
        options = {name: str(value) for name, value in locals().items() if name in OPTIONS and value}
        from app.export.data import data_of
        from app.export.figure_request import figure_of, request_of
        from app.export.look_options import check_own_quantities, look_of
        from app.export.picks import picks_of, provenance_of, split_picks
        from app.export.provenance import caption_of
        from views.figures.printing import on_paper, printed

        # Names are checked in the order in which a reader would correct them: option, kind, values.
        refuse_misspelt(unknown, Runs.figure, "figures are drawn")
        spec, trace, only = figure_of(kind), self.log.trace, self.measuring.filter(self.log.trace)
        looks, picked = split_picks(options)
        picks = picks_of(picked, trace, [user] if user else [])
        check_own_quantities(looks, (only, picks.faded), [run.schedule for run in self.runs])
        request = request_of(trace, self.judged, look_of(looks), picks, only)
        # Why a figure cannot be drawn is told before anything is laid out.
        if why := spec.lacks(request):
            raise InputError(f"{kind}: {why}")
        about = caption_of(spec, request, provenance_of(request, picks, only, self.measuring.share))()
        drawn = printed(spec.drawing(request), on_paper(paper, grey, spec.print))
        if ax is not None:
            _draw_on(spec, request, ax)
        return Picture(kind, drawn, about, partial(data_of, spec, request), shown=ax is None)


def _draw_on(spec: FigureSpec, request: FigureRequest, ax: Axes | Sequence[Axes]) -> None:
    """Draw the plots of a figure on axes of somebody's own. Raises InputError for a figure without plots."""
    import numpy as np

    from app.export.figure_request import FIGURES, figure_of
    from views.figures.plots import draw_on_axes

    if spec.drawn is not None or spec.plots is None:
        kinds = ", ".join(each for each in FIGURES if figure_of(each).drawn is None)
        raise InputError(f"{spec.kind} needs a page of its own; on axes of yours are drawn {kinds}")
    draw_on_axes(spec.page(request), list(np.ravel(np.array(ax, object))), request.window)


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
    cut: bool = False,
    names: Mapping[str, str] | None = None,
    paper: str = "",
    grey: bool = False,
) -> Picture:
    """A figure that is composed of results: `kind` is lines, bars, points, boxes, areas or cells.

    The source is the folder of a study, a table of results, or runs of one or several logs. `x`, `colour`,
    `style` and `facet` (ACROSS, or DOWN and ACROSS) are parameters: log, policy, keys of policies, columns of
    the table, and of jobs also user, queue and the like. `y` are metrics, or quantities of jobs. `where`,
    `order` and `baseline` are spelled as on the command line: `delta=1|5`, `policy=easy|fcfs`,
    `policy=auction`. `error` is what whiskers are: 95, sd, range or none. `cut` cuts bars over 4 times as
    high as all others. `names` has words by parameter, value or measure. Raises InputError, OSError.
    """
    # Each option is an argument, so that editors complete it; here they are gathered by their names.
    given = locals()
    from app.export.composed_export import compose, used_names
    from engine.sweep.planned_figures import OPTIONS, PlannedFigure
    from engine.sweep.result_table import read_results
    from engine.sweep.run_table import MeasuredRun, table_of_runs
    from views.figures.printing import PrintOptions, on_paper
    from views.grammar.spelling import encoding_of

    measures, facets = [y] if isinstance(y, str) else list(y), [facet] if isinstance(facet, str) else facet
    # The names of arguments here are those of the options in a study file, which the same reader checks.
    options = {name: given[name] for name in OPTIONS} | {"facet": tuple(filter(None, facets))}
    encoding = encoding_of(PlannedFigure(kind, x, tuple(measures), **options), names)
    # Results of a study are read as they are; runs become such a table, and are drawn like it.
    if isinstance(source, str | PathLike):
        table = read_results(Path(source))
    else:
        every = [source] if isinstance(source, Runs) else source
        judged = [
            MeasuredRun(runs.log.trace.shown_name, run.name, run.evaluation)
            for runs in every
            for run in runs.runs
        ]
        table = table_of_runs(judged, measures, used_names(encoding))
    made = compose(table, encoding, on_paper(paper, grey, PrintOptions()))
    return Picture(kind, made.printed, made.caption, lambda: made.table)


P = ParamSpec("P")


def _with_figures(make: Callable[P, runs.RunSet]) -> Callable[P, Runs]:
    """The function that makes runs with the same arguments, with their figures."""

    @wraps(make)
    def made(*given: P.args, **named: P.kwargs) -> Runs:
        answer = make(*given, **named)
        return Runs(answer.log, answer.runs, answer.measuring, answer.not_shown)

    return made


compare = _with_figures(api.compare)


def _as_it_is(run: runs.OneRun) -> Any:
    return run.schedule
