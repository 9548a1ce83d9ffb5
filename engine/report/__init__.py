"""What can be said of compared runs in plain words over measured numbers: the text of a report."""

from engine.report.section import Compared, Section, Statement, TextTable
from engine.report.sections import sections_of

__all__ = ["Compared", "Section", "Statement", "TextTable", "sections_of"]
