"""The command `change`: what a change of a site's rules at a date did to waits, by record and model."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from functools import partial

from app.cli.loading import open_log, policy_of
from app.cli.terminal import show_compiling, watched
from app.export.output import aligned, print_json
from app.work.compile_kernels import fill_cache
from engine.policy.policy import Policy
from engine.reading.log import Log
from engine.report.changed_site import ChangedSite, check_sites, site_change
from engine.report.rule_change import reported
from engine.simulation.control import Control
from engine.simulation.stages import Stages
from engine.slurm.scheduler.phases import PhasedChange
from views.data.change_look import ChangeLook


def change(options: argparse.Namespace) -> None:
    """Print recorded waits before and after a date, beside what both sites' models say. Raises InputError."""
    policies = sites_of(options)
    look = change_of(open_log(options, policies), policies, options)
    if options.json:
        print_json(_document(look.answer))
        return
    print(look.title)
    print(look.answer.sentence)
    print("\n".join(aligned(look.rows(brief=True), left=[0, 1])))


def sites_of(options: argparse.Namespace) -> tuple[Policy, Policy]:
    """The sites of `--before` and `--after`. Raises InputError for other policies."""
    before, after = (policy_of(text, options) for text in (options.before, options.after))
    check_sites(before, after)
    return before, after


def change_of(opened: Log, policies: tuple[Policy, Policy], options: argparse.Namespace) -> ChangeLook:
    """The change from the first to the second site at the date of `--at`, with progress on a terminal.

    How near both models come to the record is printed to standard error. Raises InputError.
    """
    if show_compiling(options.quiet):
        fill_cache()
    stages = Stages(Control())
    work = partial(site_change, opened, options.at, *policies, stages)
    look = ChangeLook(
        options.at, (str(policies[0]), str(policies[1])), watched(stages, "both rules", options, work)
    )
    if not options.quiet:
        for verdict in look.verdicts:
            print(verdict, file=sys.stderr)
    return look


def _document(answer: ChangedSite) -> dict[str, object]:
    """The change for programs: times in s, changes relative."""
    changed = answer.change
    return {
        "at": changed.at,
        "sentence": changed.sentence,
        "weeks": list(changed.weeks),
        "interval": None if changed.interval is None else [changed.interval.low, changed.interval.high],
        "rules": _phased(changed.rules),
        "load": _phased(changed.load),
        "verdicts": list(answer.verdicts),
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
            for group in reported(changed)
        ],
    }


def _phased(change: PhasedChange | None) -> dict[str, object] | None:
    """A change with its spread over phases, relative; None where there are no phases."""
    return None if change is None else {**asdict(change), "by_chance": change.by_chance}
