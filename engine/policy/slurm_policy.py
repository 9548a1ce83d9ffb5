"""A site's `slurm.conf` as a policy, and what of it has no counterpart here."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from engine.errors import InputError, one_line
from engine.machine.cluster import Cluster
from engine.machine.slurm_conf import Partition, SlurmConf
from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.spelling import DAY, spell_duration, spell_number
from engine.words import clip

_MAX_AGE = _HALF_LIFE = 7 * DAY
"""s after which age counts no more, and in which usage is forgotten by half, where the file does not say."""

_INTERVAL, _TEST_LIMIT, _WINDOW, _RESOLUTION = 30, 500, 1440, 60
"""What Slurm's backfiller does where the file does not say: s between passes, jobs tried in each, minutes
that it looks ahead, and s to which it keeps times."""

_LARGEST_WEIGHT = 999_999
_DURATION = re.compile(r"(?:(\d{1,6})-)?(\d{1,9})(?::(\d{1,2}))?(?::(\d{1,2}))?", re.ASCII)
_SPELLABLE = re.compile(r"[^@;+,:=\"\s]+")

_PRIORITY_ALONE = {
    "priorityweightqos": "the log may name a quality of service, but jobs gain nothing by it",
    "priorityweightassoc": "associations have no priorities",
    "priorityweighttres": "only processors count for the size of a job",
    "prioritysitefactorparameters": "there is no factor of the site",
    "priorityusageresetperiod": "usage fades, and is never reset",
    "prioritycalcperiod": "priorities are worked out at every pass",
    "priorityflags": "there are no such flags",
    "preempttype": "jobs are never preempted",
    "preemptmode": "jobs are never preempted",
    "overtimelimit": "jobs are never killed for their limit: the log's runtimes count",
}
_PARAMETERS_ALONE = {
    "bf_continue": "a pass is never interrupted",
    "bf_max_job_part": "a pass looks at any number of jobs of a queue",
    "bf_max_job_start": "a pass starts any number of jobs",
    "default_queue_depth": "every pass looks at as many jobs as the backfiller does",
}
_PARTITION_ALONE = {
    "maxtime": "queues have no limit of walltimes",
    "maxnodes": "queues have no limit of nodes",
    "minnodes": "queues have no limit of nodes",
    "maxcpuspernode": "queues have no limit of processors on a node",
    "maxmempernode": "queues have no limit of RAM on a node",
    "prioritytier": "queues have no tiers",
    "oversubscribe": "processors are never shared",
    "exclusiveuser": "nodes are shared by users",
    "qos": "a queue has no quality of service",
    "allowaccounts": "every job may use its queue",
    "allowgroups": "every job may use its queue",
    "allowqos": "every job may use its queue",
    "gracetime": "jobs are never preempted",
}
_NOTHING = ("", "0", "none", "no", "unlimited", "infinite", "all", "preempt/none", "off")


@dataclass(frozen=True)
class SitePolicy:
    """The policy of a site, and in words, a line each, what it leaves out or only comes near to."""

    policy: Policy
    left_out: tuple[str, ...]


def slurm_policy(
    conf: SlurmConf,
    machine: Cluster | None = None,
    queues: Collection[str] = (),
    accounts: Collection[str] = (),
) -> SitePolicy:
    """What Slurm does by this file: a multifactor priority or submission, with or without backfilling.

    Partitions are `queues` that are bound to their nodes where `machine` is that of the file. Where the log
    names several `accounts`, as groups of its users, fairshare goes by their usage. Raises
    InputError, which names the file, where a number cannot be read.
    """
    words = _Words(conf)
    keys: dict[str, str] = {}
    if conf.options.get("schedulertype", "sched/backfill").lower() == "sched/builtin":
        keys["depth"] = "stop"
    else:
        keys |= _backfill(words)
    if conf.options.get("prioritytype", "priority/multifactor").lower() == "priority/multifactor":
        keys |= _priority(conf, queues, words, len(set(accounts)))
    keys |= _bindings(conf, machine, queues, words)
    for name, why in _PRIORITY_ALONE.items():
        words.leave_out(name, why)
    if "linear" in conf.options.get("selecttype", ""):
        words.left_out.append("SelectType=select/linear: jobs take processors, not whole nodes")
    for partition in conf.partitions:
        _leave_out_keys(partition, words)
    try:
        policy = parse_policy("easy").with_keys(**keys)
    except InputError as error:
        raise InputError(f"{conf.path}: {error}") from error
    return SitePolicy(policy, tuple(map(one_line, (*conf.passed_over, *words.left_out))))


class _Words:
    """The options of the file, and what of them was left out."""

    def __init__(self, conf: SlurmConf) -> None:
        self.conf = conf
        self.left_out: list[str] = []
        parts = (part.partition("=") for part in conf.options.get("schedulerparameters", "").split(","))
        self.parameters = {name.strip().lower(): value.strip() for name, _, value in parts if name.strip()}

    def number(self, name: str, usual: int = 0) -> int:
        """A whole number of an option. Raises InputError."""
        return self._read(name, self.conf.options.get(name), usual)

    def parameter(self, name: str, usual: int) -> int:
        """A whole number of the parameters of the scheduler. Raises InputError."""
        return self._read(name, self.parameters.pop(name, None), usual)

    def seconds(self, name: str, usual: int) -> int:
        """A length of time as Slurm writes it, `7-00:00:00`. Raises InputError."""
        text = self.conf.options.get(name)
        if text is None:
            return usual
        match = _DURATION.fullmatch(text)
        if match is None:
            raise InputError(f"{self.conf.path}: {name}={clip(text)} is no length of time")
        days, *parts = match.groups()
        numbers = [int(part) for part in parts if part is not None]
        scale = (3600, 60, 1) if days is not None or len(numbers) == 3 else (60, 1)
        return DAY * int(days or 0) + sum(a * b for a, b in zip(numbers, scale, strict=False))

    def leave_out(self, name: str, why: str) -> None:
        """Say that an option has no counterpart, if it says anything."""
        text = self.conf.options.get(name, "")
        if text.lower() not in _NOTHING:
            self.left_out.append(f"{name}={clip(text)}: {why}")

    def _read(self, name: str, text: str | None, usual: int) -> int:
        if text is None:
            return usual
        if not re.fullmatch(r"\d{1,10}", text, re.ASCII):
            raise InputError(f"{self.conf.path}: {name}={clip(text)} is no whole number")
        return int(text)


def _backfill(words: _Words) -> dict[str, str]:
    """Slurm's backfiller: reservations for all the jobs that it tries, made anew at each pass."""
    interval = words.parameter("bf_interval", _INTERVAL)
    limit = words.parameter("bf_max_job_test", _TEST_LIMIT)
    of_user = words.parameter("bf_max_job_user", 0)
    window = words.parameter("bf_window", _WINDOW)
    resolution = words.parameter("bf_resolution", _RESOLUTION)
    for name, value in words.parameters.items():
        text = f"{name}={clip(value)}" if value else clip(name)
        words.left_out.append(f"{text}: {_PARAMETERS_ALONE.get(name, 'there is nothing like it here')}")
    words.left_out.append("Slurm's passes at each event: all passes are those of its backfiller")
    keys = {
        "depth": "all",
        "pass_every": str(max(interval, 1)),
        "test_limit": str(max(limit, 1)),
        "horizon": str(60 * max(window, 1)),
    }
    if resolution > 1:
        keys["resolution"] = str(resolution)
    if of_user:
        keys["user_test_limit"] = str(of_user)
    return keys


