"""Metrics of a user's own, `mine.py:late,share=0.5`: a number of measured jobs, from a child process."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.metric import Better, Metric
from engine.own.allowed import allow, check_allowed, own_path
from engine.own.file import Declared, OwnFile, read_own_file
from engine.own.running import texts_to_run
from engine.own.shared import store
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped
from engine.spelling import nearest
from engine.system import end_group, hands_on_files, new_memory

LONGEST = 60.0
"""s for which a metric may be worked out."""

MOST_MEMORY = 4 << 30
"""Bytes that the process may take beside what it shares."""

MOST_IDLE = 4
"""Processes that are kept for further questions."""

_GRACE_S = 1.0
"""s that a process has to end by itself."""


@dataclass(frozen=True)
class OwnMetric:
    """A metric that a file declares, with the values of its parameters."""

    file: OwnFile
    declared: Declared
    values: tuple[tuple[str, float], ...]
    metric: Metric


_read: dict[str, OwnMetric] = {}
"""The metrics by their spellings, as they were when their user named them: a table that is shown later still
has their units, whatever the file holds by then."""


def allow_metric(text: str) -> None:
    """Allow the code that the user named in the spelling of a metric, if it names any. Raises InputError."""
    named = own_path(text)
    if named is not None:
        file = read_own_file(named[0])
        allow(file)
        _read[text.strip()] = _chosen(text.strip(), file, named[1])


def own_metric(text: str) -> OwnMetric | None:
    """The metric that a text spells; None where it names no file of code. Raises InputError."""
    if text in _read:
        return _read[text]
    named = own_path(text)
    if named is None:
        return None
    file = read_own_file(named[0])
    check_allowed(file)
    return _chosen(text, file, named[1])


def _chosen(text: str, file: OwnFile, rest: str) -> OwnMetric:
    name, *pairs = (part.strip() for part in rest.split(","))
    metrics = [each.name for each in file.declared if each.kind == "metric"]
    if name not in metrics:
        hint = nearest(name, metrics) or f"; its metrics are {', '.join(metrics) or 'none'}"
        raise InputError(f"{file.path}: there is no metric {name!r}{hint}")
    declared = file.named(name)
    known = {parameter.name: parameter for parameter in declared.parameters}
    values = {parameter.name: parameter.default for parameter in declared.parameters}
    for pair in pairs:
        key, equals, value = (word.strip() for word in pair.partition("="))
        if key not in known or not equals:
            hint = nearest(key, known) or f"; its parameters are {', '.join(known) or 'none'}"
            raise InputError(f"{file.path}: {name} has no parameter {key!r}{hint}")
        values[key] = known[key].parse(value)
    metric = Metric(
        name=text,
        label=escaped(f"{file.path.name}:{rest}"),
        unit=escaped(declared.unit),
        better=cast("Better | None", declared.better),
        text=escaped(declared.about) or f"{name} of {escaped(file.path.name)}.",
        format=",.2f",
    )
    return OwnMetric(file, declared, tuple(values.items()), metric)


def own_value(own: OwnMetric, schedule: Schedule, jobs: NDArray[np.bool_]) -> float | None:
    """The metric over `jobs`, shape (n,), all run; None where there are none.

    Raises InputError with what the code did wrong, and for which run.
    """
    check_allowed(own.file)
    if not hands_on_files():
        raise InputError("code of your own runs on Linux and macOS only")
    if not jobs.any():
        return None
    columns = _columns(schedule, jobs)
    trace = schedule.trace
    names = {"user": trace.user.names, "queue": trace.queue.names, "group": trace.group.names}
    asked = {
        "name": own.declared.name,
        "values": dict(own.values),
        "names": {name: list(all_names) for name, all_names in names.items()},
        "processors": schedule.cluster.cpus,
    }
    process = _taken(own.file)
    answer = process.answer(asked, columns)
    _idle.append(process)
    if "fault" in answer:
        raise InputError(f"{own.file.path}: {answer['fault']} (for {schedule.policy.label})")
    value = answer.get("value")
    return None if value is None else float(value)


def _columns(schedule: Schedule, jobs: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """The columns of COLUMNS, in that order, of the measured jobs."""
    trace, ids = schedule.trace, np.asarray(schedule.trace.job_id)
    estimate = schedule.trace.walltime if schedule.estimate is None else schedule.estimate
    columns = {
        "id": ids if ids.dtype.kind in "iu" else np.arange(len(trace)),
        "user": trace.user.codes,
        "queue": trace.queue.codes,
        "group": trace.group.codes,
        "submit": trace.submit,
        "start": schedule.start,
        "end": schedule.end,
        "wait": schedule.wait,
        "runtime": schedule.runtime,
        "walltime": trace.walltime,
        "estimate": estimate,
        "procs": schedule.procs,
        "ram": np.maximum(trace.ram, 0),
    }
    return {name: np.ascontiguousarray(column[jobs], np.int64) for name, column in columns.items()}


class _Measuring:
    """The process that works out the metrics of a file, one after the other: it is started once.

    What fails in the code itself is an answer. Where the process fails, it is ended.
    """

    def __init__(self, file: OwnFile) -> None:
        self.file, self._memory = file, new_memory()
        command: Sequence[str] = [sys.executable, "-P", "-m", "engine.own.metric_child"]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(self._memory,),
            env={**os.environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,  # one group to stop
        )
        self._first = {**texts_to_run(file), "file": self._memory, "memory": MOST_MEMORY}

    def answer(self, asked: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """What it answers to a question about jobs. Raises InputError where it ends, or takes too long."""
        os.ftruncate(self._memory, 0)  # pages of zeros are left out when arrays are stored
        places = store(self._memory, list(columns.values()))
        question = {**self._first, **asked, "columns": list(columns), "places": places}
        self._first = {}
        try:
            line = self._line((json.dumps(question) + "\n").encode())
        except BaseException:
            self.end()
            raise
        try:
            answer = json.loads(line)
        except ValueError:
            status = self.end()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            why = f"its process ended with {how} before the metric was there"
            raise InputError(f"{self.file.path}: {why}") from None
        if not isinstance(answer, dict):
            self.end()
            raise InputError(f"{self.file.path}: its process answered with something else")
        return answer

    def _line(self, question: bytes) -> bytes:
        """The line that it answers with; less where it ends before. Raises InputError after LONGEST."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, which reading tells
            self._child.stdin.write(question)
            self._child.stdin.flush()
        line, until = b"", time.monotonic() + LONGEST
        while not line.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._child.stdout], [], [], left)[0]:
                raise InputError(f"{self.file.path}: it did not return for {LONGEST:g} s")
            piece = os.read(self._child.stdout.fileno(), 1 << 16)
            if not piece:
                break
            line += piece
        return line

    def end(self) -> int:
        """End the process; how it ended."""
        with suppress(BrokenPipeError):
            assert self._child.stdin is not None
            self._child.stdin.close()
        try:
            status = self._child.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            end_group(self._child.pid)
            status = self._child.wait()
        assert self._child.stdout is not None
        self._child.stdout.close()
        os.close(self._memory)
        return status


_idle: list[_Measuring] = []
"""Processes that have answered and wait for the next question, the newest last."""


def _taken(file: OwnFile) -> _Measuring:
    """A process of this file that nobody else asks, kept or new; of others too many are ended."""
    with _taking:
        for place, process in enumerate(_idle):
            if process.file == file:
                return _idle.pop(place)
        surplus = [_idle.pop(0) for _ in range(len(_idle) - MOST_IDLE + 1)]
    for process in surplus:
        process.end()
    return _Measuring(file)


_taking = threading.Lock()


@atexit.register
def end_idle() -> None:
    """End the processes that wait for questions."""
    while _idle:
        _idle.pop().end()
