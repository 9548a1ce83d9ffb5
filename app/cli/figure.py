"""The command `figure`: a figure of runs for print, as the window exports it, without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from app.cli.commands import simulated
from app.cli.composed_figure import print_options
from app.cli.loading import measured_filter, open_log, policy_of
from app.cli.site_runs import accuracy_of_site, spreads_of
from app.export.data import DATA_FORMATS, write_data
from app.export.figure_request import figure_of, request_of
from app.export.look_options import check_own_quantities, look_of
from app.export.names_file import read_names
from app.export.output import check_output
from app.export.picks import picks_of, provenance_of, split_picks
from app.export.provenance import caption_of
from app.model.chart_data import ComparedRuns, compare_runs, draw
from engine.errors import InputError
from engine.reading.measure import measured_span
from engine.reading.options import OptionError
from engine.simulation.control import Control
from engine.study import Study
from engine.trace import Trace
from views.figures.printing import check_legible, printed
from views.figures.save import FORMATS, save_printed
from views.grammar.encoding import KINDS


def make_figure(options: argparse.Namespace) -> None:
    """Draw the figure `options.kind` of the runs into a file. Raises InputError, OSError."""
    if not options.policy:
        raise InputError(f"the figure {options.kind} needs runs: -p POLICY, once for each")
    spec = figure_of(options.kind)
    check_output(options.output, *FORMATS, force=True)  # what is there is kept, even an own figure
    check_output(options.data, *DATA_FORMATS, force=True)
    for path in (options.output, options.data):
        if path is not None and path.exists() and not options.force:
            raise InputError(f"{path}: this file is there; give --force to replace it")
    how = print_options(options, spec.print)
    how.check()
    settings = _settings(options.option)
    if options.metrics is not None:
        if options.kind.removesuffix("-column") != "metrics":
            raise InputError(f"--metrics is of the figure metrics, not of {options.kind}")
        settings["metrics"] = options.metrics
    if options.facet:
        if options.facet != "run" or not options.kind.startswith("timeline"):
            kinds = ", ".join(KINDS)
            raise InputError(f"--facet {options.facet}: facets are of {kinds}, or of timeline: --facet run")
        settings["timeline_facets"] = "on"
    names = read_names(options.names)
    looks, picked = split_picks(settings)
    look = look_of(looks)
    policies = [policy_of(text, options) for text in options.policy]  # raises errors before the trace is read
    opened = open_log(options, policies)
    trace = opened.trace
    picks, only = picks_of(picked, trace, options.user), measured_filter(options, trace)
    if options.shown is not None:
        picks = replace(picks, shown=_shown(options.shown, trace))
    study = Study(trace, opened.cluster)
    for policy, asked in zip(policies, options.policy, strict=True):
        title = names.get(asked) or names.get(policy.spelling, "")
        study = study.add(policy, opened.machine(policy), title)
    charts = {
        run.id: draw(
            partial(
                simulated, opened, run.policy, options, log=True, fair_by=options.fair_starts, judged=False
            )
        )
        for run in study.runs
    }
    schedules = [chart.schedule for chart in charts.values()]
    check_own_quantities(looks, (only, picks.faded), schedules)
    spreads = {list(charts)[place]: spread for place, spread in spreads_of(schedules, options).items()}
    judged = compare_runs(
        study,
        charts,
        ComparedRuns(),
        options.share,
        only,
        None,
        Control(),
        spreads=spreads,
        accurate=partial(accuracy_of_site, options),
        doubtful=options.doubtful,
    )
    for run_id, why in judged.hidden.items():
        run = study.run(run_id)
        assert run is not None
        print(f"{study.name(run)}: not shown: {why}; --doubtful shows it", file=sys.stderr)
    request = request_of(trace, list(judged.runs.values()), look, picks, only)
    if why := spec.lacks(request):
        raise InputError(f"{spec.kind}: {why}")
    note = caption_of(spec, request, provenance_of(request, picks, only, options.share))()
    made = printed(spec.drawing(request), how, note.count("\n") + 1)
    check_legible(made)
    save_printed(made, options.output, note)
    if options.data is not None:
        write_data(spec, request, options.data)
    if not options.quiet:
        for path in filter(None, (options.output, options.data)):
            print(f"wrote {path}", file=sys.stderr)


def _shown(text: str, trace: Trace) -> tuple[int | None, int | None]:
    """The time of `--shown`. Raises InputError."""
    try:
        return measured_span(text, trace)
    except OptionError as error:
        raise InputError(f"--shown {error.message}") from None


def _settings(texts: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE texts by name; of repeated names the last counts."""
    return {name: value for name, _, value in (text.partition("=") for text in texts)}
