"""What a window exports, through the models that the exports take: figures, their data, and tables."""

import random
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.export.data import write_data
from app.export.drawing import Sketch
from app.export.figure_request import request_of
from app.export.picks import Picks, provenance_of
from app.export.provenance import Provenance
from app.export.tables import CSV_OR_PARQUET, TABLES
from app.model.chart_data import ComparedRuns, compare_runs, draw
from engine.errors import InputError
from engine.filter import Expression, parse_filter
from engine.machine.cluster import Cluster
from engine.metrics.catalog import METRICS
from engine.metrics.site_twin import SiteTwin
from engine.metrics.twin import twin_of
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.reading.log import Log
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.report.changed_site import site_change
from engine.run_source import schedule_of
from engine.search.search import search
from engine.search.typed_question import TypedQuestion
from engine.simulation.control import Control
from engine.study import Study
from engine.sweep.carry_out import carry_out
from engine.sweep.grid import make_grid
from engine.sweep.run import sweep
from engine.sweep.study_file import read_study_file
from engine.sweep.study_results import StudyResults
from engine.trace import Trace
from tests.matrix.bench import RUNS, Bench, other_run
from tests.matrix.outcome import Judged, fault_of_file
from views.catalog import COLUMN_FIGURES, FIGURES
from views.data.change_look import ChangeLook
from views.data.comparison import RunPair
from views.data.own_data import OwnData
from views.data.search_results import SearchResults
from views.data.sweep_cells import SweepResults
from views.data.twin_look import TwinLook
from views.data.view_options import ViewOptions
from views.figures.request import FigureRequest
from views.figures.save import save_printed
from views.grammar.choices import usual_encoding
from views.grammar.study_figure import StudyFigure
from views.spec import FigureSpec

_FILTERS = ("", "", "wait > 1m", "procs >= 4", "wait > 99d")
_SHARES = ("fair", "1/2", "4c1g")


def judged_exports(
    bench: Bench, run: str, chance: random.Random, most: int | None = None
) -> Iterator[tuple[str, Judged]]:
    """Each export of a window that shows this run beside a second run: its name, and what came of it.

    Of the exports `most` are tried, chosen by `chance`; None: all.
    """
    shown: list[tuple[FigureRequest, Provenance]] = []

    def show() -> list[Path]:
        shown.append(_request(bench, run, chance))
        return []

    yield "what the window shows", _judged(show)
    for request, about in shown:
        exports = list(_exports(request, about, bench, chance))
        for name, export in exports if most is None else chance.sample(exports, min(most, len(exports))):
            yield name, _judged(export)


def _judged(export: Callable[[], list[Path]]) -> Judged:
    """Carry out an export; a window says an InputError in a line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            written = export()
    except InputError:
        return Judged(True, "")
    except Exception:
        return Judged(False, traceback.format_exc())
    return Judged(False, "".join(map(fault_of_file, written)))


def _exports(
    request: FigureRequest, about: Provenance, bench: Bench, chance: random.Random
) -> Iterator[tuple[str, Callable[[], list[Path]]]]:
    """The exports for which there is something to write, as functions that give the files."""
    for spec in (*FIGURES, *COLUMN_FIGURES):
        if not spec.lacks(request):
            figure = bench.output(f"figure{chance.choice(['.svg', '.pdf', '.png'])}")
            data = bench.output(f"data{chance.choice(['.csv', '.parquet', '.json'])}")
            yield f"figure {spec.kind}", partial(_draw, Sketch(spec.kind, request, about, spec.print), figure)
            yield f"data of {spec.kind}", partial(_write_data, spec, request, data)
    for table in TABLES:
        if not table.lacks(request):
            suffix = chance.choice([".csv", ".parquet"]) if table.formats == CSV_OR_PARQUET else ".csv"
            yield f"table {table.kind}", partial(table.write, request, about, bench.output(f"table{suffix}"))


def _draw(sketch: Sketch, path: Path) -> list[Path]:
    made, note = sketch.draw()
    save_printed(made, path, note)
    return [path]


def _write_data(spec: FigureSpec, request: FigureRequest, path: Path) -> list[Path]:
    write_data(spec, request, path)
    return [path]


def _request(bench: Bench, run: str, chance: random.Random) -> tuple[FigureRequest, Provenance]:
    """What the window shows: two runs, and what its pages of searches, sweeps, studies and twins have."""
    kind = RUNS[run]
    options = kind.options_on(bench)
    read = read_log_as(bench.log, Reading(machine=options[1] if options else ""))
    study = Study(read.trace, read.cluster)
    for policy in dict.fromkeys((kind.policy_on(bench), other_run(chance, bench))):
        study = study.add(parse_policy(policy))
    control = Control()
    charts = {
        each.id: draw(
            lambda each=each: schedule_of(  # type: ignore[misc]
                read.trace, each.cluster, each.policy, log=True, fair_starts=False, control=control
            ),
        )
        for each in study.runs
    }
    text, share = chance.choice(_FILTERS), chance.choice(_SHARES)
    only: Expression | None = parse_filter(text) if text else None
    judged = compare_runs(study, charts, ComparedRuns(), share, only, None, control)
    request = request_of(read.trace, list(judged.runs.values()), ViewOptions(), Picks(), only)
    request = replace(request, own=OwnData(*_own(bench, study, request)))
    return request, provenance_of(request, Picks(), only, share)


def _change(bench: Bench, trace: Trace, cluster: Cluster) -> ChangeLook:
    """What a change of nothing did in the middle of a log. Raises InputError."""
    site, at = parse_policy(f"site:{bench.site}"), str(int(trace.submit[len(trace) // 2]))
    return ChangeLook(at, (str(site), str(site)), site_change(Log(trace, cluster), at, site, site))


def _own(bench: Bench, study: Study, request: FigureRequest) -> Iterator[object]:
    """What single pages show: a pair of runs, a search, sweep, study, change and twin, if there is each."""
    results = request.results
    if len(results) > 1:
        yield RunPair(results[0], results[1])
    trace, cluster = study.trace, study.cluster
    grid = make_grid(parse_policy("metric"), ("bf", "0, 1"), ("window", "1, 2"))
    cells = sweep(trace, cluster, grid.policies, parse_share("fair"))
    yield SweepResults(grid, summaries={k: cell.summary for k, cell in enumerate(cells)}).cells(
        METRICS["wait_mean"]
    )
    question = TypedQuestion(trials=3).question()
    try:
        answer = search(trace, cluster, question, trials=3)
        yield SearchResults(question, answer.trials, answer)
    except InputError:  # too few jobs to validate anything on
        pass
    file = read_study_file(bench.study)
    rows = carry_out(file, trace, cluster, bench.output("rows"))
    study_results = StudyResults(file, tuple(rows))
    yield StudyFigure(study_results, usual_encoding(study_results.table))
    with suppress(InputError):  # the log does not say when its jobs started
        yield _change(bench, trace, cluster)
    for result in results:
        schedule = result.schedule
        if schedule.policy.site is not None and trace.has_recorded_schedule:
            near = twin_of(schedule, 30)
            if near is not None:
                yield TwinLook(SiteTwin(schedule.policy.site, schedule, near))
                return
