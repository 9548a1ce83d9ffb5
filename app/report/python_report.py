"""A report of runs that were compared in Python."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from app.api import Runs
from app.export.figure_request import request_of
from app.export.provenance import Provenance
from app.model.documents.document import SavedRun, Session
from app.model.reading import source_of
from app.report.folder import check_folder
from app.report.make import ReportInput, make_report
from app.session.capture import code_of
from engine.errors import InputError
from engine.policy.baseline import usual_baseline
from engine.runs import OneRun
from views.data.view_options import ViewOptions


def report(
    runs: Runs, folder: str | PathLike[str], *, baseline: str | None = None, force: bool = False
) -> Path:
    """Write a page with figures, tables, methods and a session of the runs into a folder; returns the page.

    Changes are told against the `baseline`, by default EASY or a site's own policy. The folder has to be
    new or empty, or with `force` an earlier report. Raises InputError, OSError.
    """
    place, log = Path(folder), runs.log
    # What cannot be kept in a session is refused before anything is drawn.
    check_folder(place, force)
    if log.path is None:
        raise InputError("a report names its log by the bytes of its file: read the log from a file")
    if log.scaling:
        raise InputError("a session keeps no theta, rho or caps of a log: give them behind policies")
    policies = [run.schedule.policy for run in runs.runs]
    # Without a choice the baseline is that of the command line, so that both give the same report.
    base = usual_baseline(policies) if baseline is None else runs.runs.index(runs[baseline])
    request = request_of(log.trace, runs.judged, ViewOptions())
    about = Provenance(
        request.results, runs.measuring.filter(log.trace), None, request.window, runs.measuring.share
    )
    machine = log.cluster.spelling
    session = Session(
        source=source_of(log.path, log.reading.further_paths(log.path)),
        cluster="" if machine == log.trace.cluster.spelling else machine,
        reading=log.reading,
        share=runs.measuring.share,
        runs=tuple(_saved(number, run, runs) for number, run in enumerate(runs.runs, 1)),
        code=code_of(policies, runs.runs[0].evaluation.extra),
    )
    evaluations = [run.evaluation for run in runs.runs]
    make_report(ReportInput(request, about, evaluations, session, base, hidden=runs.not_shown), place, force)
    return place / "index.html"


def _saved(number: int, run: OneRun, runs: Runs) -> SavedRun:
    """A run as a session has it: without its machine where that is the study's."""
    machine = "" if run.machine == runs.log.cluster else run.machine.spelling
    return SavedRun(number, run.schedule.policy.absolute.spelling, machine)
