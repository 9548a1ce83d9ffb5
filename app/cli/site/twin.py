"""The command `twin`: how near a simulated site comes to what its log recorded."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.loading import open_log
from app.cli.terminal import show_compiling, watched
from app.export.output import aligned, print_json
from app.work.compile_kernels import fill_cache
from engine import api
from engine.claims.words import plain, render
from engine.dates import date_of
from engine.errors import InputError
from engine.metrics.site_twin import SiteTwin
from engine.metrics.twin import GROUPS, Differing, Nearness
from engine.metrics.twin_words import unlike_claims
from engine.policy.policy import site_policy
from engine.simulation.control import Control
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.trace import Trace
from views.text.values import duration

_MOST_ROWS, _MOST_JOBS = 12, 10
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
    "or 10 % of wait",
)
_JOBS = (
    "job",
    "account",
    "queue",
    "procs",
    "waited",
    "simulated",
    "now before it",
    "now behind it",
    "waits mostly",
)


def twin(options: argparse.Namespace) -> None:
    """Print recorded beside simulated waits. Raises InputError where the log gives no starts."""
    # The policy of the site takes part in reading: it names the machine.
    site = site_of(options)
    policy = site_policy(site)
    opened = open_log(options, [policy])
    if show_compiling(options.quiet):
        fill_cache()
    control = Control()
    site_twin = watched(
        control,
        opened.name(policy),
        options,
        lambda: api.twin(opened, site, fit=options.fit, control=control),
    )
    if options.json:
        print_json(site_twin.facts())
    else:
        print("\n".join([*_lines(site_twin.plain or site_twin), *_fit_text(site_twin)]))


def _fit_text(site_twin: SiteTwin) -> list[str]:
    """The settings fitted to the first half of the log, and the match of the rest."""
    if site_twin.fit is None:
        return []
    lines = ["", f"Fitted to the jobs submitted before {date_of(site_twin.trace, site_twin.fit.split)}:"]
    lines += site_twin.fit_lines()
    if site_twin.fit.site != site_twin.fit.plain:
        lines.append(f"To try something on the fitted site, give its policy: -p '{site_twin.spelling}'")
    return lines


def site_of(options: argparse.Namespace) -> Site:
    """The site that the options name; as `--cluster` a `slurm.conf` is the site, and no other machine."""
    if options.site is None and options.cluster:
        options.site, options.cluster = Path(options.cluster), None
    if options.site is None:
        raise InputError("give the site's files: --site DIR, or --cluster slurm.conf")
    return read_site_at(options.site)


def _lines(twin: SiteTwin) -> list[str]:
    trace, site_twin = twin.trace, twin.twin
    lines = [f"{trace.shown_name} beside {twin.site.path}: {site_twin.verdict}", twin.nearness]
    rows = [list(_TITLES), _row(site_twin.whole)]
    # Groups are listed by size, weeks by time; a single group says the same as the whole.
    for by in GROUPS:
        groups = sorted(
            (g for g in site_twin.groups if g.by == by), key=lambda g: -g.jobs if by != "week" else 0
        )
        rows += [_row(group) for group in groups[:_MOST_ROWS]] if len(groups) > 1 else []
        if len(groups) > _MOST_ROWS:
            rows.append([by, f"{len(groups) - _MOST_ROWS:,} more, in --json", *[""] * (len(_TITLES) - 2)])
    lines += ["", *aligned(rows, left=(0, 1))]
    if site_twin.differing:
        lines += ["", "The jobs that differ most:"]
        lines += aligned(
            [list(_JOBS), *(_job_row(trace, job) for job in site_twin.differing[:_MOST_JOBS])],
            left=(0, 1, 2, 8),
        )
    if site_twin.unlike:
        unlike = unlike_claims(twin.schedule, site_twin)
        lines += ["", "Not modelled:", *(plain(render(claim)) for claim in unlike)]
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


def _job_row(trace: Trace, differing: Differing) -> list[str]:
    job = differing.job
    return [
        trace.shown_id(job),
        trace.group.shown[trace.group.codes[job]],
        trace.queue.shown[trace.queue.codes[job]],
        f"{trace.procs[job]:,}",
        duration(differing.recorded),
        duration(differing.simulated),
        f"{differing.passed:,}",
        f"{differing.passes:,}",
        differing.why,
    ]
