"""The command `figure` of kinds that are composed: of results that are known, or of runs of logs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from app.cli.options import names_in
from app.export.composed_export import compose, used_names
from app.export.data import DATA_FORMATS, write_data_table
from app.export.names_file import read_names
from app.export.output import check_output
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.sweep.planned_figures import OPTIONS, PlannedFigure
from engine.sweep.result_table import ResultTable, read_results
from views.figures.printing import MM, PrintOptions, check_legible, paper_of
from views.figures.save import FORMATS, save_printed
from views.grammar.encoding import Encoding
from views.grammar.spelling import encoding_of

_OF_CHARTS = ("option", "metrics", "shown", "user")
"""Options of figures of views."""

_OF_RUNS = ("filter", "fair_starts", "log")
"""Options of runs, which known results do not have."""


def draw_composed(options: argparse.Namespace) -> None:
    """Draw the figure `options.kind` of results or runs into a file. Raises InputError, OSError."""
    how = print_options(options, PrintOptions())
    how.check()
    compose_figure(options, how)


def compose_figure(options: argparse.Namespace, how: PrintOptions) -> None:
    """Draw a composed figure into a file, and its numbers into `--data`. Raises InputError, OSError."""
    # Options that this kind would ignore are refused: the figure would otherwise not be what was asked for.
    for name in (*_OF_CHARTS, *(() if options.policy else _OF_RUNS)):
        if getattr(options, name):
            known = "" if name in _OF_CHARTS else "; they are of runs: -p POLICY"
            raise InputError(f"--{name.replace('_', '-')} is not of {options.kind}{known}")
    if options.further and not options.policy:
        raise InputError(f"{options.kind} are drawn of one folder or table of results, not of several files")
    measures, encoding = names_in(options.y), _encoding(options)
    # Both files are checked before anything is simulated, which may take minutes.
    for path, formats in ((options.output, FORMATS), (options.data, DATA_FORMATS)):
        check_output(path, *formats, force=True)
        if path is not None and path.exists() and not options.force:
            raise InputError(f"{path}: this file is there; give --force to replace it")
        if path is not None:
            refuse_inputs(path)
    if options.policy:
        made = compose(_table_of_logs(options, measures, encoding), encoding, how)
    else:
        made = compose(read_results(options.trace), encoding, how)
    # A page that is too low for its figure is found before the file is written.
    check_legible(made.printed)
    save_printed(made.printed, options.output, made.caption)
    if options.data is not None:
        write_data_table(options.kind, made.table, options.data)
    if not options.quiet:
        for path in filter(None, (options.output, options.data)):
            print(f"wrote {path}", file=sys.stderr)


def _table_of_logs(options: argparse.Namespace, measures: list[str], encoding: Encoding) -> ResultTable:
    """The results of the policies on the log, and on each further log. Raises InputError, OSError."""
    # What simulates is loaded here: known results are drawn without it.
    from app.cli.commands import all_simulated
    from app.cli.loading import named_metric, open_log, policy_of
    from engine.runs import Measuring, measured
    from engine.sweep.run_table import MeasuredRun, metrics_to_compute, table_of_runs

    chosen = [policy_of(text, options) for text in options.policy]
    extra = metrics_to_compute(measures)
    # Names are checked before the first log is read.
    for name in extra:
        named_metric(name)
    runs = []
    how = Measuring(options.share, options.measure or "", options.filter or "", extra)
    files: list[tuple[Path, list[Path]]] = [
        (options.trace, options.further),
        *((log, []) for log in options.log),
    ]
    # Each log is read by the same options, apart from its own files.
    for file, further in files:
        of_log = argparse.Namespace(**{**vars(options), "trace": file, "further": further})
        opened = open_log(of_log, chosen)
        schedules = all_simulated(opened, chosen, of_log, log=True, fair_by=options.fair_starts)
        named = list(zip(options.policy, schedules, strict=True))
        runs += [
            MeasuredRun(opened.trace.shown_name, run.name, run.evaluation)
            for run in measured(opened, named, how).runs
        ]
    return table_of_runs(runs, measures, used_names(encoding))


def _encoding(options: argparse.Namespace) -> Encoding:
    """The encoding of the options. Raises InputError, OSError."""
    if not options.x or not options.y:
        raise InputError(f"{options.kind} need --x and --y: a parameter, and one or several measures")
    given = {name: value for name in OPTIONS if (value := getattr(options, name)) is not None}
    given["facet"] = tuple(names_in(options.facet))
    planned = PlannedFigure(options.kind, options.x, tuple(names_in(options.y)), **given)
    return encoding_of(planned, read_names(options.names))


def print_options(options: argparse.Namespace, usual: PrintOptions) -> PrintOptions:
    """The print settings from the options, and otherwise the usual ones. Raises InputError."""
    how = replace(
        usual,
        grey=options.grey,
        title=not options.no_title,
        captions=not options.no_captions,
        provenance=not options.no_note,
    )
    if options.paper is not None:
        paper = paper_of(options.paper)
        how = replace(how, width=paper.width * MM, height=paper.height * MM or None, size=paper.size)
    if options.height is not None:
        how = replace(how, height=options.height * MM)
    if options.font is not None:
        how = replace(how, font=options.font)
    return how if options.font_size is None else replace(how, size=options.font_size)
