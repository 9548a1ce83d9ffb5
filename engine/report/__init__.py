"""The text of a report: statements about compared runs in plain words with measured numbers."""

from engine.report.section import Compared, Section, Statement, TextTable
from engine.report.sections import sections_of

__all__ = ["Compared", "Section", "Statement", "TextTable", "sections_of"]
