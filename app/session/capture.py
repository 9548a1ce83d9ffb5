"""Capture of a session from the models of a window, and the way back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.model.document import Picked, SavedRun, Session, Source, View
from app.model.layout import Layout
from app.model.models import Models
from app.model.reading import Opened
from app.session.restore import relative_to
from engine.fairness.shares import file_of_share
from engine.filter import FilterError, parse_filter
from views.raster.request import ALL_ROWS
from views.state.filter import Filter
from views.text.counts import clip

if TYPE_CHECKING:
    from engine.study import Run, Study
    from engine.trace import Trace
    from views.state.selection import Selection


def capture(models: Models, source: Source, study: Study, picked: Picked, layout: Layout) -> Session:
    """The present session; this takes a millisecond, so that it can be asked for often."""
    workbench, clock, filter = models.workbench, models.clock, models.filter.value
    machine = study.cluster.spelling
    return Session(
        source=source,
        cluster="" if machine == study.trace.cluster.spelling else machine,
        scale=workbench.scale,
        share=workbench.share,
        fair_starts=workbench.fair_starts,
        left_out=models.measured.left_out,
        runs=tuple(_saved(run, study) for run in study.runs),
        view=View(
            window=None if clock.window == clock.bounds else clock.window,
            part=clock.rows,
            picked=picked,
            filter=str(filter.expression or ""),
            hides=filter.hides,
            layout=layout,
        ),
    )


def _saved(run: Run, study: Study) -> SavedRun:
    own = run.cluster.spelling if run.cluster != study.cluster else ""
    return SavedRun(run.id, run.policy.absolute.spelling, own)


def beside_file(session: Session, file: Path) -> Session:
    """The session as it is written to `file`: the ways from there to its trace and its file of shares."""
    folder, shares = file.resolve().parent, file_of_share(session.share)
    source = replace(session.source, relative=relative_to(session.source.path, folder))
    beside = relative_to(shares, folder) if shares is not None else ""
    return replace(session, file="", source=source, share_beside=beside)


def show_again(models: Models, opened: Opened) -> None:
    """Restore time, selection and filter of an opened session; its layout is the window's affair."""
    if opened.session is None:
        return
    view, clock = opened.session.view, models.clock
    low, high = view.part
    part = (low, high) if 0.0 <= low < high <= 1.0 else ALL_ROWS
    clock.set_window(*(view.window or clock.bounds), part)
    models.selection.select(opened.selection)
    if view.filter:
        try:
            models.filter.set(Filter(parse_filter(view.filter), view.hides))
        except FilterError as error:
            models.messages.show_message(f"The filter {clip(view.filter)} cannot be read, {error.told}")


def name_picked(selection: Selection, trace: Trace) -> Picked:
    """The selection in the names of the log: some 30 ms where all jobs of a large log are picked."""
    jobs = np.sort(np.fromiter(selection.jobs, np.int64, len(selection.jobs)))
    return Picked(
        span=selection.time_range,
        instant=selection.instant,
        jobs=tuple(trace.job_id[jobs[jobs < len(trace)]].tolist()),
        users=tuple(trace.user.names[code] for code in sorted(selection.users)),
        queues=tuple(trace.queue.names[code] for code in sorted(selection.queues)),
    )
