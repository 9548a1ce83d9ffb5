"""A simulation in which a user's own code decides, in a process of its own that can be stopped.

The arrays of its state lie in memory that both processes share; the kernel and the user's code run in the
child alone. An endless loop, a crash or a leak there ends the run with a sentence.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.errors import InputError
from engine.own.allowed_code import check_allowed
from engine.own.code import CodeFaultError, OwnCode
from engine.own.running import texts_to_run
from engine.own.shared_arrays import (
    ArrayPlace,
    arrays_of,
    load,
    mapped,
    places_from_json,
    skeleton,
    store,
    with_arrays,
)
from engine.schedule.own_reasons import Said, said_from
from engine.schedule.schedule import NOT_RUN
from engine.shown_text import shown_name
from engine.simulation.control import CANCEL, ENDED, Cancelled, Control
from engine.simulation.estimator import Estimator
from engine.simulation.own.calls import Beat
from engine.simulation.own.forks import Fork, forked
from engine.simulation.own.own_simulation import LoggedColumns
from engine.simulation.scheduler import Scheduler
from engine.system import hands_on_files, new_memory
from engine.trace import Trace

LONGEST_CALL = 60.0
"""s for which one call of the user's code may run."""

MOST_MEMORY = 4 << 30
"""Bytes that the process may take beside what it shares."""

_LOOK_S = 0.01
_GRACE_S = 0.3  # s from a cancel until the process is ended


class OwnRun(NamedTuple):
    """The state after the simulation, and how long the event loop took.

    With a `fault` it is the state before that: what started at its instant or later counts as not started,
    but for what a scheduler had rightly started at that instant.
    """

    scheduler: Scheduler
    estimator: Estimator
    seconds: float
    ticks: int
    fault: CodeFaultError | None
    said: Said | None  # the reasons that a scheduler gave


def run_own(
    own: OwnCode,
    trace: Trace,
    s: Scheduler,
    estimator: Estimator,
    control: Control,
    resources: Sequence[str] = (),
    twice: bool = True,
    reasons: bool = False,
) -> OwnRun:
    """Simulate all events in a child process in which the user's code decides.

    `resources` are the names of those of the machine. `twice`: the first jobs are simulated once more, to
    find code that does not decide alike twice. `reasons` keeps those that a scheduler gives. Raises
    Cancelled, and InputError with what was wrong where there is no state to show.
    """
    check_allowed(own.file)
    if not hands_on_files():
        raise InputError("code of your own runs on Linux and macOS only")
    state_file, room_file = new_memory(), new_memory()
    try:
        return _run(own, trace, s, estimator, control, resources, twice, reasons, state_file, room_file)
    finally:
        os.close(state_file)
        os.close(room_file)


def _run(
    own: OwnCode,
    trace: Trace,
    s: Scheduler,
    estimator: Estimator,
    control: Control,
    resources: Sequence[str],
    twice: bool,
    reasons: bool,
    state_file: int,
    room_file: int,
) -> OwnRun:
    beat = Beat(*np.zeros((2, 1), np.int64))
    # All that the kernel and the code read goes into the memory that both processes share.
    nest = (s, estimator, job_columns(trace), np.zeros(2, np.int64), beat)
    places = store(state_file, list(arrays_of(nest)))
    memory = mapped(state_file)
    *_, shared_control, count, now = load(memory, places)  # what this process looks at while the child runs
    asked = {
        **_code(own),
        "places": places,
        "state": skeleton(nest),
        "names": {"user": trace.user.names, "queue": trace.queue.names, "group": trace.group.names},
        "resources": list(resources),
        "memory": MOST_MEMORY,
        "twice": twice,
        "reasons": reasons,
        "folder": _folder(),
    }
    child = _Child(own, json.dumps(asked), forked(state_file, room_file))
    answer = child.answer(control, shared_control, count, now)
    fault = _fault(own, trace, answer) if "fault" in answer else None
    # Without arrays, or without an instant, there is no state that could be shown.
    if fault is not None and ("arrays" not in answer or fault.time is None):
        raise fault
    if control.cancelled:
        raise Cancelled
    # Arrays lie where they were, or in the room for those that grew.
    rooms = (memory, mapped(room_file))
    arrays = iter([next(load(rooms[which], [place])) for which, place in _answered(answer)])
    scheduler, estimator = with_arrays((s, estimator), arrays)
    if fault is not None and fault.time is not None:
        # After a fault the kernel runs on for some events, and an order that failed left its queue unsorted.
        kept = fault.time if "scheduler" in own.names else fault.time - 1
        scheduler.start[scheduler.start > kept] = NOT_RUN
    said = _said(own, answer["said"], len(trace)) if "said" in answer else None
    return OwnRun(scheduler, estimator, float(answer["seconds"]), int(answer["ticks"]), fault, said)


