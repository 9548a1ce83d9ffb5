"""A job that a reader asks about, as it is typed in."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InputError
from engine.logs.queue.state import QueuedJob, new_job
from engine.machine.cluster import NodeGroup
from engine.spelling import parse_duration


@dataclass(frozen=True)
class AskedJob:
    """The fields as they are filled in: of each node its processors, memory (GiB, 0: any) and GPUs."""

    nodes: int = 1
    cpus: int = 1
    ram: int = 0
    gpus: int = 0
    limit: str = "1h"
    user: str = ""
    partition: str = ""

    @property
    def job(self) -> QueuedJob:
        """The job. Raises InputError where the walltime is none, or no node can be so large."""
        try:
            limit = parse_duration(self.limit)
        except (InputError, ValueError) as error:
            raise InputError(f"walltime: {error}") from None
        if limit < 1:
            raise InputError("walltime: at least 1 s is needed")
        extra = (("gpu", self.gpus),) if self.gpus else ()
        group = NodeGroup(self.nodes, self.cpus, self.ram * 1024 or None, extra)
        return new_job(self.user, self.partition, limit, group)
