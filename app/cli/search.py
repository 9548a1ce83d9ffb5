"""The command that searches the best configuration, and checks whether it is really better."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from app.cli.loading import open_log
from app.cli.options import refuse_given
from app.cli.terminal import progress_bar, show_compiling, warn_of_open_scheduler
from app.export.output import aligned, check_output, print_json, write_table
from app.work.compile_kernels import fill_cache
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.metrics.metric_names import parse_metric
from engine.metrics.own_metric import allow_metric
from engine.own.allowed_code import allow_named, own_path
from engine.policy.policy import parse_policy, parse_value
from engine.policy.share import parse_share
from engine.search.answer import SearchResult
from engine.search.policy_search import search_on
from engine.search.question import WORST_USER, Question
from engine.search.typed_question import TypedQuestion
from engine.search.verdict import listed_bounds
from engine.slurm.scheduler.verdicts import DoubtfulSiteError
from engine.words import plural
from views.text.values import NOTHING


def search_policies(options: argparse.Namespace) -> None:
    """Search, print the front on both spans, and the gain of the best policy. Raises InputError."""
    if not (options.minimize or options.maximize):
        raise InputError("--minimize or --maximize: name a metric, like --minimize wait_mean")
    parse_share(options.share)
    check_output(options.output, ".csv", ".parquet", begins="policy,", force=options.force)
    refuse_given(options, "a search measures spans of its own", "measure")
    asked = _asked(options)
    question = asked.question()  # raises errors before the log is read
    opened = open_log(options, [question.base, question.baseline])
    trace = opened.trace
    if options.output is not None:
        refuse_inputs(options.output)
    if show_compiling(options.quiet):
        fill_cache()
    warn_of_open_scheduler(options)
    with progress_bar(f"{options.trials:,} trials", options) as show:
        try:
            result = search_on(
                opened,
                asked,
                share=options.share,
                scheduler=options.scheduler,
                threads=options.workers,
                report=show,
            )
        except DoubtfulSiteError as error:
            raise InputError(f"{error}; --doubtful searches all the same") from None
    answer = result.answer
    if options.output is not None:
        write_table(_table(answer, question), options.output)
    if options.json:
        print_json(result.facts())
        return
    trials = plural(len(answer.trials) + len(answer.dropped), "trial")
    print(f"{trace.shown_name} on {opened.cluster}: {trials} to {_describe(question)}")
    print("searched on the first two thirds of the time, judged on the last third\n")
    print("\n".join(_lines(question, answer)))
    print(f"\n{result.verdict}")
    if question.base.site is not None and answer.front:
        print(f"\nTo paste:\n{result.to_paste}", end="")
    if options.output is not None and not options.quiet:
        print(f"wrote {options.output}", file=sys.stderr)


def _asked(options: argparse.Namespace) -> TypedQuestion:
    """The search as the options spell it; the seed is its own, and no policy's. Raises InputError."""
    # Code of a user's own runs because it was named on the command line; the window asks instead.
    allow_named(options.policy)
    base = parse_policy(options.policy, options.estimate)
    # A site is compared with itself as it is, other policies with easy.
    usual = "" if base.site is not None else "easy"
    baseline = usual if options.baseline is None else options.baseline
    allow_named(baseline)
    for metric in (*options.minimize, *options.maximize):
        allow_metric(metric)
    return TypedQuestion(
        tuple(options.minimize),
        tuple(options.maximize),
        ";".join(options.subject_to),
        ";".join(options.vary),
        base.spelling,
        parse_policy(baseline, options.estimate).spelling if baseline else "",
        options.trials,
        0 if options.seed is None else int(parse_value("seed", str(options.seed))),
        options.doubtful,
    )


def _describe(question: Question) -> str:
    bounds = f" subject to {listed_bounds(question)}" if question.bounds else ""
    return ", ".join(map(str, question.objectives)) + bounds


def _lines(question: Question, answer: SearchResult) -> list[str]:
    """One line per policy of the front, the baseline last: metrics on the searched and the judged span."""
    spans = ("searched", "judged")
    rows = [["policy", *(f"{_head(name)} {span}" for name in question.metrics for span in spans), ""]]
    # The searched span stands beside the judged span, where what was found may not hold.
    for checked in (*answer.front, answer.baseline):
        cells = [
            _shown(name, values[name])
            for name in question.metrics
            for values in (checked.trial.values, checked.values)
        ]
        note = (
            "baseline"
            if checked is answer.baseline
            else ""
            if checked.kept
            else "violates a bound when judged"
        )
        rows.append([checked.trial.policy.label, *cells, note])
    return aligned(rows, left=(0, len(rows[0]) - 1))


def _head(name: str) -> str:
    """What heads the column of a metric: of own code the file's name, not its whole path."""
    return name if own_path(name) is None else parse_metric(name).label


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:+,.1f} %" if name == WORST_USER else parse_metric(name).show(value)


def _table(answer: SearchResult, question: Question) -> list[tuple[str, object]]:
    """A row a trial, in the order of trying."""
    values = [
        (name, np.array([np.nan if (v := trial.values[name]) is None else v for trial in answer.trials]))
        for name in question.metrics
    ]
    return [
        ("policy", [trial.policy.spelling for trial in answer.trials]),
        *values,
        ("kept", [int(trial.kept) for trial in answer.trials]),
    ]
