"""Metrics of a user's own, `mine.py:late,share=0.5`: a number of measured jobs, from a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
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
    memory = new_memory()
    try:
        asked = {
            **texts_to_run(own.file),
            "name": own.declared.name,
            "values": dict(own.values),
            "columns": list(columns),
            "file": memory,
            "places": store(memory, list(columns.values())),
            "names": {name: list(all_names) for name, all_names in names.items()},
            "processors": schedule.cluster.cpus,
            "memory": MOST_MEMORY,
        }
        answer = _answered(own.file.path, json.dumps(asked), memory)
    finally:
        os.close(memory)
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


def _answered(path: Path, asked: str, memory: int) -> dict[str, Any]:
    """What the child answers, which is stopped when it takes too long. Raises InputError."""
    command: Sequence[str] = [sys.executable, "-P", "-m", "engine.own.metric_child"]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(memory,),
        env={**os.environ, "PYTHONHASHSEED": "0"},
        start_new_session=True,  # one group to stop
    )
    try:
        lines, _ = child.communicate((asked + "\n").encode(), timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise InputError(f"{path}: it did not return for {LONGEST:g} s") from None
    finally:
        if child.poll() is None:
            end_group(child.pid)
            child.communicate()
    try:
        answer = json.loads(lines)
    except ValueError:
        status = child.returncode
        how = f"signal {-status}" if status < 0 else f"status {status}"
        raise InputError(f"{path}: its process ended with {how} before the metric was there") from None
    if not isinstance(answer, dict):
        raise InputError(f"{path}: its process answered with something else")
    return answer
