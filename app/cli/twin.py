"""The command `twin`: how near a simulated site comes to what its log recorded."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.commands import simulated
from app.cli.loading import open_log
from app.export.output import aligned, print_json
from engine.dates import date_of
from engine.errors import InputError
from engine.metrics.fit import fit_lines, fit_site, fit_verdict, off_on
from engine.metrics.twin import GROUPS, Differing, Nearness, Twin, twin_of
from engine.policy.policy import site_policy
from engine.reading.log import Log
from engine.schedule.schedule import Schedule
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import jobs_touched, parts_left_out
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.words import plural
from views.text.values import duration

_MOST_ROWS = 12
_TITLES = (
    "by",
    "",
    "jobs",
    "mean wait",
    "simulated",
    "off",
    "median",
    "simulated",
    "95 %",
    "simulated",
    "within a cycle",
    "or within 10 %",
)
_JOBS = ("job", "account", "queue", "procs", "waited", "simulated", "now before it", "now behind it")


def twin(options: argparse.Namespace) -> None:
    """Print recorded beside simulated waits. Raises InputError where the log gives no starts."""
    site = site_of(options)
    policy = site_policy(site)
    opened = open_log(options, [policy])
    trace = opened.trace
    if not trace.has_recorded_schedule:
        raise InputError(f"{trace.name}: the log does not say when its jobs started: nothing can be compared")
    schedule = simulated(opened, policy, options, log=False)
    cycle = site.rules(1).bf_interval
    found = twin_of(schedule, cycle)
    if found is None:
        raise InputError(f"{trace.name}: no job ran both by the log and by {site.path}")
    fitted, fit_text = _fitted(opened, schedule, options) if options.fit else ({}, [])
    if options.json:
        print_json(_document(trace, site, found, cycle) | fitted)
    else:
        print("\n".join([*_lines(trace, site, found, cycle), *fit_text]))


def _fitted(
    opened: Log, schedule: Schedule, options: argparse.Namespace
) -> tuple[dict[str, object], list[str]]:
    """The settings fitted to the first half of the log, and the match of the rest, for both outputs."""
    trace, site = schedule.trace, schedule.policy.site
    assert site is not None
    fit = fit_site(site, schedule)
    after = schedule
    if fit.site != site:
        after = simulated(opened, site_policy(fit.site), options, log=False)
    (plain, jobs), (with_it, _) = off_on(schedule, fit.split), off_on(after, fit.split)
    lines = ["", f"Fitted to the jobs submitted before {date_of(trace, fit.split)}:"]
    lines += [*fit_lines(fit), fit_verdict(fit, schedule, after)]
    spelling = site_policy(fit.site).absolute.spelling
    if fit.site != site:
        lines.append(f"To try something on the fitted site, give its policy: -p '{spelling}'")
    document: dict[str, object] = {
        "fit": {
            "split": fit.split,
            "policy": spelling,
            "estimates": [asdict(estimate) for estimate in fit.estimates],
            "held_out": {"jobs": jobs, "off": plain, "off_fitted": with_it},
        }
    }
    return document, lines


def site_of(options: argparse.Namespace) -> Site:
    """The site that the options name; as `--cluster` a `slurm.conf` is the site, and no other machine."""
    if options.site is None and options.cluster:
        options.site, options.cluster = Path(options.cluster), None
    if options.site is None:
        raise InputError("give the site's files: --site DIR, or --cluster slurm.conf")
    return read_site_at(options.site)


def _lines(trace: Trace, site: Site, found: Twin, cycle: int) -> list[str]:
    whole = found.whole
    recorded, simulated = found.makespan
    used, would_use = (f"{100 * share:.1f} %" for share in found.utilization)
    rho = "–" if found.correlation is None else f"{found.correlation:.3f}"
    lines = [
        f"{trace.shown_name} beside {site.path}: {found.verdict}",
        f"makespan {duration(recorded)} recorded, {duration(simulated)} simulated; half of the starts differ "
        f"by {duration(found.start_difference)} or less; {100 * whole.cycle:.0f} % lie within a backfill "
        f"cycle ({duration(cycle)}); rank correlation of waits {rho}; utilization {used} recorded, "
        f"{would_use} simulated",
    ]
    if found.order_kept is not None:
        lines.append(
            f"accounts wait in {'the same' if found.order_kept else 'another'} order by their mean waits"
        )
    rows = [list(_TITLES), _row(whole)]
    for by in GROUPS:
        own = sorted((g for g in found.groups if g.by == by), key=lambda g: -g.jobs if by != "week" else 0)
        rows += [_row(group) for group in own[:_MOST_ROWS]] if len(own) > 1 else []
        if len(own) > _MOST_ROWS:
            rows.append([by, f"{len(own) - _MOST_ROWS:,} more, in --json", *[""] * (len(_TITLES) - 2)])
    lines += ["", *aligned(rows, left=(0, 1))]
    if found.differing:
        lines += ["", "The jobs that differ most:"]
        lines += aligned([list(_JOBS), *(_job_row(trace, job) for job in found.differing)], left=(0, 1, 2))
    if found.unlike:
        lines += ["", "Not modelled:", *(f"{plural(count, 'job')} {text}" for text, count in found.unlike)]
    return lines


def _row(group: Nearness) -> list[str]:
    off = "–" if group.off is None else f"{100 * group.off:+.1f} %".replace("-", "−")
    return [
        group.by or "all",
        group.shown if group.by else "",
        f"{group.jobs:,}",
        duration(round(group.recorded[0])),
        duration(round(group.simulated[0])),
        off,
        duration(round(group.recorded[1])),
        duration(round(group.simulated[1])),
        duration(round(group.recorded[2])),
        duration(round(group.simulated[2])),
        f"{100 * group.cycle:.0f} %",
        f"{100 * group.tenth:.0f} %",
    ]


def _job_row(trace: Trace, found: Differing) -> list[str]:
    job = found.job
    return [
        trace.shown_id(job),
        trace.group.shown[trace.group.codes[job]],
        trace.queue.shown[trace.queue.codes[job]],
        f"{trace.procs[job]:,}",
        duration(found.recorded),
        duration(found.simulated),
        f"{found.passed:,}",
        f"{found.passes:,}",
    ]


def _document(trace: Trace, site: Site, found: Twin, cycle: int) -> dict[str, object]:
    """The comparison for programs; times in s, shares from 0 to 1."""
    jobs = [{**asdict(job), "job": trace.job_id[job.job]} for job in found.differing]
    settings = [
        {"text": part.text, "jobs": jobs_touched(part, trace)} for part in parts_left_out(site, trace)
    ]
    return {
        "trace": trace.name,
        "site": str(site.path),
        "verdict": found.verdict,
        "cycle": cycle,
        "all": asdict(found.whole),
        "groups": [asdict(group) for group in found.groups],
        "wait_correlation": found.correlation,
        "start_difference": found.start_difference,
        "makespan": {"recorded": found.makespan[0], "simulated": found.makespan[1]},
        "utilization": {"recorded": found.utilization[0], "simulated": found.utilization[1]},
        "accounts_in_order": found.order_kept,
        "differing": jobs,
        "not_modelled": {"jobs": dict(found.unlike), "settings": settings},
    }
