"""A site's `slurm.conf` as a policy, and what of it has no counterpart here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from engine.errors import InputError, single_line
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.export.priority import can_be_written, priority_keys
from engine.slurm.export.words import Words
from engine.words import clip

_WHOLE = "jobs get whole nodes where the machine is that of this file (--cluster)"


@dataclass(frozen=True)
class SitePolicy:
    """The policy of a site, and in words, a line each, the parts that are left out or approximated."""

    policy: Policy
    left_out: tuple[str, ...]


def slurm_policy(
    conf: SlurmConf,
    machine: Cluster | None = None,
    queues: Collection[str] = (),
    accounts: Collection[str] = (),
) -> SitePolicy:
    """The policy of a `slurm.conf`: a multifactor priority or order of submission, with or without
    backfilling.

    Partitions are `queues` that are bound to their nodes if `machine` is that of the file. If the log has
    several `accounts`, as groups of its users, fairshare uses their usage. Raises InputError, which names the
    file, for an invalid number.
    """
    words = Words(conf)
    keys = _scheduler(conf, words)
    keys |= priority_keys(conf, queues, words, len(set(accounts)))
    keys |= _bindings(conf, machine, queues, words)
    words.leave_out_keys()
    if machine != conf.machine:
        words.left_out += _of_the_machine(conf, machine)
    try:
        policy = parse_policy("easy").with_keys(**keys)
    except InputError as error:
        raise InputError(f"{conf.path}: {error}") from error
    lines = (*conf.notes, *conf.passed_over, *words.left_out)
    return SitePolicy(policy, tuple(dict.fromkeys(map(single_line, lines))))


def _scheduler(conf: SlurmConf, words: Words) -> dict[str, str]:
    """Passes that stop at the first job that does not fit, or those of the backfiller."""
    kind = conf.option("SchedulerType", "sched/backfill").lower()
    if kind == "sched/builtin":
        return {"depth": "stop"}
    if kind != "sched/backfill":
        words.left_out.append(f"SchedulerType={clip(kind)}: jobs start in their order, with backfilling")
    if words.parameters.get("bf_interval") == "-1":
        words.left_out.append(
            "bf_interval=-1: the backfiller is off, and passes stop at the first blocked job"
        )
        return {"depth": "stop"}
    return _backfill(words)


def _backfill(words: Words) -> dict[str, str]:
    """The keys for Slurm's backfiller: reservations for all jobs that it tries, made anew at each pass."""
    interval = words.parameter("bf_interval")
    limit = words.parameter("bf_max_job_test")
    of_user = words.parameter("bf_max_job_user")
    window = words.parameter("bf_window")
    resolution = words.parameter("bf_resolution")
    words.left_out.append("Slurm's passes at each event: all passes are those of its backfiller")
    keys = {
        "depth": "all",
        "pass_every": str(interval),
        "test_limit": str(limit),
        "horizon": str(60 * window),
    }
    if resolution > 1:
        keys["resolution"] = str(resolution)
    if of_user:
        keys["user_test_limit"] = str(min(of_user, 10**9))
    return keys


def _bindings(
    conf: SlurmConf, machine: Cluster | None, queues: Collection[str], words: Words
) -> dict[str, str]:
    """Partitions that do not have all nodes, as queues bound to theirs."""
    some = [p for p in conf.partitions if 0 < len(p.groups) < len(conf.machine.groups)]
    if machine != conf.machine:
        if some:
            words.left_out.append("partitions: their nodes are not nodes of this machine (--cluster)")
        return {}
    there = [p for p in some if p.name in queues]
    bound = [p for p in there if can_be_written(p)]
    missing = [p.name for p in some if p not in bound]
    if missing:
        words.left_out.append(f"partitions without jobs in this log: {clip(', '.join(missing))}")
    text = ";".join(f"{p.name}@{'+'.join(map(str, p.groups))}" for p in bound)
    return {"queue_nodes": text} if text else {}


def _of_the_machine(conf: SlurmConf, machine: Cluster | None) -> Iterator[str]:
    """Notes on how jobs use the nodes of this file, if these are the nodes of the machine."""
    if conf.use.all_whole:
        plugin = conf.option("SelectType") or "select/linear (not given, and so before Slurm 23.11)"
        yield f"SelectType={clip(plugin)}: {_WHOLE}"
    for name in sorted(conf.use.whole):
        yield f"partition {clip(name)}, OverSubscribe=EXCLUSIVE: {_WHOLE}"
    if not conf.use.consumes_ram and (machine is None or machine.limits_ram):
        yield f"{clip(conf.use.because)}: RAM limits jobs, as it does on this machine (see --cluster)"
