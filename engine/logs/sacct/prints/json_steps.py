"""The steps of jobs as `sacct --json` prints them, and what jobs and steps used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.logs.sacct.steps import SlurmSteps
from engine.logs.text.json_document import below, number_of, set_value, text_of
from engine.trace.records import text_names

_WHICH = {"total": "total", "max": "max", "average": "mean"}
_KINDS = {("mem", ""): "mem", ("gres", "gpuutil"): "gpu", ("gres", "gpumem"): "gpu_mem"}
_LARGEST = 1e15  # larger counts mean "no value"


class JsonSteps:
    """Steps of jobs, gathered job by job."""

    def __init__(self) -> None:
        self.owner: list[int] = []
        self._ids: list[bytes] = []
        self._line: list[int] = []
        self._cpus: list[str] = []
        self._nodes: list[str] = []
        self._hosts: list[str] = []
        self._used: list[Mapping[str, float]] = []

    def add(self, owner: int, line: int, job_id: bytes, steps: Any) -> None:
        """Take in the steps of the job of index `owner`, which begins on a line."""
        for step in steps if isinstance(steps, list) else ():
            name = text_of(below(step, "step", "id")).rpartition(".")[2]
            self.owner.append(owner)
            self._ids.append(job_id + b"." + name.encode("utf-8", "replace"))
            self._line.append(line)
            self._cpus.append(_allocated_cpus(step))
            self._nodes.append(text_of(set_value(below(step, "nodes", "count"))))
            self._hosts.append(text_of(below(step, "nodes", "range")))
            self._used.append(dict(_used(step)))

    def joined(self) -> SlurmSteps:
        """The steps as arrays and Arrow columns."""
        import pyarrow as pa

        return SlurmSteps(
            ids=pa.array(self._ids, pa.binary()),
            line=np.array(self._line, np.int64),
            texts={
                "NCPUS": text_names(self._cpus),
                "NNodes": text_names(self._nodes),
                "NodeList": text_names(self._hosts),
            },
            numbers=columns_of(self._used),
            owner=np.array(self.owner, np.int64),
        )


def cpu_times(job: Any) -> dict[str, float]:
    """The CPU times of a job or a step, s, as `read_usage` names them."""
    found = {}
    for key, name in (("cpu", "total"), ("user_cpu", "user"), ("system_cpu", "system")):
        time = below(job, "time", name)
        seconds = number_of(set_value(below(time, "seconds")))
        if seconds >= 0:
            micro = max(number_of(set_value(below(time, "microseconds"))), 0)
            found[key] = float(seconds + micro / 1e6)
    return found


def columns_of(rows: Sequence[Mapping[str, float]]) -> dict[str, NDArray[np.float64]]:
    """The numbers of rows as columns, NaN if a row lacks a number."""
    keys = {key: None for row in rows for key in row}
    return {key: np.array([row.get(key, np.nan) for row in rows], np.float64) for key in keys}


def _used(step: Any) -> Iterator[tuple[str, float]]:
    """The usage of a step, named as by `read_usage`.

    All versions call input (TRESUsageIn) `requested`, and output `consumed`.
    """
    yield from cpu_times(step).items()
    tasks = number_of(set_value(below(step, "tasks", "count")))
    if tasks > 0:
        yield "tasks", float(tasks)
    energy = number_of(set_value(below(step, "statistics", "energy", "consumed")))
    if 0 <= energy < _LARGEST:
        yield "energy", float(energy)
    for name, which in _WHICH.items():
        resources = below(step, "tres", "requested", name)
        for resource in resources if isinstance(resources, list) else ():
            kind = _KINDS.get((text_of(below(resource, "type")), text_of(below(resource, "name"))))
            count = number_of(set_value(below(resource, "count")))
            if kind is not None and 0 <= count < _LARGEST:
                yield f"{which}_{kind}", float(count)


def _allocated_cpus(step: Any) -> str:
    """The CPUs of a step, as a text; empty where they are not known."""
    resources = below(step, "tres", "allocated")
    for resource in resources if isinstance(resources, list) else ():
        if text_of(below(resource, "type")) == "cpu":
            return text_of(set_value(below(resource, "count")))
    return ""
