"""The command `difference`: what moved between two schedules of a trace, and for whom."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from app.cli.commands import all_simulated
from app.cli.loading import check_accounts, measured_jobs, open_log, policy_of
from app.cli.site_runs import shown_places, verdicts_of
from app.export.output import aligned, print_json
from engine.errors import InputError
from engine.metrics.difference import Difference, GroupChanges, difference, group_changes
from engine.metrics.groups import GROUPINGS
from engine.policy.policy import Policy
from engine.report.changes import given_up_rows
from engine.shown_text import format_name
from engine.shown_values import hours
from engine.verdict.moved_claims import moved_text
from views.data.comparison import CHANGES_BY, belief_lines

_TITLES: dict[str, str] = {str(by): title for by, title in CHANGES_BY.items()}
"""What the first column of the table is called, by the groups."""


def compare_two(options: argparse.Namespace) -> None:
    """Print what the second policy changes against the first, by groups of jobs. Raises InputError."""
    if len(options.policy) != 2:
        raise InputError("difference takes two policies: -p FIRST -p SECOND")
    policies = [policy_of(text, options) for text in options.policy]  # raises errors before the trace is read
    opened = open_log(options, policies)
    trace = opened.trace
    check_accounts(trace, options.by)
    measured = measured_jobs(options, trace)
    names = opened.names(policies)
    schedules = all_simulated(opened, policies, options, log=False)
    verdicts = verdicts_of(names, schedules, options)
    shown_places(verdicts, 1, options)  # raises InputError for a what-if that is not shown
    moved = difference(schedules[0], schedules[1], measured)
    answer = moved_text(moved, (names[0], names[1]))
    if options.json:
        facts = [verdicts.facts(place, moved.jobs) for place in (0, 1)]
        change = verdicts.change(0, 1, moved.jobs)
        mean = None if change is None else {**asdict(change), "by_chance": change.by_chance}
        document = _document(moved, answer, policies, options.by)
        print_json({**document, "sites": facts, "wait_mean_change": mean})
    else:
        print("\n".join([f"{names[1]} against {names[0]}", answer, *belief_lines(verdicts, moved)]))
        if rows := _rows(moved, options.by):
            print()
            print("\n".join(aligned(rows, left=[0])))
        for name, jobs in zip(names, moved.given_up, strict=True):
            if jobs:
                titles = [f"given up by {name}", "runs", "processor-seconds lost"]
                print("\n" + "\n".join(aligned([titles, *given_up_rows(schedules[0], jobs)], left=[0])))


def _groups(moved: Difference, by: str) -> tuple[Sequence[str], GroupChanges, list[int]]:
    """The names of groups, what they won and lost, and those with compared jobs, most won first."""
    groups = GROUPINGS[by](moved.second.trace)
    changes = group_changes(groups, moved.jobs, moved.change)
    order = np.argsort(-changes.net, kind="stable")
    return groups.names, changes, [int(code) for code in order if changes.jobs[code] > 0]


def _rows(moved: Difference, by: str) -> list[list[str]]:
    """The titles of the table and a row for each group, as text; empty if no job is compared."""
    names, changes, shown = _groups(moved, by)
    titles = [_TITLES[by], "net wait saved", "saved", "added", "jobs", "earlier", "later"]
    rows = [
        [
            format_name(by, names[code]),
            hours(int(changes.net[code]), signed=True),
            hours(int(changes.won[code])),
            hours(int(changes.lost[code])),
            *(f"{int(count[code]):,}" for count in (changes.jobs, changes.earlier, changes.later)),
        ]
        for code in shown
    ]
    return [titles, *rows] if rows else []


def _document(moved: Difference, answer: str, policies: Sequence[Policy], by: str) -> dict[str, object]:
    """The difference for programs; times are in s."""
    names, changes, shown = _groups(moved, by)
    return {
        "trace": moved.second.trace.name,
        "first": policies[0].spelling,
        "second": policies[1].spelling,
        "answer": answer,
        "jobs": int(moved.jobs.sum()),
        "earlier": int((moved.change < 0).sum()),
        "later": int((moved.change > 0).sum()),
        # A list for each of the two policies, in their order.
        "given_up": [
            [
                {
                    "job": str(moved.second.trace.job_id[each.job]),
                    "runs_stopped": each.runs,
                    "stopped_area": each.area,
                }
                for each in jobs
            ]
            for jobs in moved.given_up
        ],
        "by": by,
        "groups": [
            {
                "name": names[code],
                "jobs": int(changes.jobs[code]),
                "earlier": int(changes.earlier[code]),
                "later": int(changes.later[code]),
                "saved_s": int(changes.won[code]),
                "added_s": int(changes.lost[code]),
                "net_s": int(changes.net[code]),
            }
            for code in shown
        ],
    }