def _folder() -> str:
    """The working directory; empty if it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _said(own: OwnCode, message: object, jobs: int) -> Said:
    """The reasons that the code gave. Raises InputError."""
    path = own.file.path
    try:
        return said_from(message, shown_name(path.name), jobs)
    except ValueError as error:
        raise InputError(f"{path}: its process answered with {error}") from None


def _answered(answer: Mapping[str, Any]) -> list[tuple[int, ArrayPlace]]:
    """Where the child says that each array lies: which file of memory, and the place in it."""
    rows = answer["arrays"]
    places = places_from_json([row[1:] for row in rows])
    return [(int(bool(row[0])), place) for row, place in zip(rows, places, strict=True)]


def job_columns(trace: Trace) -> LoggedColumns:
    """What the user's code may see of jobs beside their requests."""
    ids = np.asarray(trace.job_id)
    return LoggedColumns(
        job_id=ids.astype(np.int64) if ids.dtype.kind in "iu" else np.arange(len(trace)),
        user=trace.user.codes.astype(np.int64),
        queue=trace.queue.codes.astype(np.int64),
        group=trace.group.codes.astype(np.int64),
        ram=np.maximum(trace.ram, 0).astype(np.int64),
    )


def _code(own: OwnCode) -> dict[str, Any]:
    """The code as the child runs it: the texts that the digest covers, not what the files hold by then."""
    roles = {}
    for role, name in own.roles:
        declared = own.file.named(name)
        roles[role] = (name, declared.kind, own.values_of(declared))
    return {**texts_to_run(own.file), "roles": roles}


def _fault(own: OwnCode, trace: Trace, answer: Mapping[str, Any]) -> CodeFaultError:
    """What was wrong, in a line that names the job by its id, and the instant."""
    job, at = answer.get("job", -1), answer.get("time")
    job = job if isinstance(job, int) and 0 <= job < len(trace) else None
    at = at if isinstance(at, int) else None
    where = [] if job is None else [f"job {trace.job_id[job]}"]
    where += [] if at is None else [f"at {at} s of the log"]
    words = f"{own.file.path}: {', '.join(where)}{': ' if where else ''}{answer['fault']}"
    return CodeFaultError(words, job, at)


class _Child:
    """The process, and what it answers."""

    def __init__(self, own: OwnCode, asked: str, fork: Fork) -> None:
        self._own, self._fork = own, fork
        self._lines: list[bytes] = []
        self._asked = (asked + "\n").encode()
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def _talk(self) -> None:
        """Send what is asked and read the answer, both of any length, while another thread watches."""
        self._lines = self._fork.asked(self._asked)

    def answer(self, control: Control, shared: Any, count: Any, now: Any) -> dict[str, Any]:
        """What it answers in the end; meanwhile progress and cancelling are passed on. Raises InputError."""
        entered, since, cancelled = -1, time.monotonic(), 0.0
        stopped = ""
        try:
            # The process is looked at in short intervals: it may not answer at all, and its user may cancel
            # at any time.
            while self._thread.is_alive():
                self._thread.join(_LOOK_S)
                control.array[ENDED] = shared[ENDED]
                moment = time.monotonic()
                # The count is odd while the user's code runs, and even while the simulator does.
                if int(count[0]) != entered:
                    entered, since = int(count[0]), moment
                if control.cancelled:
                    shared[CANCEL] = 1
                    cancelled = cancelled or moment
                    # It is asked to stop first, and ended only where its own code does not return.
                    if moment - cancelled > _GRACE_S:
                        self._fork.end()
                elif entered % 2 and moment - since > LONGEST_CALL and not stopped:
                    stopped = f"at {int(now[0])} s of the log it did not return for {LONGEST_CALL:g} s"
                    self._fork.end()
        # A fault on this side must not leave the process behind.
        except BaseException:
            self._fork.end()
            self._thread.join()
            raise
        finally:
            self._fork.close()
        if control.cancelled:
            raise Cancelled
        return self._read(stopped)

    def _read(self, stopped: str) -> dict[str, Any]:
        """The answer as a value. Raises InputError where the process ended without any."""
        *answers, status = self._lines or [b"{}"]
        # The process ended without an answer: by its own doing, by a signal, or because it was stopped.
        if not answers:
            ended = json.loads(status).get("status")
            how = "" if ended is None else f" with signal {-ended}" if ended < 0 else f" with status {ended}"
            why = stopped or f"its process ended{how} before the simulation did"
            raise InputError(f"{self._own.file.path}: {why}")
        try:
            answer = json.loads(answers[0])
        except ValueError:
            answer = None
        # The user's code may have printed into the channel.
        if not isinstance(answer, dict):
            raise InputError(f"{self._own.file.path}: its process answered with something else")
        return answer
