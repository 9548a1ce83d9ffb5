"""A comparison as a folder: a page with what it says, figures, tables, session, methods and digests."""

from app.report.make import Report, make_report

__all__ = ["Report", "make_report"]
