"""The command that searches the best configuration, and checks whether it is really better."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

import numpy as np

from app.cli.loading import open_log, policy_of
from app.cli.options import refuse_given
from app.cli.terminal import progress_bar, show_compiling, warn_of_open_scheduler
from app.export.output import aligned, check_output, print_json, write_table
from app.work.compile_kernels import fill_cache
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.metrics.named import parse_metric
from engine.policy.policy import parse_policy, parse_value
from engine.policy.share import parse_share
from engine.search.answer import Answer, CheckedTrial
from engine.search.question import WORST_USER, Objective, Question, parse_bound, parse_objective
from engine.search.search import search
from engine.search.space import parse_space
from engine.search.verdict import listed_bounds, verdict
from engine.slurm.export.pasted import text_to_paste
from engine.sweep.runners import runner_at
from engine.words import plural
from views.text.values import NOTHING


def search_policies(options: argparse.Namespace) -> None:
    """Search, print the front on both spans, and the gain of the best policy. Raises InputError."""
    objectives = tuple(
        parse_objective(text, large)
        for texts, large in ((options.minimize, False), (options.maximize, True))
        for text in texts
    )
    if not objectives:
        raise InputError("--minimize or --maximize: name a metric, like --minimize wait_mean")
    bounds = tuple(map(parse_bound, options.subject_to))
    share = parse_share(options.share)
    check_output(options.output, ".csv", ".parquet")
    refuse_given(options, "a search measures spans of its own", "measure")
    seed = 0 if options.seed is None else int(parse_value("seed", str(options.seed)))
    seedless = argparse.Namespace(**{**vars(options), "seed": None})  # the seed is the search's own
    base = policy_of(options.policy, seedless)
    usual = base if base.site is not None else parse_policy("easy", options.estimate)
    given = [base, usual if options.baseline is None else policy_of(options.baseline, seedless)]
    space = parse_space(options.vary, given[0])
    question = Question(given[0], space, objectives, bounds, given[1])  # raises errors before it is read
    opened = open_log(options, given)
    trace, cluster = opened.trace, opened.cluster
    if options.output is not None:
        refuse_inputs(options.output)
    if show_compiling(options.quiet):
        fill_cache()
    warn_of_open_scheduler(options)
    with runner_at(options.scheduler) as making, progress_bar(f"{options.trials:,} trials", options) as show:
        answer = search(
            trace,
            cluster,
            question,
            share=share,
            trials=options.trials,
            seed=seed,
            report=show,
            runner=making,
            asked=opened.asked,
        )
    if options.output is not None:
        write_table(_table(answer, question), options.output)
    if options.json:
        print_json(_document(trace.name, question, answer))
        return
    print(f"{trace.shown_name} on {cluster}: {plural(len(answer.trials), 'trial')} to {_describe(question)}")
    print("searched on the first two thirds of the time, judged on the last third\n")
    print("\n".join(_lines(question, answer)))
    print(f"\n{verdict(question, answer)}")
    if question.base.site is not None and answer.front:
        print(f"\nTo paste:\n{text_to_paste(answer.front[0].trial.policy)}", end="")
    if options.output is not None and not options.quiet:
        print(f"wrote {options.output}", file=sys.stderr)


def _describe(question: Question) -> str:
    bounds = f" subject to {listed_bounds(question)}" if question.bounds else ""
    return ", ".join(map(str, question.objectives)) + bounds


def _lines(question: Question, answer: Answer) -> list[str]:
    """One line per policy of the front, the baseline last: metrics on the searched and the judged span."""
    spans = ("searched", "judged")
    rows = [["policy", *(f"{name} {span}" for name in question.metrics for span in spans), ""]]
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


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:+,.1f} %" if name == WORST_USER else parse_metric(name).show(value)


def _table(answer: Answer, question: Question) -> list[tuple[str, object]]:
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


def _document(name: str, question: Question, answer: Answer) -> dict[str, object]:
    return {
        "trace": name,
        "objectives": list(map(_objective, question.objectives)),
        "bounds": list(map(str, question.bounds)),
        "tried": len(answer.trials),
        "front": list(map(_judged, answer.front)),
        "baseline": _judged(answer.baseline),
        "advantages": [None if advantage is None else asdict(advantage) for advantage in answer.advantages],
        "shown": answer.shown(question.objectives),
        "to_paste": text_to_paste(answer.front[0].trial.policy).splitlines() if answer.front else [],
        "verdict": verdict(question, answer),
    }


def _objective(objective: Objective) -> dict[str, str]:
    return {"metric": objective.metric, "goal": "maximize" if objective.large else "minimize"}


def _judged(trial: CheckedTrial) -> dict[str, object]:
    return {
        "policy": trial.trial.policy.spelling,
        "searched": trial.trial.values,
        "judged": trial.values,
        "kept": trial.kept,
    }
