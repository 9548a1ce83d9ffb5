"""A log that was read, and the machine on which each policy is simulated on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.own.allowed_code import allow_named
from engine.own.declare import Declaration
from engine.policy.policy import Policy, parse_policy
from engine.reading.options import Reading
from engine.reading.read import on_site_machine, read_log_as
from engine.study import all_numbered, machine_of, run_names
from engine.trace import Trace
from engine.trace.scale import Scaling, scaled
from engine.words import counted


@dataclass(frozen=True, eq=False)
class Log:
    """A log that was read: its jobs, and the machine that they are to run on.

    The machine of the log serves runs that bring none. If a machine was `asked` for, it serves all, also the
    sites. `path` and `reading` say how the log was read, if it came from a file, and `scaling` how it was
    changed.
    """

    trace: Trace
    cluster: Cluster
    asked: bool = False
    path: Path | None = None
    reading: Reading = field(default_factory=Reading)
    scaling: Scaling = Scaling()  # noqa: RUF009 - it is immutable

    def __len__(self) -> int:
        return len(self.trace)

    def __repr__(self) -> str:
        return f"<log {self.trace.name}: {counted(len(self), 'job')}, machine {self.cluster}>"

    def job(self, job_id: int | str) -> int:
        """The index of the job with that id, of several the first. Raises InputError."""
        rows = np.flatnonzero(np.asarray(self.trace.job_id).astype(str) == str(job_id))
        if len(rows) == 0:
            example = self.trace.job_id[0] if len(self) else "none"
            raise InputError(f"{self.trace.name} has no job {job_id}; its job ids look like {example}")
        return int(rows[0])

    def policy(
        self, spelled: str | Declaration, estimate: str | None = None, seed: int | None = None
    ) -> Policy:
        """A policy by its spelling, or of a site by the path of its `slurm.conf`. Raises InputError.

        `estimate` and `seed` are of policies that name none.

        Code of the user's own that it names, or that is given as it was imported, may run: a program in
        Python, or a command, has asked for that.
        """
        text = str(spelled)
        allow_named(text)
        return parse_policy(text, estimate, seed)

    def machine(self, policy: Policy) -> Cluster:
        """The machine on which a policy runs: a site on that of its files, unless another was asked for."""
        return self.cluster if self.asked else machine_of(policy, self.cluster)

    def doubt_of_machine(self, policy: Policy) -> str:
        """On which machine a site runs where that is not the one of its files, in words; else empty."""
        if policy.site is None or self.machine(policy) == policy.machine:
            return ""
        if policy.machine is None:
            return f"its files name no nodes: it runs on {self.machine(policy)}"
        return f"it runs on {self.machine(policy)}, not on its own {policy.machine}"

    def name(self, policy: Policy) -> str:
        """The name of the policy's run: its label, and its machine if not that of the log or site."""
        return self.names([policy])[0]

    def names(self, policies: Sequence[Policy]) -> list[str]:
        """The names of runs that are shown together, none of which is called as another."""
        return all_numbered(run_names([(policy, self.machine(policy)) for policy in policies], self.cluster))

    def on_site_machine(self, policies: Sequence[Policy]) -> Log:
        """The log as read for the machine of the first site among the policies, unless one was asked for.

        `recorded`, shares for expected ends, and policies that bring no machine go by it then. Raises
        InputError.
        """
        reading = on_site_machine(self.reading, policies)
        if self.asked or reading == self.reading:
            return self
        if self.path is None:
            return replace(self, cluster=next(filter(None, (policy.machine for policy in policies))))
        read = read_log_as(self.path, reading)
        return replace(self, trace=scaled(read.trace, self.scaling), cluster=read.cluster, reading=reading)
