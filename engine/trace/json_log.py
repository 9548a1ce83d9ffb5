"""Logs that are JSON: what `sacct --json` prints, and workloads of Batsim."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.trace.batsim import is_batsim, read_batsim
from engine.trace.files import Progress
from engine.trace.json_document import JsonDocument
from engine.trace.records import Records
from engine.trace.slurm_json import is_sacct, read_sacct
from engine.words import clip


def is_json(head: bytes) -> bool:
    """Whether a file that begins like this is a JSON object."""
    return re.match(rb"\s*\{\s*[\"}]", head) is not None


def read_json(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Records:
    """The jobs of such a document. Raises InputError, with the line, where it has none or is broken."""
    document = JsonDocument(path, text.tobytes().decode("utf-8", "replace").rstrip(), progress)
    first = next(document.jobs(), None)
    if first is None:
        raise InputError(f"{path}: there is no job in this file")
    line, job = first
    if is_batsim(job):
        return read_batsim(document, machine)
    if is_sacct(job):
        return read_sacct(document, machine)
    keys = clip(", ".join(job)) or "nothing"
    raise InputError(f"{path}:{line}: this job is neither of Slurm nor of Batsim: it has {keys}")
