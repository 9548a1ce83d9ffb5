"""The audit of the schedules of a report: what was checked, and what breaks the rules of their policies."""

from __future__ import annotations

from engine.audit.audit import audit
from engine.audit.report import AuditFinding
from engine.audit.table import table_of
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.schedule import Schedule
from engine.words import format_count, plural, spaced_thousands

_MEANING = (
    "The audit shares no code with the simulation: it follows each simulated schedule, with the reasons that "
    "were logged, and lists every start, limit, reservation and reason that is not as the policy says."
)
_BROKEN = "Rules that are broken"


def audit_section(compared: Compared) -> Section:
    """A row for each rule that is broken, and for each check, with what the audit says of each simulated run.

    Runs whose jobs are not those of the log, and real schedules, are not audited.
    """
    runs = zip(compared.names, compared.evaluations, strict=True)
    told = {name: _told(run.schedule) for name, run in runs if run.schedule.policy.simulated}
    texts = dict.fromkeys([_BROKEN, *(text for cells in told.values() for text in cells)])
    rows = [["Audit", *told], *([text, *(cells.get(text, "–") for cells in told.values())] for text in texts)]
    tables = [TextTable("audit", "Audit of the simulated schedules", rows)] if told else []
    return Section("Whether the schedules keep their rules", [Statement(words=_MEANING)], tables)


def _told(schedule: Schedule) -> dict[str, str]:
    """What the audit says of a schedule, by the rule that is broken or the check."""
    if schedule.policy.variant:
        return {_BROKEN: "not audited"}
    report = audit(table_of(schedule), schedule.cluster, schedule.policy)
    return {
        _BROKEN: plural(len(report.findings), "rule") if report.findings else "none",
        **{spaced_thousands(finding.text): _count(finding) for finding in report.findings},
        **{spaced_thousands(text): "checked" for text in report.checked},
        **{spaced_thousands(text): "not checked" for text in report.not_checked},
    }


def _count(finding: AuditFinding) -> str:
    """How often a rule is broken, and how badly."""
    return f"{format_count(finding.count)}{spaced_thousands(finding.how_bad)}"
