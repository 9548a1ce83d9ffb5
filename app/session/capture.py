"""From a window to what a session says of it, and back to how it was looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.layout import Layout, apply_layout, layout_of
from app.reading import Opened
from app.session.document import SavedRun, Session, Source, View
from app.session.restore import relative_to
from views.picture import ALL_ROWS

if TYPE_CHECKING:
    from app.window import MainWindow
    from engine.study import Run, Study


def capture(window: MainWindow, source: Source, study: Study) -> Session:
    """The session as it is now; it takes a millisecond, so that it can be asked for often."""
    workbench = window.workbench
    machine = study.cluster.spelling
    return Session(
        source=source,
        cluster="" if machine == study.trace.cluster.spelling else machine,
        share=workbench.share,
        fair_starts=workbench.fair_starts,
        runs=tuple(_saved(run, study) for run in study.runs),
        view=_view(window, study),
    )


def _saved(run: Run, study: Study) -> SavedRun:
    own = run.cluster.spelling if run.cluster != study.cluster else ""
    return SavedRun(run.id, run.policy.spelling, own)


def placed(session: Session, file: Path) -> Session:
    """The session as it is written to `file`: the way from there to its trace."""
    way = relative_to(session.source.path, file.resolve().parent)
    return replace(session, file="", source=replace(session.source, relative=way))


def show_again(window: MainWindow, opened: Opened) -> None:
    """Look at an opened session as it was looked at when it was saved."""
    if opened.session is None:
        return
    view = opened.session.view
    if view.layout != Layout():
        apply_layout(window, view.layout)
    low, high = view.part
    part = (low, high) if 0.0 <= low < high <= 1.0 else ALL_ROWS
    window.clock.set_window(*(view.window or window.clock.bounds), part)
    window.selection.select(opened.selection)


def _view(window: MainWindow, study: Study) -> View:
    clock, picked, trace = window.clock, window.selection.value, study.trace
    return View(
        window=None if clock.window == clock.bounds else clock.window,
        part=clock.rows,
        span=picked.span,
        instant=picked.instant,
        jobs=tuple(str(trace.job_id[job]) for job in sorted(picked.jobs) if job < len(trace)),
        users=tuple(trace.user.names[code] for code in sorted(picked.users)),
        queues=tuple(trace.queue.names[code] for code in sorted(picked.queues)),
        layout=layout_of(window),
    )
