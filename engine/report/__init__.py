"""The text of a report: statements about compared runs in plain words with measured numbers."""

from engine.policy.baseline import against_real
from engine.report.beliefs import beliefs, calibration
from engine.report.capacity import capacity
from engine.report.changes import changes, noise
from engine.report.ends import ends
from engine.report.fair_starts import fair_starts
from engine.report.longest import longest_waits
from engine.report.ranking import ranking
from engine.report.section import Compared, Section, Statement, TextTable
from engine.report.used_section import used
from engine.report.verdict import verdict
from engine.report.waits import waits

__all__ = ["Compared", "Section", "Statement", "TextTable", "sections_of"]


def sections_of(compared: Compared) -> list[Section]:
    """All sections for these runs; sections that need two runs are left out for a single run."""
    several = [ranking, changes, noise] if len(compared.names) > 1 else []
    if compared.verdicts.reference is not None or compared.hidden:
        several.insert(0, beliefs)
    several.insert(0, verdict)
    if against_real([evaluation.schedule.policy for evaluation in compared.evaluations]):
        several.insert(0, calibration)
    known = any(evaluation.schedule.fair_start is not None for evaluation in compared.evaluations)
    fair = [fair_starts] if known else []
    return [section(compared) for section in (*several, ends, *fair, capacity, waits, longest_waits, used)]
