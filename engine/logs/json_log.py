"""Logs that are JSON: of `sacct`, `condor_history` and `flux jobs`, and workloads of Batsim."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.logs.files.content import Progress
from engine.logs.formats.batsim import is_batsim, read_batsim
from engine.logs.formats.condor import is_condor_job, read_condor_json
from engine.logs.formats.flux import is_flux, read_flux
from engine.logs.formats.sge_json import is_ocs, read_ocs
from engine.logs.sacct.prints.elastic import elastic_rows, is_elastic, read_elastic
from engine.logs.sacct.prints.json_jobs import is_sacct, read_sacct, sacct_rows
from engine.logs.sacct.prints.json_rows import is_row, read_rows, table_rows
from engine.logs.sacct.rows import SlurmRows
from engine.logs.text.json_document import JsonText
from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.words import clip, listed


class _Kind(NamedTuple):
    """Jobs of a program: its name, the test for its jobs, and their reader."""

    name: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[JsonText, Cluster | None], Records]
    rows: Callable[[JsonText], Iterator[SlurmRows]] | None = None
    """The rows of sacct's fields, if they are jobs of Slurm."""


_KINDS = (
    _Kind("Batsim", is_batsim, read_batsim),
    _Kind("Slurm", is_sacct, read_sacct, sacct_rows),
    _Kind("HTCondor", is_condor_job, read_condor_json),
    _Kind("Flux", is_flux, read_flux),
    _Kind("Grid Engine", is_ocs, read_ocs),
    _Kind("Slurm's jobcomp/elasticsearch", is_elastic, read_elastic, elastic_rows),
    _Kind("rows of sacct", is_row, read_rows, table_rows),
)


def is_json(head: bytes) -> bool:
    """True if a file that begins like this is a JSON object, or a list of them."""
    return re.match(rb"\s*(\[\s*)?\{\s*[\"}]", head) is not None


def read_json(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of all documents of a text as a log; they have to be jobs of the same program.

    Raises InputError, with the line, if there are none or a document is broken.
    """
    kind, document = _document(path, text, progress)
    return replace(kind.read(document, machine), read_as=f"JSON, jobs of {kind.name}: certain")


def slurm_rows(path: Path, text: NDArray[np.uint8]) -> Iterator[SlurmRows] | None:
    """The rows of sacct's fields in such a text; None of jobs of another program. Raises InputError."""
    kind, document = _document(path, text)
    return None if kind.rows is None else kind.rows(document)


def _document(
    path: Path, text: NDArray[np.uint8], progress: Progress | None = None
) -> tuple[_Kind, JsonText]:
    """The program whose jobs a text has, by the first of them, and its documents. Raises InputError."""
    decoded = text.tobytes().decode("utf-8", "replace").rstrip()
    first = next(JsonText(path, decoded).jobs(), None)
    if first is None:
        raise InputError(f"{path}: there is no job in this file")
    line, job = first
    kind = _kind_of(job)
    if kind is None:
        raise InputError(f"{path}:{line}: {_describe_object(job)}")
    return kind, JsonText(path, decoded, progress, partial(_check, path, kind))


def _describe_object(job: Mapping[str, Any]) -> str:
    """A description of an object that is not a readable job."""
    if "job_id" in job and {"job_state", "submit_time"} & set(job):
        return (
            "this is what squeue --json and scontrol show job --json print, of jobs that have not ended; "
            "print a log with sacct --allusers --starttime 2024-01-01 --json"
        )
    if {"timestamp", "name"} <= set(job) and "context" in job:
        return (
            "this is the log of the events of one job of Flux; print a log with flux jobs -A -c 100000 --json"
        )
    keys = clip(", ".join(job)) or "nothing"
    return f"this is not a job: it has {keys}; jobs of {listed([kind.name for kind in _KINDS])} are read"


def _kind_of(job: Mapping[str, Any]) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.recognises(job)), None)


def _check(path: Path, kind: _Kind, line: int, job: Mapping[str, Any]) -> None:
    """Raise InputError where the first job of a document is not of this kind."""
    if kind.recognises(job):
        return
    other = _kind_of(job)
    what = f"a job of {other.name}" if other else f"not a job: it has {clip(', '.join(job)) or 'nothing'}"
    raise InputError(
        f"{path}:{line}: this is {what}, and those before are jobs of {kind.name}: "
        "together they are not one log"
    )
