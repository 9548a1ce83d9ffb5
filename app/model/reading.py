"""Reading a trace for the window, in a thread: the study that it makes, and what it is known by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.documents.document import Session, Source, Stamp
from app.model.settings import PRESETS_SHOWN
from engine.errors import InputError
from engine.input import STANDARD_INPUT, UnusableError, naming, open_input
from engine.limits import MAX_TRACE_BYTES
from engine.logs.files.content import log_files
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.reading.options import Reading
from engine.simulation.control import ENDED, Cancelled, Control
from engine.study import Study
from engine.words import no_job_fits
from resources import example_path
from views.state.selection import Selection

if TYPE_CHECKING:
    from engine.reading.read import ReadLog
    from engine.trace import Note, Trace


class TraceMissingError(InputError):
    """The trace of a session is not where it was; `wanted` is its name, `file` the session."""

    def __init__(self, file: Path, wanted: str) -> None:
        super().__init__(f"{file}: its trace {wanted} is not there any more")
        self.file, self.wanted = file, wanted


@dataclass(frozen=True, eq=False)
class Opened:
    """A study with runs to simulate, and its source.

    `notes` are the quality notes of the trace and of its own schedule. For a saved session it also has the
    `session`, its picks in this trace, and `doubts`: sentences on parts that could not be restored; `found`
    is True if the trace has moved from the session's path. `later` are policies that are simulated only on
    request. The `share` is readable; `reading` are the options of the log, and `measured` the span, s, that
    they measure. `stamp` is that of the session's file, `study_file` the study that the session names, where
    it is still there. `is_reread`: the open trace was read again in another way; its runs and edits stay.
    """

    path: Path  # of the trace
    source: Source
    study: Study
    notes: tuple[Note, ...]
    share: str = "fair"
    reading: Reading = field(default_factory=Reading)
    measured: tuple[float, float] | None = None
    session: Session | None = None
    selection: Selection = field(default_factory=Selection)
    doubts: tuple[str, ...] = ()
    later: tuple[Policy, ...] = ()
    found: bool = False
    stamp: Stamp | None = None
    study_file: Path | None = None
    is_reread: bool = False
    last_end: float = field(init=False)  # s, of the jobs as if none had waited

    def __post_init__(self) -> None:
        trace = self.study.trace
        object.__setattr__(self, "last_end", float((trace.submit + trace.runtime).max()))


Read = Callable[[Control], Opened]
"""Reads in a thread; raises InputError, and Cancelled when it is."""

MANY_JOBS = 1_000_000
"""A trace of more takes long under some policies, and some GB of memory for each."""

_STEPS = 1000  # of progress


def opening_policies(texts: Sequence[str]) -> tuple[Policy, ...]:
    """Policies of a newly opened trace, from the spellings in the settings.

    Spellings of another version that cannot be read are left out; if nothing is left the presets are used.
    """
    policies: list[Policy] = []
    for text in texts:
        with suppress(InputError):
            policies.append(parse_policy(text))
    return tuple(policies) or tuple(parse_policy(name) for name in PRESETS_SHOWN)


def shown_policies(policies: tuple[Policy, ...], trace: Trace) -> tuple[Policy, ...]:
    """The policies that apply to a trace; if none does, the simulated presets.

    The log's own schedule applies if the log has most waits, and they are not all 0: such waits show nothing
    about a scheduler.
    """
    recorded = trace.has_recorded_schedule and bool((trace.wait > 0).any())
    presets = (parse_policy(name) for name in PRESETS_SHOWN)
    fit = tuple(policy for policy in policies if recorded or not policy.recorded)
    return fit or tuple(preset for preset in presets if not preset.recorded)


def first_policies(policies: tuple[Policy, ...], jobs: int) -> tuple[tuple[Policy, ...], tuple[Policy, ...]]:
    """The policies to simulate at once for this number of jobs, and the policies for later.

    With more than MANY_JOBS, a single policy is simulated besides the log's own schedule: the first that
    backfills in order of submission, otherwise the first. Under load millions of jobs wait without
    backfilling, and if their order changes each pass sorts all of them.
    """
    simulated = [policy for policy in policies if policy.simulated]
    if jobs <= MANY_JOBS or len(simulated) < 2:
        return policies, ()
    quick = (policy for policy in simulated if policy.order == "fcfs" and policy.depth in (0, 1))
    first = next(quick, simulated[0])
    now = tuple(policy for policy in policies if policy is first or not policy.simulated)
    return now, tuple(policy for policy in simulated if policy is not first)


def read_study(
    path: Path,
    policies: tuple[Policy, ...],
    share: str,
    control: Control,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    ready: ReadLog | None = None,
) -> Opened:
    """A log on its machine, read with the options `reading`, to be simulated under `policies`. Raises
    InputError.

    `columns` are the mappings of tables that were read before, by `TableSample.key`; `ready` is the log if it
    is already read.
    """
    from engine.reading.measure import measured_span
    from engine.reading.read import on_site_machine
    from engine.simulation.quality_notes import quality_notes

    reading, own_notes = (reading, ()) if reading is not None else _known_reading(path, columns or {})
    # The machine of a site's files must be known before the log is read, since it decides how its jobs are
    # placed.
    if ready is None:
        reading = on_site_machine(reading, policies)
    # The fingerprint is taken before the reading: a file that changes meanwhile is noticed when the session
    # is opened.
    source = source_of(path, reading.further_paths(path))
    read = ready or _read(path, control, reading)
    trace = read.trace
    shown, later = first_policies(shown_policies(policies, trace), len(trace))
    study = Study(trace, read.cluster)
    # On another machine than the log's all runs are there, and the recorded schedule too.
    for policy in shown:
        study = study.add(policy, read.cluster if study.is_elsewhere else None)
    share, doubts = usable_share(share)
    measured = None
    if reading.measure:
        first, last = measured_span(reading.measure, trace)
        # Without a bound the range reaches to the first or just beyond the last submission.
        submit = trace.submit
        measured = (
            float(submit[0] if first is None else first),
            float(submit[-1] + 1 if last is None else last),
        )
    return Opened(
        path,
        source,
        study,
        quality_notes(trace),
        share,
        reading=reading,
        measured=measured,
        doubts=(*doubts, *own_notes),
        later=later,
    )


def _known_reading(path: Path, columns: Mapping[str, str]) -> tuple[Reading, tuple[str, ...]]:
    """The reading options of a log without given options: a table uses the mapping of an earlier table with
    the same columns.
    """
    from engine.logs.sample import table_sample

    # Without known mappings the table need not be looked into.
    sample = table_sample(path) if columns else None
    known = columns.get(sample.key) if sample is not None else None
    if known is None:
        return Reading(), ()
    text = (
        f"{path.name}: its columns are read like those of an earlier table with the same columns "
        "(to change that: File, Open with options)."
    )
    return Reading(columns=known), (text,)


def _read(path: Path, control: Control, reading: Reading) -> ReadLog:
    import engine.reading.read as module

    return module.read_log_as(path, reading, progress_of(control))


def usable_share(texts: str) -> tuple[str, tuple[str, ...]]:
    """The share, or a fair share if it cannot be read, for example because its file is missing; and a message
    about that.
    """
    from engine.policy.share import parse_share

    try:
        return parse_share(texts).absolute.spelling, ()
    except InputError as error:
        return "fair", (f"{error}. Until another is chosen, users may expect a fair share.",)


def read_checked(
    path: Path,
    control: Control,
    cluster: Cluster | None = None,
    reading: Reading | None = None,
) -> tuple[Trace, tuple[Note, ...]]:
    """A trace and its quality notes.

    Raises InputError, also where no job fits on `cluster` (its own).
    """
    from engine.simulation.quality_notes import quality_notes
    from engine.simulation.refused_jobs import refused_jobs

    trace = _read(path, control, reading or Reading()).trace
    machine = cluster or trace.cluster
    if refused_jobs(trace, machine).all():
        raise InputError(f"{path}: {no_job_fits(len(trace))} on its machine, {machine}")
    return trace, quality_notes(trace)


def progress_of(control: Control) -> Callable[[float], None]:
    """A function that reports progress to `control` as a share, 0 to 1. It raises Cancelled after a
    cancellation.
    """
    control.jobs = _STEPS

    def report(done: float) -> None:
        if control.cancelled:
            raise Cancelled
        control.array[ENDED] = int(done * _STEPS)

    return report


def load_engine(_: Control) -> None:
    """Load the engine while a trace is read: later the window has much to draw, and would wait for it."""
    from app.work.compile_kernels import load_once

    load_once()


def source_of(path: Path, further: Sequence[Path] = ()) -> Source:
    """The source of a trace: path, and fingerprint of all its files. Raises InputError."""
    digest = hashlib.sha256()
    size = 0
    for part in (file for log in (path, *further) for file in log_files(log)):
        with naming(part), open_input(part) as file:
            if file.is_pipe:
                raise UnusableError("this is a pipe, which cannot be read again; write it to a file first")
            for piece in file:
                digest.update(piece)
                if file.done > MAX_TRACE_BYTES:  # some files of the system have no end
                    raise UnusableError(f"this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
        size += file.done
    held = path == STANDARD_INPUT  # a file without a name
    return Source(
        path=str(path if held else path.resolve()),
        example=path == example_path(),
        size=size,
        sha256=digest.hexdigest(),
    )