def _priority(conf: SlurmConf, queues: Collection[str], words: _Words, accounts: int) -> dict[str, str]:
    """Weights of the factors that there are here; of users' usage, its half-life."""
    weights = {
        "age": words.number("priorityweightage"),
        "fairshare": words.number("priorityweightfairshare"),
        "size": words.number("priorityweightjobsize"),
        "queue": words.number("priorityweightpartition"),
    }
    if conf.options.get("priorityfavorsmall", "no").lower() == "yes":
        weights["small"] = weights.pop("size")
    factors = _factors(conf, queues, words) if weights["queue"] else ""
    if not factors:
        weights["queue"] = 0
    named = {name: weight for name, weight in weights.items() if weight}
    if not named:
        return {}
    shrink = 1
    while max(named.values()) > _LARGEST_WEIGHT * shrink:
        shrink *= 10
    spelled = ";".join(f"{name}={spell_number(round(w / shrink, 6))}" for name, w in named.items())
    keys = {"order": "priority", "weights": spelled}
    if factors:
        keys["queue_priority"] = factors
    if "age" in named:
        keys["max_age"] = spell_duration(max(words.seconds("prioritymaxage", _MAX_AGE), 1))
    if "fairshare" in named:
        half_life = words.seconds("prioritydecayhalflife", _HALF_LIFE)
        keys |= {"penalty": "cpu", "half_life": KEY["half_life"].spell(half_life or None)}
        if accounts > 1:
            keys["usage_of"] = "group"
            words.left_out.append("fairshare within an account: the usage of its users counts as one")
    return keys


def _factors(conf: SlurmConf, queues: Collection[str], words: _Words) -> str:
    """The factors of the partitions as priorities of queues; nothing where these tell no jobs apart."""
    spelled = [p for p in conf.partitions if _SPELLABLE.fullmatch(p.name)]
    if odd := [p.name for p in conf.partitions if p not in spelled]:
        words.left_out.append(f"PriorityJobFactor of partitions with such names: {clip(', '.join(odd))}")
    factors = {partition.name: _factor(partition) for partition in spelled}
    if len(set(factors.values())) < 2:
        words.left_out.append("PriorityWeightPartition: all partitions have the same PriorityJobFactor")
        return ""
    other = [name for name in queues if name not in factors]
    if queues and len(other) == len(queues):
        words.left_out.append("PriorityWeightPartition: this log has no jobs in partitions of this file")
        return ""
    if other:
        words.left_out.append(
            f"PriorityJobFactor of queues without a partition here, 0: {clip(', '.join(other))}"
        )
    return ";".join(f"{name}@{factor}" for name, factor in factors.items())


def _factor(partition: Partition) -> int:
    text = partition.keys.get("priorityjobfactor", "1")
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 1


def _bindings(
    conf: SlurmConf, machine: Cluster | None, queues: Collection[str], words: _Words
) -> dict[str, str]:
    """Partitions that do not have all nodes, as queues bound to theirs."""
    some = [p for p in conf.partitions if 0 < len(p.groups) < len(conf.machine.groups)]
    if machine != conf.machine:
        if some:
            words.left_out.append("partitions: their nodes are no nodes of this machine (--cluster)")
        return {}
    there = [p for p in some if p.name in queues]
    bound = [p for p in there if _SPELLABLE.fullmatch(p.name)]
    missing = [p.name for p in some if p not in bound]
    if missing:
        words.left_out.append(f"partitions without jobs in this log: {clip(', '.join(missing))}")
    text = ";".join(f"{p.name}@{'+'.join(map(str, p.groups))}" for p in bound)
    return {"queue_nodes": text} if text else {}


def _leave_out_keys(partition: Partition, words: _Words) -> None:
    for name, why in _PARTITION_ALONE.items():
        text = partition.keys.get(name, "")
        if text.lower() not in _NOTHING:
            words.left_out.append(f"partition {clip(partition.name)}, {name}={clip(text)}: {why}")
