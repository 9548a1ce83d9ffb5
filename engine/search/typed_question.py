"""A search as it is typed: names of metrics, bounds, keys and policies, read into a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.search.question import Question, parse_bound, parse_objective
from engine.search.space import parse_space
from engine.slurm.conf.slurm_conf import is_slurm_conf, read_slurm_conf
from engine.slurm.export.policy import slurm_policy
from engine.trace import Trace


@dataclass(frozen=True)
class TypedQuestion:
    """The question of a search as typed. `bounds` and `keys` are separated by commas; without keys the usual
    keys vary.
    """

    minimize: tuple[str, ...] = ("wait_mean",)
    maximize: tuple[str, ...] = ()
    bounds: str = ""
    keys: str = ""
    policy: str = "easy"
    baseline: str = "easy"
    trials: int = 200
    seed: int = 0

    def question(self, trace: Trace | None = None, cluster: Cluster | None = None) -> Question:
        """The parsed question; the path of a `slurm.conf` is the nearest policy of its site.

        What such a file leaves open is completed by a trace and its machine. Raises InputError that names the
        invalid part.
        """

        def policy(text: str) -> Policy:
            if not is_slurm_conf(Path(text.strip())):
                return parse_policy(text)
            names = ((), ()) if trace is None else (trace.queue.names, trace.group.names)
            return slurm_policy(read_slurm_conf(Path(text.strip())), cluster, *names).policy

        texts = (
            (text, large)
            for names, large in ((self.minimize, False), (self.maximize, True))
            for text in names
        )
        objectives = tuple(parse_objective(text, large) for text, large in texts)
        if not objectives:
            raise InputError("choose a metric to minimize or maximize")
        bounds = tuple(map(parse_bound, _parts(self.bounds)))
        space = parse_space(_parts(self.keys))
        return Question(policy(self.policy), space, objectives, bounds, policy(self.baseline))


def _parts(text: str) -> list[str]:
    return [part for part in (part.strip() for part in re.split(r"[,;\n]", text)) if part]
