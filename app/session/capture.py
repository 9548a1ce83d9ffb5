"""Capture of a session from the models of a window, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.documents.document import Picked, SavedCode, SavedRun, SavedText, Session, Source, View
from app.model.layout import LayoutState
from app.model.models import Models
from app.model.questions import format_study
from app.model.reading import Opened
from app.session.restore import relative_to
from engine.filter import FilterError, parse_filter
from engine.policy.share import file_of_share
from views.raster.request import ALL_ROWS
from views.state.filter import Filter
from views.text.counts import clip

if TYPE_CHECKING:
    from engine.own.file import OwnFile
    from engine.policy.policy import Policy
    from engine.study import Run, Study


def capture(models: Models, source: Source, study: Study, picked: Picked, layout: LayoutState) -> Session:
    """The present session; this takes a millisecond, so that it can be asked for often."""
    workbench, clock, filter = models.workbench, models.clock, models.filter.value
    machine = study.cluster.spelling
    return Session(
        source=source,
        # Only what differs from the log is stored: a machine that was never changed follows the log if that
        # is read anew.
        cluster="" if machine == study.trace.cluster.spelling else machine,
        reading=workbench.open_study.reading,
        share=workbench.share,
        fair_starts=workbench.fair_starts,
        left_out=models.measured.left_out,
        runs=tuple(_saved(run, study) for run in study.runs),
        code=code_of([run.policy for run in study.runs], offering=models.code.offering),
        view=View(
            # All of the time is stored as nothing, so that a longer log is shown in full.
            window=None if clock.window == clock.bounds else clock.window,
            part=clock.rows,
            picked=picked,
            filter=str(filter.expression or ""),
            hides=filter.hides,
            layout=layout,
            study=format_study(models.questions.study),
            search=models.questions.search,
        ),
    )


def _saved(run: Run, study: Study) -> SavedRun:
    machine = run.cluster.spelling if run.cluster != study.cluster else ""
    return SavedRun(run.id, _spelling(run.policy), machine, run.title)


def _spelling(policy: Policy) -> str:
    """The spelling of a policy with absolute paths; another policy is made only if it has paths."""
    shares = policy.shares, policy.eet_share
    named = (
        policy.file
        or policy.site is not None
        or policy.own is not None
        or shares != tuple(share.absolute for share in shares)
    )
    return policy.absolute.spelling if named else policy.spelling


def code_of(
    policies: Sequence[Policy], metrics: Sequence[str] = (), offering: Sequence[OwnFile] = ()
) -> tuple[SavedCode, ...]:
    """The files of a user's own code that policies are of, metrics by name, and further ones that offer
    metrics or quantities; each once, with the texts that were read.
    """
    from engine.metrics.own_metric import own_metric  # it loads the compiler

    of_metrics = [*(own.file for own in map(own_metric, metrics) if own is not None), *offering]
    files = dict.fromkeys(
        [
            *(policy.own.absolute.file for policy in policies if policy.own is not None),
            *(replace(file, path=file.path.absolute()) for file in of_metrics),
        ]
    )
    return tuple(SavedCode(str(file.path), file.digest, tuple(_texts(file))) for file in files)


def _texts(file: OwnFile) -> Iterator[SavedText]:
    yield SavedText(file.path.name, tuple(file.text.split("\n")))
    for module in file.modules:
        if module.path.suffix == ".py":  # folders without __init__.py have no text
            beside = module.path.relative_to(file.path.parent).as_posix()
            yield SavedText(beside, tuple(module.text.split("\n")))


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
            models.filter.put(Filter(parse_filter(view.filter), view.hides))
        except FilterError as error:
            models.messages.show_message(f"The filter {clip(view.filter)} cannot be read, {error.message}")
