"""Lost capacity, the reasons of the longest waits, and the used part of requested resources."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.answer.inferred import infer_wait, why_untold
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision
from engine.trace import MISSING, Trace
from engine.words import format_count, format_seconds, plural

Mask = NDArray[np.bool_]

_REASONS: dict[Decision | None, str] = {
    None: "before the next scheduling pass",
    Decision.CPUS: "short of processors",
    Decision.RAM: "short of RAM",
    Decision.FRAGMENTED: "enough was free, but scattered over the nodes",
    Decision.RESERVATION: "kept free for another job's reservation",
    Decision.LIMIT: "a limit of the policy",
    Decision.BEHIND: "behind other jobs of the queue",
    Decision.STOPPED: "stopped by failures of nodes",
    Decision.PREEMPTED: "preempted by other jobs",
    Decision.UNTOLD: "not recorded",
    Decision.UNTRIED: "not tried by the pass",
    Decision.PRIORITY: "behind other jobs by priority",
    Decision.RESOURCE: "short of another resource",
    Decision.NODES: "short of nodes with enough on each",
    Decision.CLEANING: "nodes were cleaned up after other jobs",
    Decision.CLOSED: "nodes kept for a reservation of the site, or away",
    Decision.OUTSIDE: "the time of its own reservation",
    Decision.SITE_LIMIT: "a limit of the site",
    Decision.DEPENDENCY: "dependencies on other jobs",
    Decision.BEGIN: "its begin time",
    Decision.HELD: "held by its user or an admin",
    Decision.DOWN: "its partition was down",
}

_LONGEST, _FEWEST, _MOST = 0.01, 10, 200
"""The longest waits: this share of the jobs, but at least _FEWEST and at most _MOST."""


def capacity(compared: Compared) -> Section:
    """The used and lost parts of the machine's time under each run."""
    statements = []
    rows = [["Run", "Used, %", "Idle and asked for, %", "Idle while a job asked for no more, %"]]
    for name, evaluation in zip(compared.names, compared.evaluations, strict=True):
        values = evaluation.summary
        used, demand, fit = (
            values[key] for key in ("utilization", "loss_of_capacity_demand", "loss_of_capacity_fit")
        )
        rows.append(
            [name, *("–" if value is None else f"{100 * value:.1f}" for value in (used, demand, fit))]
        )
        if used is None or demand is None or fit is None:
            continue
        text = (
            f"{name}: {100 * used:.1f} % of the machine's time was used. Waiting jobs asked for "
            f"{100 * demand:.1f} % that idled. Counted with all that was idle beside it, {100 * fit:.1f} % "
            "idled while some waiting job asked for no more processors than were idle on all nodes together, "
            "whether or not its partition, memory, limits or order let it start"
        )
        fragmented = values["loss_of_capacity_fragmented"]
        if fragmented:
            text += f"; for {100 * fragmented:.1f} % no such job could be placed on the nodes"
        statements.append(Statement(words=f"{text}.", figure="timeline"))
    caption = (
        "Parts of the machine's time between the first submission and the last end; the last two are counted "
        "in different ways, and neither is a part of the other"
    )
    return Section("Where capacity was lost", statements, [TextTable("capacity", caption, rows)])


def longest_waits(compared: Compared) -> Section:
    """The reasons of the longest waits under each run."""
    statements = []
    rows = [["Run", "Waited for", "Share of these waits, %"]]
    for name, evaluation in zip(compared.names, compared.evaluations, strict=True):
        jobs = _longest(evaluation)
        if not len(jobs):
            statements.append(Statement(words=f"{name}: no job waits.", figure="scatter"))
            continue
        wait = evaluation.schedule.wait[jobs]
        head = (
            f"{name}: the {plural(len(jobs), 'longest wait')} ({format_seconds(int(wait.mean()))} on average)"
        )
        shares = _shares(evaluation, jobs)
        if not shares:
            statements.append(Statement(words=f"{head}: no reasons were recorded.", figure="scatter"))
            continue
        words = ", ".join(f"{share:.0f} % {text}" for text, share in shares[:3] if share >= 0.5)
        widths = evaluation.schedule.procs
        own, usual = (round(float(np.median(widths[which]))) for which in (jobs, evaluation.jobs))
        width = f"Half of them hold at least {plural(own, 'processor')}, of all jobs {format_count(usual)}."
        hedge = f" Inferred from starts and ends, since {why}." if (why := _untold(evaluation)) else ""
        statements.append(Statement(words=f"{head}: {words}. {width}{hedge}", figure="scatter"))
        rows += [[name, text, f"{share:.1f}"] for text, share in shares]
    tables = [TextTable("longest-waits", "Reasons of the longest waits", rows)] if len(rows) > 1 else []
    return Section("What explains the longest waits", statements, tables)


