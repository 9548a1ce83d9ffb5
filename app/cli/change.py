"""The command `change`: what a change of a site's rules at a date did to waits, by record and model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.cli.commands import simulated
from app.cli.loading import open_log, policy_of
from app.export.output import aligned, print_json
from engine.dates import parse_time
from engine.errors import InputError
from engine.policy.policy import Policy
from engine.report.rule_change import RuleChange, SpanWaits, reported, rule_change
from engine.schedule.accuracy import accuracy_of
from engine.schedule.schedule import Schedule
from engine.shown_text import shown_name
from engine.slurm.scheduler.phases import phase_spread
from views.text.values import duration, signed_percent

_TITLES = (
    *("by", "", "jobs before", "after", "mean wait before", "after", "recorded", "models"),
    *("rules alone", "load alone"),
)


def change(options: argparse.Namespace) -> None:
    """Print recorded waits before and after a date, beside what both sites' models say. Raises InputError."""
    policies = [_site_of(text, options) for text in (options.before, options.after)]
    opened = open_log(options, policies)
    trace = opened.trace
    if not trace.has_recorded_schedule:
        raise InputError(f"{trace.name}: the log does not say when its jobs started: nothing can be compared")
    at = parse_time(options.at, trace)
    first, second = (simulated(opened, policy, options, log=False) for policy in policies)
    before, after = phase_spread(first), phase_spread(second)
    phases = None if before is None or after is None else (before, after)
    found = rule_change(first, second, at, phases)
    if options.json:
        print_json(_document(found, (first, second)))
        return
    print(f"{trace.shown_name}, {policies[0]} before {options.at} and {policies[1]} after it")
    print(found.sentence)
    print("\n".join(aligned([_TITLES, *map(_row, reported(found))], left=[0, 1])))


def _site_of(text: str, options: argparse.Namespace) -> Policy:
    """The policy of a site. Raises InputError for other policies."""
    policy = policy_of(text, options)
    if policy.site is None:
        raise InputError(f"{text}: give the files of a site, site:DIR or a slurm.conf")
    return policy


def _row(group: SpanWaits) -> list[str]:
    changes = (group.recorded_change, group.model_change, group.rules_change, group.load_change)
    return [
        group.by,
        shown_name(group.name),
        *(f"{jobs:,}" for jobs in group.jobs),
        *(duration(wait) for wait in group.recorded),
        *(signed_percent(None if part is None else 100 * part) for part in changes),
    ]


def _document(found: RuleChange, schedules: Sequence[Schedule]) -> dict[str, object]:
    """The change for programs: times in s, changes relative."""
    accuracies = [accuracy_of(schedule) for schedule in schedules]
    return {
        "at": found.at,
        "sentence": found.sentence,
        "weeks": list(found.weeks),
        "interval": None if found.interval is None else [found.interval.low, found.interval.high],
        "rules": None
        if found.rules is None
        else {
            "change": found.rules.change,
            "low": found.rules.low,
            "high": found.rules.high,
            "phases": found.rules.phases,
            "by_chance": found.rules.by_chance,
        },
        "verdicts": [None if accuracy is None else accuracy.verdict for accuracy in accuracies],
        "groups": [
            {
                "by": group.by,
                "name": group.name,
                "jobs": list(group.jobs),
                "recorded": list(group.recorded),
                "first": list(group.first),
                "second": list(group.second),
                "recorded_change": group.recorded_change,
                "model_change": group.model_change,
                "rules_change": group.rules_change,
                "load_change": group.load_change,
            }
            for group in reported(found)
        ],
    }
