"""Random small workloads, machines and policies, made fast: some ten thousand a minute.

`tests.engine.simulation.workloads` makes such ones for Hypothesis, which shrinks what fails, but takes
fifty times as long.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Failures, Outages
from engine.policy.keys import KEYS
from engine.policy.policy import PRESETS, Policy, parse_policy
from engine.policy.share_file import UserShares
from engine.trace import MISSING, Pieces, Trace
from engine.trace.trace import WHOLE_PACKED
from tests.engine.simulation.naive_machine import FEATURES
from tests.traces import make_trace

_UNITS = (1, 1, 1, 1, 1, 7, 60, 600, 3600, 90_000)
_WORDS = ("", "brno", "rack0", "cl_rack1", "^rack0", "rack01", "^rack12.site.org", "#excl", "cl_rack0#excl")
_FEATURES = tuple(FEATURES)
_PRESETS = tuple(name for name in PRESETS if name != "recorded")


@dataclass(frozen=True)
class Row:
    """One job. Times in s; a task group is a count, CPUs and MiB of RAM a task, and one of _WORDS.

    `demands` of each are the least CPUs of nodes that it takes whole, and one of _FEATURES.
    """

    submit: int
    runtime: int
    walltime: int
    tasks: tuple[tuple[int, int, int, int], ...]
    user: int
    queue: int
    executable: int
    follows: int = 0  # that many jobs in front of it is the one that it follows, where jobs do; 0: none
    think: int = 0  # s
    demands: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Workload:
    """A case, from which jobs can be taken away."""

    rows: tuple[Row, ...]
    cluster: Cluster
    policy: Policy

    @cached_property
    def trace(self) -> Trace:
        """The jobs as a trace; queues are called q0, q1 and q2 whether jobs are in them or not."""
        rows = self.rows
        # Group of tasks: count, processors, RAM, and the number of a constraint.
        tasks = [[task[:3] for task in row.tasks] for row in rows]
        words = [task[3] for row in rows for task in row.tasks]
        ram = [sum(count * mib for count, _, mib in groups) or MISSING for groups in tasks]
        trace = make_trace(
            [row.submit for row in rows],
            [row.runtime for row in rows],
            [sum(count * cpus for count, cpus, _ in groups) for groups in tasks],
            walltime=[row.walltime for row in rows],
            user=[f"u{row.user}" for row in rows],
            queue=[f"q{row.queue}" for row in rows],
            executable=[row.executable for row in rows],
            group=[f"g{row.executable}" for row in rows],
            ram=ram,
            tasks=tasks,
        )
        # Columns that nobody uses are left out, since their mere presence chooses other code.
        columns = dict(trace.tasks.columns)
        if any(words):
            columns["constraint"] = np.array(words, np.int64)
            trace = replace(trace, constraints=_WORDS)
        given = [demand for row in rows for demand in row.demands or ((0, 0),) * len(row.tasks)]
        demands = np.array(given, np.int64).reshape(-1, 2)
        if demands.any():
            columns |= {"whole": demands[:, 0], "feature": demands[:, 1]}
            trace = replace(trace, features=_FEATURES)
        return replace(trace, tasks=Pieces(trace.tasks.offset, columns))

    @property
    def closed(self) -> Trace:
        """The same jobs, some of which follow others."""
        ahead = [index - row.follows for index, row in enumerate(self.rows)]
        return replace(
            self.trace,
            preceding=np.array(
                [job + 1 if job < index else MISSING for index, job in enumerate(ahead)], np.int64
            ),
            think_time=np.array([row.think for row in self.rows], np.int64),
            dependencies=True,
        )

    def __str__(self) -> str:
        failures = self.cluster.failures
        down = ""
        if isinstance(failures, Outages):
            spans = zip(failures.node.tolist(), failures.start.tolist(), failures.end.tolist(), strict=True)
            down = f", down (node, from, to): {list(spans)}"
        groups = "+".join(
            f"{group.spelling}{group.name and f' ({group.name})'}{list(group.features) or ''}"
            for group in self.cluster.groups
        )
        drawn = f"~{failures.spelling}" if isinstance(failures, Failures) else ""
        shares = f", shares {dict(self.policy.shares.of_user)}" if self.policy.shares.of_user else ""
        jobs = "\n".join(f"  {row}" for row in self.rows)
        words = f"constraints {_WORDS}, features {_FEATURES}"
        return f"{self.policy}{shares} on {groups}{drawn}{down}, {words}:\n{jobs}"


def random_workload(chance: random.Random) -> Workload:
    """Any policy on any machine with jobs that suit it, more or less."""
    unit = chance.choice(_UNITS)
    rows = _rows(chance, unit)
    cluster = _cluster(chance, unit, rows[0].submit)
    return Workload(rows, cluster, _policy(chance, unit, cluster, rows))


def _rows(chance: random.Random, unit: int) -> tuple[Row, ...]:
    count = chance.choice((chance.randint(1, 8), chance.randint(5, 20), chance.randint(15, 40)))
    gap, longest = chance.choice((0, 1, 2, 4, 8)), chance.choice((3, 12, 30))
    widest, with_ram = chance.choice((1, 2, 3, 3)), chance.random() < 0.4
    users, with_text, demanding = chance.choice((1, 2, 4)), chance.random() < 0.2, chance.random() < 0.2
    round_to, over = chance.choice((1, 1, 5, 15)), chance.choice((0, 3, 20))
    now = chance.choice((0, 0, 0, 1, 64, 1_000_000_007))
    rows = []
    for _ in range(count):
        now += chance.randint(0, gap) * unit
        if chance.random() < 0.02:
            now += chance.choice((100, 5000)) * unit
        runtime = max(1, chance.randint(1, longest) * unit - chance.choice((0, 0, 1)))
        walltime = -(-(runtime + chance.randint(0, over) * unit) // (round_to * unit)) * round_to * unit
        tasks = tuple(
            (
                chance.randint(1, 3) if chance.random() < 0.97 else chance.randint(4, 30),
                chance.randint(1, widest),
                chance.randint(0, 6) if with_ram else 0,
                chance.randrange(len(_WORDS)) if with_text else 0,
            )
            for _ in range(chance.choice((1, 1, 1, 2)))
        )
        if _WORDS[tasks[0][3]].endswith("#excl"):  # a job is so with all its tasks
            tasks = tuple((*task[:3], tasks[0][3]) for task in tasks)
        elif any(_WORDS[task[3]].endswith("#excl") for task in tasks):
            tasks = tuple((*task[:3], 0) for task in tasks)
        whole = chance.random() < 0.3
        demands = tuple(
            (
                chance.choice((WHOLE_PACKED, 1, task[1])) if whole else 0,
                chance.randrange(len(_FEATURES)) if chance.random() < 0.5 else 0,
            )
            if demanding
            else (0, 0)
            for task in tasks
        )
        rows.append(
            Row(
                now,
                runtime,
                walltime,
                tasks,
                chance.randrange(users),
                chance.randrange(3),
                chance.randrange(2),
                chance.choice((0, 1, 1, 2, 5)),
                chance.choice((0, 0, 1, unit * chance.randint(0, 20))),
                demands,
            )
        )
    return tuple(rows)


def _cluster(chance: random.Random, unit: int, begin: int) -> Cluster:
    with_ram = chance.random() < 0.4
    # Pools have a simulation of their own, and RAM is known to some nodes or to none.
    if chance.random() < 0.4:
        return Cluster((NodeGroup(1, chance.randint(3, 24), chance.randint(10, 60) if with_ram else None),))
    groups = tuple(
        NodeGroup(
            chance.randint(1, 5),
            chance.randint(1, 8),
            chance.randint(4, 40) if with_ram and chance.random() < 0.8 else None,
            name=chance.choice(("", f"rack{number}")),
            features=chance.choice(((), (), ("a",), ("b",), ("a", "b"))),
        )
        for number in range(chance.choice((1, 1, 2)))
    )
    cluster = Cluster(groups)
    if cluster.pooled or chance.random() < 0.6:
        return cluster
    return replace(cluster, failures=_failures(chance, unit, begin, cluster.nodes))


def _failures(chance: random.Random, unit: int, begin: int, nodes: int) -> Outages | Failures:
    if unit >= 600 and chance.random() < 0.5:
        every, lasts = chance.choice((20, 60, 200)) * unit, chance.randint(1, 5) * unit
        return Failures(every, lasts, chance.randrange(100), chance.choice((1.0, 0.7)))
    spans = [
        (chance.randrange(nodes), begin + chance.randint(-20, 90) * unit, chance.randint(1, 25) * unit)
        for _ in range(chance.choice((1, 3, 8, 20)))
    ]
    node, start, length = np.array(spans, np.int64).T
    start = np.maximum(start, 0)
    return Outages.merged(node, start, start + length)


def _policy(chance: random.Random, unit: int, cluster: Cluster, rows: Sequence[Row]) -> Policy:
    """A preset with some keys, without those that have no effect beside the keys before them."""
    policy = parse_policy(chance.choice(_PRESETS))
    wanted = set(chance.sample(list(_VALUES), chance.choice((0, 1, 2, 3, 5, 8))))
    if chance.random() < 0.25:
        wanted.add("order")  # most presets have an order with which few other keys have an effect
    if "partitions" in wanted:
        wanted.add("placement")
    for key in KEYS:
        if key.name not in wanted:
            continue
        value = _VALUES[key.name](chance, unit, cluster)
        try:
            policy = policy.with_keys(**{key.name: value})
        except InputError:
            continue
    if policy.search != "none" and int(policy.search_every) < unit:
        policy = policy.with_keys(search_every=str(unit))  # of searches a case has no ten thousands either
    uses_shares = policy.order == "fairshare" or (
        policy.order == "priority" and "fairshare" in policy.weights
    )
    if uses_shares and chance.random() < 0.3:
        shares = tuple((f"u{user}", chance.choice((0.5, 1.0, 3.0, 1e-3))) for user in range(3))
        policy = replace(policy, shares=UserShares("shares.csv", shares))
    return policy


def _of(*values: str) -> Callable[[random.Random, int, Cluster], str]:
    return lambda chance, unit, cluster: chance.choice(values)


def _times(*values: int) -> Callable[[random.Random, int, Cluster], str]:
    return lambda chance, unit, cluster: str(chance.choice(values) * chance.choice((1, unit)))


def _placement(chance: random.Random, unit: int, cluster: Cluster) -> str:
    alike = len(cluster.groups) == 1 and not cluster.pooled
    return chance.choice(("first", "best", "worst", "reliable", *["contiguous"] * (3 * alike)))


def _partitions(chance: random.Random, unit: int, cluster: Cluster) -> str:
    first = chance.choice([size for size in range(1, cluster.nodes + 1) if cluster.nodes % size == 0])
    sizes = range(first, cluster.nodes + 1, first)
    return "+".join(map(str, sorted({first, *chance.sample(sizes, chance.randint(0, len(sizes) - 1))})))


def _bindings(chance: random.Random, unit: int, cluster: Cluster) -> str:
    if cluster.pooled:
        return "any"
    groups = [group.name or str(number) for number, group in enumerate(cluster.groups, 1)]
    queues = chance.sample(("q0", "q1", "q2"), chance.randint(1, 2))
    return ";".join(f"{queue}@{chance.choice([*groups, '+'.join(groups)])}" for queue in queues)


def _tunings(chance: random.Random, unit: int, cluster: Cluster) -> str:
    # Times are multiples of the unit of this workload, so that checks fall into it.
    every = chance.choice((1, 5, 15)) * unit
    bf = (
        f"bf:-0.5:0..1:queue_depth>=1:{every}",
        f"bf:0.3:0..1:queue_length<=3:{every}",
        f"bf:-0.25:0..1:utilization>0.8:{every}",
        f"bf:-0.5:0..1:bounded_slowdown_3>2:{every}",
        f"bf:-0.3:0..1:wait>={20 * unit}|<{5 * unit}:{every}",
        f"bf:-0.5:0..1:violated_3=0.3:{every}",
    )
    window = (
        f"window:1:1..4:utilization_{20 * unit}<=mean_{50 * unit}:{every}",
        f"window:2:1..4:queue_depth>=mean_{30 * unit}:{every}",
        f"window:-1:1..4:queue_length<2:{every}",
    )
    both = f"{chance.choice(bf)};{chance.choice(window)}"
    return chance.choice(("bf", "window", "2d", chance.choice(bf), chance.choice(window), both))


def _intervals(chance: random.Random, unit: int, cluster: Cluster) -> str:
    """Interval of passes of which a case has no million: on nodes each of them is made."""
    return str(chance.choice((1, 3, 20, 600)) * (unit if unit > 60 else chance.choice((1, unit))))


_STATIC = ("fcfs", "sjf", "ljf", "saf", "laf", "widest", "narrowest")

_VALUES: dict[str, Callable[[random.Random, int, Cluster], str]] = {
    "order": _of(
        *_STATIC, *("fairshare", "balanced", "priority") * 2, "slack", "nuwt", "queues", "auction", "score"
    ),
    "score": _of(
        "wait / walltime", "-usage", "user_queued * (hour < 12) - slack / procs", "-estimate", "0 / wait"
    ),
    "depth": _of("stop", "0", "1", "2", "3", "5", "all", "all", "kept"),
    "backfill": _of("queue", *_STATIC),
    "estimate": _of(
        *("requested", "actual", "scaled0.5", "scaled1.5", "scaled2"),
        *("last2", "hierarchy", "survival2", "survival30", "linear"),
    ),
    "estimate_once": _of("on"),
    "gate": _of("on"),
    "ties": _of("fcfs", "longest", "shortest", "widest"),
    "threshold": _times(1, 5, 20, 60),
    "relaxed": _of("0", "0.3", "1", "2"),
    "placement": _placement,
    "partitions": _partitions,
    "constraints": _of("on"),
    "penalty": _of("cpu", "max", "sqrt", "product", "equivalent"),
    "half_life": _times(1, 5, 60),
    "accrue": _of("always", "end"),
    "usage_of": _of("group"),
    "max_age": _times(1, 5, 60),
    "eet_share": _of("2c", "1/3", "fair:batches=1m", "1/2:share_decay=5m"),
    "bf": _of("1", "0.5", "0.3", "0"),
    "window": _of("2", "2", "3", "4", "6"),
    "tune": _tunings,
    "queue_depth": _of("0", "1", "5", "400"),
    "weights": _of(
        *(
            "age=1;fairshare=1",
            "age=1000;size=1",
            "fairshare=0.3;queue=0.1;size=0.5",
            "small=2;age=1",
            "queue=1",
            "fairshare=2",
        )
    ),
    "queue_priority": _of("q0@3;q1@4", "q1@0.5;q2@0", "q7@1"),
    "max_user_jobs": _of("1", "2", "3"),
    "max_user_cpus": _of("2", "6", "12"),
    "max_queue_cpus": _of("3", "8", "14"),
    "queue_limits": _of("q0@3", "q0@8;q1@14", "q1@6;q2@2"),
    "queue_nodes": _bindings,
    "pass_every": _intervals,
    "test_limit": _of("1", "2", "5", "20"),
    "user_test_limit": _of("1", "2", "5"),
    "horizon": _times(1, 20, 3600),
    "resolution": _times(2, 7, 60),
    "replan": _of("planned"),
    "gap": _of("best"),
    "search": _of("gap", "random", "tabu", "annealing", "greedy"),
    "plan_depth": _of("1", "2", "5"),
    "search_every": _times(1, 20, 600),
    "trials": _of("1", "10", "50"),
    "criteria": _of("wait=1", "slowdown=1;nuwt_std=2", "nuwt_mean=1", "violated=1", "wait=1;tardiness=2"),
    "on_failure": _of("continue", "continue", "lose"),
    "max_restarts": _of("0", "1", "2"),
    "n": _of("1", "2", "3", "100"),
    "prices": _of("100..10000", "4000..6000"),
    "valuation": _of("normal:5000:2000", "normal:0:50"),
    "fade": _of("5@1;20@0.5;60@-0.5", "0@1;3600@0;fall"),
    "bids": _of("density"),
    "pay": _of("displaced"),
    "budget": _of("3000", "9000;500/7", "0;4000/1m;9000"),
    "preempt_value": _of("1", "2", "1.5"),
    "seed": _of("0", "1", "2"),
}
"""A value of each key, spelled; `shares`, a file, is set by itself, and no machine here tells its power."""

assert {*_VALUES, "shares", "power_cap", "power_off", "price_below", "price_jobs", "price_wait"} == {
    key.name for key in KEYS
}