def _longest(evaluation: Evaluation) -> NDArray[np.int64]:
    """The jobs that waited longest, longest first."""
    jobs = np.flatnonzero(evaluation.jobs & (evaluation.schedule.wait > 0))
    many = min(max(round(_LONGEST * int(evaluation.jobs.sum())), _FEWEST), _MOST)
    return jobs[np.argsort(-evaluation.schedule.wait[jobs], kind="stable")][:many]


def _untold(evaluation: Evaluation) -> str:
    """Why a run has no reasons; empty if it has."""
    return why_untold(evaluation.schedule)


def _shares(evaluation: Evaluation, jobs: NDArray[np.int64]) -> list[tuple[str, float]]:
    """Reasons of the waits of jobs, with their share of all of it in %, the largest first."""
    seconds: dict[str, int] = {}
    for job in jobs.tolist():
        if _untold(evaluation):
            found = infer_wait(evaluation.schedule, job)
            parts = [] if found is None else [
                ("too few processors seem to have been idle", found.short),
                ("too little RAM seems to have been free", found.ram_short),
                ("enough seem to have been idle", found.idle),
            ]  # fmt: skip
        else:
            causes = explain(evaluation.schedule, job).summary
            parts = [(_REASONS.get(cause.kind, "other"), cause.seconds) for cause in causes]
        for text, much in parts:
            seconds[text] = seconds.get(text, 0) + much
    total = sum(seconds.values())
    ordered = sorted(seconds.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(text, 100 * much / total) for text, much in ordered if much] if total else []


def used(compared: Compared) -> Section:
    """The use of requested time, RAM and processors by users, as recorded in the log."""
    trace, jobs = compared.trace, compared.base.jobs
    limited = np.ones(len(trace), np.bool_) if trace.limited is None else trace.limited
    there = jobs & limited & (trace.walltime != MISSING)
    if not there.any() or bool((trace.walltime == trace.runtime)[there].all()):
        return Section(
            "Used against requested",
            [Statement(words="The log does not give the walltimes that jobs requested.")],
        )
    asked = (trace.procs * trace.walltime)[there].astype(np.float64)
    ran = (trace.procs * trace.runtime)[there].astype(np.float64)
    part = 100 * trace.runtime[there] / np.maximum(trace.walltime[there], 1)
    median = f"half of the jobs run for at most {np.median(part):.0f} % of their walltime"
    statements = [
        Statement(
            words=f"Of the processor time that walltimes reserved, {100 * ran.sum() / asked.sum():.0f} % was "
            f"used; {median}.",
            figure="scatter",
        )
    ]
    codes = trace.user.codes[there]
    unused = np.bincount(codes, asked - ran, len(trace.user.names))
    reserved = np.bincount(codes, asked, len(trace.user.names))
    many = np.bincount(codes, minlength=len(trace.user.names))
    worst = [int(user) for user in np.argsort(-unused, kind="stable")[:10] if unused[user] > 0]
    rows = [["User", "Jobs", "Requested, processor-h", "Used, processor-h", "Used, %"]]
    for user in worst:
        took = reserved[user] - unused[user]
        rows.append(
            [
                trace.user.shown[user],
                format_count(int(many[user])),
                format_count(reserved[user] / 3600),
                format_count(took / 3600),
                f"{100 * took / reserved[user]:.0f}",
            ]
        )
    if worst:
        user = worst[0]
        text = (
            f"User {trace.user.shown[user]} left most unused: {format_count(unused[user] / 3600)} "
            f"processor-hours, {100 * unused[user] / reserved[user]:.0f} % of what the walltimes of "
            f"{plural(int(many[user]), 'job')} asked for."
        )
        statements.append(Statement(words=text, figure="scatter"))
    statements += [Statement(words=text, figure="scatter") for text in _measured_use(trace, jobs)]
    caption = "The users who left most of what their walltimes asked for unused"
    return Section("Used against requested", statements, [TextTable("used", caption, rows)] if worst else [])


def _measured_use(trace: Trace, jobs: Mask) -> list[str]:
    """The measured use of processors and RAM, if the log has it."""
    lines = []
    if trace.cpu_used is not None and (known := jobs & (trace.cpu_used >= 0)).any():
        held = (trace.recorded_procs * trace.recorded_runtime)[known].sum(dtype=np.float64)
        if held > 0:
            share = 100 * trace.cpu_used[known].sum() / held
            lines.append(f"Processors that jobs held were busy {share:.0f} % of the time.")
    if trace.ram_used is not None and (known := jobs & (trace.ram_used >= 0) & (trace.ram > 0)).any():
        if trace.ram_of_use is not None:
            known &= ~trace.ram_of_use
        asked = float(trace.ram[known].sum())
        if asked > 0:
            share = 100 * float(trace.ram_used[known].sum()) / asked
            lines.append(f"Of the RAM that jobs asked for, {share:.0f} % was used at most at once.")
    return lines
