"""The commands that need no window. Each takes its options and prints or writes what was asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from app.cli.info import cluster_facts, trace_facts
from app.cli.loading import measured_filter, measured_jobs, named_metric, open_log, policy_of
from app.cli.run_notes import say_changes, say_notes
from app.cli.site_runs import (
    accuracy_of_site,
    say_verdict,
)
from app.cli.terminal import show_compiling, watched
from app.export.output import (
    SWF_BEGINS,
    check_output,
    eet_table,
    print_json,
    with_added,
    write_table,
)
from app.work.compile_kernels import fill_cache
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.metrics.evaluation import Evaluation, evaluate
from engine.metrics.summary import summary
from engine.policy.policy import Policy, parse_policy
from engine.policy.share import parse_share
from engine.quantities import Jobs
from engine.quantities.own_quantity import check_columns
from engine.reading.log import Log
from engine.run_source import faults_of, schedules_of
from engine.schedule.schedule import FairBy, Schedule
from engine.shown_text import shown_name
from engine.simulation.control import Control
from engine.simulation.run import reference_schedule
from engine.simulation.stages import Stages
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.trace.scale import what_if_notes
from engine.words import counted

_SCHEDULE_BEGINS = "job_id,user,queue,submit,start,end,"
"""How tables of schedules begin."""


def simulate(options: argparse.Namespace) -> None:
    """Write a schedule to a file, and print its main metrics."""
    policy = policy_of(options.policy, options)  # raises its errors before the trace is read
    begins = SWF_BEGINS if options.output and options.output.suffix == ".swf" else _SCHEDULE_BEGINS
    check_output(options.output, ".csv", ".parquet", ".swf", begins=begins, force=options.force)
    extra = [named_metric(text) for text in options.metric]
    opened = open_log(options, [policy])
    trace = opened.trace
    _refuse_output_over_input(options)
    measure, only = measured_jobs(options, trace), measured_filter(options, trace)
    if only is not None and any(part.field in ("late", "fair_slowdown") for part in only.comparisons()):
        raise InputError("--filter: `simulate` judges no expected ends; ask `compare` or `eet` for late jobs")
    logged = options.json or bool(extra) or options.output is not None  # columns of the file read the log
    schedule = simulated(opened, policy, options, log=logged, fair_by=options.fair_starts)
    if only is not None:
        check_columns((part.field for part in only.comparisons()), [schedule])
        matching = only.mask(Jobs(trace, schedule))
        measure = matching if measure is None else measure & matching
    values = summary(schedule, jobs=measure, extra=[metric.name for metric in extra], penalty=options.penalty)
    refuse_nothing_measured(values, options)
    if options.output is not None:
        _refuse_output_over_input(options)  # again, since the simulation has read files of the policy
        _write_schedule(schedule, options)
    if options.json:
        print_json(asked_document(opened, [run_facts(options.policy, schedule, values)], options))
        return
    refused = f", {values['refused']:,} too large for the machine" if values["refused"] else ""
    given_up = f", {values['given_up']:,} given up" if values["given_up"] else ""
    took = f"{schedule.seconds * 1000:.1f} ms"
    print(f"{opened.name(policy)}: {counted_jobs(values['ran'])} run{refused}{given_up} ({took})")
    if given_up:
        print(_given_up(schedule))
    wait, used = values["wait_mean"], values["utilization"]
    if wait is not None and used is not None:
        measured = f"{counted_jobs(values['jobs'])}{measured_words(options)}"
        print(f"mean wait {wait:,.1f} s, utilization {100 * used:.1f} %, of {measured}")
    for metric in extra:
        print(f"{metric.label} {metric.show(values[metric.name])} {metric.unit}".rstrip())


def _given_up(schedule: Schedule, most: int = 10) -> str:
    """A line that names the jobs that failures stopped too often, the first of many."""
    jobs = np.flatnonzero(schedule.given_up)
    names = ", ".join(schedule.trace.shown_id(job) for job in jobs[:most])
    more = f" and {len(jobs) - most:,} more" if len(jobs) > most else ""
    if schedule.policy.on_failure == "lose":
        return f"lost to failures: {names}{more}"
    return f"given up after {counted(schedule.policy.max_restarts, 'restart')}: {names}{more}"


def eet(options: argparse.Namespace) -> None:
    """Print expected end times of a schedule."""
    check_output(options.output, ".csv", ".parquet", begins="job_id,user,eet,", force=options.force)
    share = parse_share(options.share)
    policy = policy_of(options.policy, options) if options.policy else None
    opened = open_log(options, [policy] if policy is not None else [])
    trace = opened.trace
    _refuse_output_over_input(options)
    measure, only = measured_jobs(options, trace), measured_filter(options, trace)
    if policy is None:
        policy = parse_policy("recorded" if trace.has_recorded_schedule else "easy", options.estimate)
    schedule = simulated(opened, policy, options, log=options.json)
    if only is not None:
        check_columns((part.field for part in only.comparisons()), [schedule])
    reference = reference_schedule(trace, opened.cluster, [schedule])
    (evaluation,) = evaluate([schedule], share, reference, measure, only=only)
    refuse_nothing_measured(evaluation.summary, options)
    if options.output is not None:
        _refuse_output_over_input(options)
        write_table(eet_table(evaluation), options.output)
    values = evaluation.summary
    if options.json:
        document = asked_document(opened, [run_facts(str(policy), schedule, values)], options)
        print_json({**document, "share": share.spelling})
        return
    late, jobs, always = values["violated_jobs"] or 0, values["jobs"], values["veet_all"] or 0
    of_jobs = f"{late:,} of {counted_jobs(jobs)}{measured_words(options)}"
    print(f"{opened.name(policy)}, share {share}: {of_jobs} ended late", end="")
    print(f"; median user {values['veet_median'] or 0:.1f} %, {counted(int(always), 'user')} always")
    for line in _worst_users(evaluation):
        print(line)


def simulated(
    opened: Log,
    policy: Policy,
    options: argparse.Namespace,
    *,
    log: bool,
    fair_by: FairBy | None = None,
    judged: bool = True,
) -> Schedule:
    """Simulate on the policy's machine, with progress on a terminal.

    `log` where metrics of the decision log are shown; `judged` tells how near a site's model is to the log.
    """
    [schedule] = all_simulated(opened, [policy], options, log=log, fair_by=fair_by)
    if judged:
        name = opened.name(policy)
        say_verdict(site_verdicts([name], [schedule], {}, partial(accuracy_of_site, options)), options)
    return schedule


def all_simulated(
    opened: Log,
    chosen: Sequence[Policy],
    options: argparse.Namespace,
    *,
    log: bool,
    fair_by: FairBy | None = None,
) -> list[Schedule]:
    """Simulate policies, each on its machine and on all cores, with progress on a terminal."""
    if any(policy.simulated for policy in chosen) and show_compiling(options.quiet):
        fill_cache()
    if not options.quiet:
        for policy in chosen:
            for text in faults_of(opened.trace, opened.machine(policy), policy) if policy.file else ():
                print(f"{policy}: {text} (see `batchscope audit` for details)", file=sys.stderr)
    stages = Stages(Control(), len(chosen))

    def work() -> list[Schedule]:
        fair = fair_by is not None
        runs = [(opened.machine(policy), policy) for policy in chosen]
        return schedules_of(
            opened.trace, runs, log=log, fair_starts=fair, fair_by=fair_by or "estimate", stages=stages
        )

    what = opened.name(chosen[0]) if len(chosen) == 1 else counted(len(chosen), "run")
    schedules = watched(stages, what, options, work)
    if not options.quiet:
        say_changes(opened.trace.name, what_if_notes(opened.trace))
        for policy, schedule in zip(chosen, schedules, strict=True):
            say_notes(schedule, policy, opened.name(policy))
    return schedules


def _refuse_output_over_input(options: argparse.Namespace) -> None:
    """Raise InputError where the output would replace what was read."""
    if options.output is not None:
        refuse_inputs(options.output)


def _write_schedule(schedule: Schedule, options: argparse.Namespace) -> None:
    if options.output.suffix == ".swf":
        from engine.schedule.write import write_swf

        write_swf(schedule, options.output)
    else:
        from engine.quantities.job_table import schedule_table

        write_table(with_added(schedule_table(schedule), schedule), options.output)
    if not options.quiet:
        print(f"wrote {options.output}", file=sys.stderr)


def counted_jobs(number: float | None) -> str:
    """`1 job`, `2 jobs` of a value of a summary."""
    return counted(int(number or 0), "job")


def _worst_users(evaluation: Evaluation, most: int = 5) -> list[str]:
    """Lines about the users with the largest weighted tardiness."""
    users = evaluation.users
    late, weighted = users["violated_jobs"], users["wt"]
    worst = np.argsort(-weighted, kind="stable")[:most]
    return [
        f"  user {shown_name(users.names[user])}: {late[user]:,.0f} of "
        f"{counted(int(users.jobs[user]), 'job')} late, "
        f"weighted tardiness {weighted[user]:,.0f} processor-seconds"
        for user in worst
        if weighted[user] > 0
    ]


def measured_words(options: argparse.Namespace) -> str:
    """Words that a title adds where only some jobs are measured, or what is measured is not the usual."""
    span = f" submitted in {options.measure}" if options.measure is not None else ""
    fair = ", fair starts by actual runtimes" if getattr(options, "fair_starts", None) == "actual" else ""
    penalty = getattr(options, "penalty", "max")
    weighed = f", normalized waits by penalty {penalty}" if penalty != "max" else ""
    return (
        span + (f" under the filter {options.filter}" if options.filter is not None else "") + fair + weighed
    )


def in_all(schedules: Sequence[Schedule]) -> str:
    """Words that a title adds where some run leaves out jobs, or adds some: neither are measured."""
    left_out = any(schedule.trace.left_out is not None for schedule in schedules)
    added = any(schedule.trace.copies is not None for schedule in schedules)
    return (" that no run leaves out" if left_out else "") + (
        ", without those that a run adds" if added else ""
    )


def refuse_nothing_measured(values: Mapping[str, float | int | None], options: argparse.Namespace) -> None:
    """Raise InputError where jobs were chosen to be measured, and none of them was run (by all policies)."""
    conditions = [f"--{name} {value}" for name in ("measure", "filter") if (value := getattr(options, name))]
    if conditions and not values["jobs"]:
        raise InputError(f"{' '.join(conditions)}: there is nothing to measure, no such job was run")


def asked_document(
    opened: Log, runs: Sequence[dict[str, object]], options: argparse.Namespace
) -> dict[str, object]:
    """The facts of runs as JSON, with their trace, machine and measured jobs."""
    return {
        "trace": trace_facts(opened.trace, opened.cluster),
        "cluster": cluster_facts(opened.trace, opened.cluster),
        "measure": options.measure,
        "filter": options.filter,
        "fair_starts": getattr(options, "fair_starts", None),
        "runs": list(runs),
    }


def run_facts(text: str, schedule: Schedule, values: dict[str, float | int | None]) -> dict[str, object]:
    """What JSON says of a run; `text` is its policy as it was asked for."""
    policy = schedule.policy
    return {
        "policy": _asked(text, policy),
        "estimate": str(policy.estimate) if policy.simulated else None,
        "machine": schedule.cluster.spelling,
        "metrics": values,
        "seconds": round(schedule.seconds, 6),
    }


def _asked(text: str, policy: Policy) -> str:
    """The policy as it was asked for, without the usual estimate; or whole, if it is none without."""
    try:
        return parse_policy(text, seed=policy.seed).spelling
    except InputError:  # of a slurm.conf, too
        return policy.spelling
