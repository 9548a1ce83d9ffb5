"""The command `waits`: what waits are made of, by groups of jobs."""

from __future__ import annotations

import argparse
import sys

from app.cli.commands import simulated
from app.cli.loading import measured_filter, measured_jobs, open_log, policy_of
from app.export.output import aligned, check_output, print_json, write_table
from engine.answer.inferred_reasons import why_untold
from engine.filter.expression import match_any
from engine.input import refuse_inputs
from engine.metrics.waits import GroupWaits, parse_by, waits_of
from engine.metrics.waits_words import waits_sentence
from engine.policy.policy import parse_policy
from engine.quantities import Jobs
from engine.quantities.job_table import Table
from engine.shown_text import format_name
from views.text.values import duration

_NAMED = {"partition": "queue", "account": "account", "user": "user"}


def waits_rows(waits: GroupWaits) -> list[list[str]]:
    """The titles and a row for each group: its jobs that waited, their waits, and shares in %; or nothing."""
    if not len(waits.seconds):
        return []
    shown = waits.shown
    titles = [*waits.by, "jobs", "waits", *(f"{waits.kinds[kind]} %" for kind in shown)]
    rows = [
        [
            *(_name(field, name) for field, name in zip(waits.by, waits.names[k], strict=True)),
            f"{int(waits.jobs[k]):,}",
            duration(float(waits.seconds[k])),
            *(f"{100 * waits.shares[k, kind]:.1f}" for kind in shown),
        ]
        for k in range(len(waits.seconds))
    ]
    return [titles, *rows]


def _name(field: str, name: str) -> str:
    return format_name(_NAMED[field], name) if field in _NAMED else name


def waits_table(waits: GroupWaits) -> Table:
    """A row for each group: its names, jobs that waited, their waits, and the s of each kind of reason."""
    of_names = [(field, [names[k] for names in waits.names]) for k, field in enumerate(waits.by)]
    parts = [(f"{kind.replace(' ', '_')}_s", waits.parts[:, place]) for place, kind in enumerate(waits.kinds)]
    return [*of_names, ("jobs", waits.jobs), ("wait_s", waits.seconds), *parts]


def waits_facts(waits: GroupWaits) -> dict[str, object]:
    """The waits for programs; times in s."""
    groups = [
        {
            **dict(zip(waits.by, waits.names[k], strict=True)),
            "jobs": int(waits.jobs[k]),
            "wait_s": int(waits.seconds[k]),
            "parts_s": dict(zip(waits.kinds, waits.parts[k].tolist(), strict=True)),
        }
        for k in range(len(waits.seconds))
    ]
    return {"by": list(waits.by), "inferred": waits.inferred, "groups": groups}


_BEGINS = "(account|partition|user|week)[a-z,]*,jobs,wait_s,"
"""How its tables begin."""


def waits(options: argparse.Namespace) -> None:
    """Print the waits of groups of jobs, and the share of each kind of reason. Raises InputError."""
    check_output(options.output, ".csv", ".parquet", begins=_BEGINS, force=options.force)
    by = parse_by(options.by)
    policy = policy_of(options.policy, options) if options.policy else None
    opened = open_log(options, [policy] if policy is not None else [])
    trace = opened.trace
    if policy is None:
        policy = parse_policy("recorded" if trace.has_recorded_schedule else "easy", options.estimate)
    jobs, only = measured_jobs(options, trace), measured_filter(options, trace)
    # The log of decisions has the reasons of each wait, and so is always kept here.
    schedule = simulated(opened, policy, options, log=True)
    # The filter may ask for results of this very schedule, so it is applied after the simulation.
    if only is not None:
        chosen = match_any(only, [Jobs(trace, schedule)])
        jobs = chosen if jobs is None else jobs & chosen
    answer = waits_of(schedule, by, jobs)
    sentence = waits_sentence(schedule, answer)
    if options.output is not None:
        refuse_inputs(options.output)
        write_table(waits_table(answer), options.output)
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    if options.json:
        print_json({"trace": trace.name, "policy": str(policy), "answer": sentence, **waits_facts(answer)})
    elif options.output is None:
        print(f"{opened.name(policy)}: {sentence or 'no job waited.'}")
        if rows := waits_rows(answer):
            print()
            print("\n".join(aligned(rows, left=range(len(by)))))
            if answer.inferred:
                print(f"\nInferred, since {why_untold(schedule)}: from what seems to have been free.")
