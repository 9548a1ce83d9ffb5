"""The input of a run of a study besides its trace: it determines the run and the name of its row."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from engine.errors import InputError
from engine.input import naming, open_input
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import evaluate
from engine.metrics.metric_names import parameterised_values
from engine.metrics.needs import needs_of
from engine.metrics.own_metric import own_metric
from engine.policy.policy import Policy
from engine.policy.share import Share, parse_share
from engine.run_source import schedule_of
from engine.simulation.control import Control
from engine.simulation.run import reference_schedule
from engine.study import machine_of
from engine.sweep.conditions import OWN
from engine.sweep.digest import digest_of
from engine.sweep.study_file import PlannedRun
from engine.trace import Trace
from engine.trace.scale import Scaling

Value = float | int | None


def trace_digest(trace: Trace) -> str:
    """The digest of everything in a trace that a run reads, which excludes quality notes."""
    return digest_of(trace, without=("notes",))


@dataclass(frozen=True)
class RunInput:
    """The input of a run besides its trace. Named files are read when this value is made.

    `values` depends only on these fields and the trace, and `name` covers every field: a row cached under the
    name equals the row that the run would give.
    """

    policy: Policy  # with the contents of its files of shares and queues
    cluster: Cluster
    usual: Cluster  # the study's machine, by which the users' shares go
    scaling: Scaling  # of the trace
    own_machine: bool  # True if the cluster is the trace's or the study's, and not named by the run
    share: Share  # the users' expected share, with the contents of its file
    metrics: tuple[str, ...]
    schedule_file: str  # the digest of the policy's schedule file, empty where it has none
    code: tuple[str, ...] = ()  # the digests of the user's own code among the metrics; the policy has its own

    @classmethod
    def of(cls, run: PlannedRun, cluster: Cluster, metrics: Sequence[str], asked: bool = False) -> RunInput:
        """The input of a planned run on `cluster`, unless the run names a machine or its site brings one.

        A machine that was `asked` for serves sites, too. Raises InputError.
        """
        under = run.conditions
        own = under.machine == OWN
        usual = cluster if own else parse_cluster(under.machine)
        return cls(
            policy=run.policy,
            cluster=machine_of(run.policy, usual) if own and not asked else usual,
            usual=usual,
            scaling=under.scaling,
            own_machine=own,
            share=parse_share(under.share),
            metrics=tuple(metrics),
            schedule_file=_file_digest(run.policy.file),
            code=tuple(own.file.digest for own in map(own_metric, metrics) if own is not None),
        )

    def name(self, trace: str) -> str:
        """The name of the run's row for a trace, given as its `trace_digest` before scaling."""
        return digest_of((trace, self, program_digest()))[:32]

    def values(self, trace: Trace, control: Control) -> dict[str, Value]:
        """The metrics by name, for a trace that is scaled already. Raises Cancelled and InputError."""
        if self.policy.file and (self.scaling or not self.own_machine):
            raise InputError(
                f"{self.policy.spelling}: the schedule of a file is that of the log as it is, "
                "not of a scaled log or of another machine"
            )
        schedule = schedule_of(trace, self.cluster, self.policy, control=control, **needs_of(self.metrics))
        if not any(name in METRICS for name in self.metrics):
            return parameterised_values(schedule, schedule.ran, self.metrics)
        reference = reference_schedule(trace, self.usual, [schedule])
        (judged,) = evaluate([schedule], self.share, reference, extra=self.metrics)
        return {name: judged.summary[name] for name in self.metrics}


def _file_digest(file: str) -> str:
    """The digest of a file's contents. Raises InputError where it cannot be read."""
    if not file:
        return ""
    digest = hashlib.sha256()
    with naming(Path(file)), open_input(Path(file)) as opened:
        while data := opened.read():
            digest.update(data)
    return digest.hexdigest()


@cache
def program_digest() -> str:
    """The digest of the program's version and of the engine's sources, which results depend on too."""
    digest = hashlib.sha256(version("batchscope").encode())
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
