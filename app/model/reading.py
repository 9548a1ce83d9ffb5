"""Reading a trace for the window, in a thread: the study that it makes, and what it is known by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.document import Session, Source
from app.model.settings import PRESETS_SHOWN
from engine.errors import InputError
from engine.input import UnusableError, naming, open_input
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.simulation.control import ENDED, Cancelled, Control
from engine.study import Run, Study
from engine.trace.files import log_files
from resources import example_path
from views.state.selection import Selection

if TYPE_CHECKING:
    from engine.trace import Note, Trace
    from engine.trace.scale import Scale


class TraceMissingError(InputError):
    """The trace of a session is not where it was; `wanted` is its name, `file` the session."""

    def __init__(self, file: Path, wanted: str) -> None:
        super().__init__(f"{file}: its trace {wanted} is not there any more")
        self.file, self.wanted = file, wanted


@dataclass(frozen=True, eq=False)
class Opened:
    """A study with runs to be simulated, and where it comes from.

    `notes` are the quality notes of the trace and of its own schedule. Of a saved session there
    is the `session` too, what it had picked in this trace, and `doubts`: what could not be
    brought back, in sentences; `found` that the trace
    lies elsewhere than the session says. The `share` is one that could be read.
    """

    path: Path  # of the trace
    source: Source
    study: Study
    notes: tuple[Note, ...]
    share: str = "fair"
    scale: str = ""  # as `parse_scale` reads it
    session: Session | None = None
    selection: Selection = field(default_factory=Selection)
    doubts: tuple[str, ...] = ()
    found: bool = False


Read = Callable[[Control], Opened]
"""Reads in a thread; raises InputError, and Cancelled when it is."""

_STEPS = 1000  # of progress


def opening_policies(spelled: Sequence[str]) -> tuple[Policy, ...]:
    """Policies of a newly opened trace, as the settings spell them.

    What another version spelled and this one cannot read is left out; where nothing is left the
    presets count.
    """
    policies: list[Policy] = []
    for one in spelled:
        with suppress(InputError):
            policies.append(parse_policy(one))
    return tuple(policies) or tuple(parse_policy(name) for name in PRESETS_SHOWN)


def read_study(path: Path, policies: tuple[Policy, ...], share: str, control: Control) -> Opened:
    """A trace on its own machine, to be simulated under `policies`. Raises InputError."""
    source = source_of(path)
    trace, notes = read_checked(path, control)
    runs = tuple(Run(number, policy, trace.cluster) for number, policy in enumerate(policies, 1))
    share, doubts = usable_share(share)
    study = Study(trace, trace.cluster, runs)
    return Opened(path, source, study, notes, share, doubts=doubts)


def usable_share(spelled: str) -> tuple[str, tuple[str, ...]]:
    """The share, or a fair one where it cannot be read, as a file that is gone; and what to say of that."""
    from engine.fairness.shares import parse_share

    try:
        return parse_share(spelled).absolute.spelling, ()
    except InputError as error:
        return "fair", (f"{error}. Until another is chosen, users may expect a fair share.",)


def read_checked(
    path: Path, control: Control, cluster: Cluster | None = None, scale: Scale | None = None
) -> tuple[Trace, tuple[Note, ...]]:
    """A trace, scaled, and its quality notes.

    Raises InputError, also where no job fits on `cluster` (its own).
    """
    from engine.simulation.over_commitment import quality_notes
    from engine.simulation.run import refused_jobs
    from engine.trace.read import read_trace
    from engine.trace.scale import Scale, scaled

    trace = scaled(read_trace(path, progress=progress_of(control)), scale or Scale())
    machine = cluster or trace.cluster
    if refused_jobs(trace, machine).all():
        raise InputError(f"{path}: none of the {len(trace):,} jobs fits on its machine, {machine}")
    return trace, quality_notes(trace)


def progress_of(control: Control) -> Callable[[float], None]:
    """A function that tells `control` progress as a share, 0 to 1. It raises Cancelled when that is so."""
    control.jobs = _STEPS

    def tell(done: float) -> None:
        if control.cancelled:
            raise Cancelled
        control.array[ENDED] = int(done * _STEPS)

    return tell


def load_engine(_: Control) -> None:
    """Load the engine while a trace is read: later the window has much to draw, and would wait for it."""
    from app.work.warm import load_once

    load_once()


def source_of(path: Path) -> Source:
    """The source of a trace: path and fingerprint. Raises InputError."""
    digest = hashlib.sha256()
    size = 0
    for part in log_files(path):
        with naming(part), open_input(part) as file:
            if file.is_pipe:
                raise UnusableError(
                    "this is a pipe; what a window shows it may have to read again, from a file"
                )
            for piece in file:
                digest.update(piece)
        size += file.done
    return Source(
        path=str(path.resolve()), example=path == example_path(), size=size, sha256=digest.hexdigest()
    )
