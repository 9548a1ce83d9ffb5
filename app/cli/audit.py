"""The command that checks a schedule, ours or another program's."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.commands import simulated
from app.cli.loading import open_log, policy_of
from app.export.output import print_json
from engine.audit.audit import audit as check
from engine.audit.report import AuditReport, Case, number
from engine.audit.table import ScheduleTable, read_table, recorded_table, table_of
from engine.dates import date_of
from engine.errors import InputError, single_line
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.shown_text import shown_name
from engine.trace import Trace
from engine.words import counted, of_count

RECORDED = "recorded"
"""The word that stands for the log's own schedule where a schedule file is named."""

SIMULATED = "simulated"
"""The word for the schedule that the policy makes, whose decision log is checked too."""


def audit(options: argparse.Namespace) -> bool:
    """Check a schedule and say what it breaks; returns whether nothing is broken. Raises InputError."""
    policy = policy_of(options.policy, options) if options.policy else None
    # A run with a workload of its own has other jobs than the log, which the schedule cannot be compared
    # with.
    if policy is not None and policy.variant:
        raise InputError(
            f"--policy {policy}: schedules are audited against the jobs as logged; leave `with` out"
        )
    # The policy takes part in reading: a site's files say which machine the log is of.
    opened = open_log(options, [policy] if policy is not None else [])
    trace = opened.trace
    cluster = opened.cluster if policy is None else opened.machine(policy)
    if options.schedule == SIMULATED:
        table = table_of(simulated(opened, _simulated_policy(policy), options, log=True, judged=False))
    else:
        table = _table(options.schedule, trace, cluster, policy)
    report = check(table, cluster, policy, options.tolerance)
    if options.json:
        print_json(_document(report, trace, cluster))
    else:
        print("\n".join(_lines(report, trace, cluster)))
    return report.clean


def _simulated_policy(policy: Policy | None) -> Policy:
    if policy is None or not policy.simulated:
        raise InputError(f"{SIMULATED}: name the policy to simulate with --policy")
    return policy


def _table(schedule: str, trace: Trace, cluster: Cluster, policy: Policy | None) -> ScheduleTable:
    if schedule == RECORDED:
        return recorded_table(trace)
    logged = policy is not None and policy.recorded
    return read_table(Path(schedule), trace, cluster=cluster, logged=logged)


def _lines(report: AuditReport, trace: Trace, cluster: Cluster) -> list[str]:
    refused = f", {report.refused:,} too large for the machine" if report.refused else ""
    ran = f"{report.ran:,} of {counted(report.jobs, 'job')}"
    lines = [
        f"{report.source}: {ran} of {trace.shown_name} run on {cluster}{refused}",
        f"clock        {_offset(report)}",
        *_wrapped("checked", report.checked),
        *_wrapped("not checked", report.not_checked),
        *_wrapped("notes", report.notes),
    ]
    # Promises are counted apart from what is broken: a promise may lapse by the rules.
    tally = report.guarantees
    if tally is not None:
        lapsed = f", {tally.lapsed:,} lapsed as a job came that goes first" if tally.lapsed else ""
        lines.append(f"guarantees   {tally.made:,}: {tally.kept:,} kept, {tally.broken:,} broken{lapsed}")
    if report.clean:
        return [*lines, "nothing is broken"]
    for finding in report.findings:
        lines.append(f"{finding.count:>11,} {of_count(finding.count, finding.text)}{finding.how_bad}")
        lines += [f"            {_describe(case, trace)}" for case in finding.cases]
        # Cases are examples: the dots say that there are more.
        if finding.count > len(finding.cases):
            lines.append("            ...")
    return lines


def _offset(report: AuditReport) -> str:
    if not report.offset:
        return f"that of the trace ({report.offset_from})"
    where = "ahead of" if report.offset > 0 else "behind"
    return f"{number(abs(report.offset))} s {where} the trace's ({report.offset_from}), taken off all times"


def _wrapped(title: str, texts: tuple[str, ...]) -> list[str]:
    """A list as lines, an entry on each, with the title before the first."""
    return [f"{title if index == 0 else '':<12} {text}" for index, text in enumerate(texts)]


def _describe(case: Case, trace: Trace) -> str:
    who = "" if case.job is None else f"job {shown_name(case.job)}"
    when = "" if case.time is None else f"{_date(trace, case.time)} ({number(case.time)} s)"
    return ": ".join(part for part in (" ".join(filter(None, (who, when))), single_line(case.text)) if part)


def _date(trace: Trace, seconds: float) -> str:
    """A time to the second; `-` if it is beyond the calendar."""
    moment = date_of(trace, seconds)
    return "-" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _document(report: AuditReport, trace: Trace, cluster: Cluster) -> dict[str, object]:
    document = asdict(report)
    for finding in document["findings"]:
        finding["unit"] = finding["unit"].strip() or None
        for case in finding["cases"]:
            case["date"] = None if case["time"] is None else _date(trace, case["time"])
    return {"trace": trace.name, "cluster": str(cluster), "clean": report.clean, **document}
