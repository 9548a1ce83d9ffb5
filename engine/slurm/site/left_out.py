"""The parts of a site's files that are not simulated, in words, with the number of jobs that each touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.slurm.conf.slurm_conf import Partition
from engine.slurm.options.keys import FLAGS, PARAMETERS, PARTITION, SETTINGS
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.trace.trace import Names
from engine.words import clip, plural

Mask = NDArray[np.bool_]
Touches = Callable[[Trace], Mask]


class Left(NamedTuple):
    """A part that is not simulated, and which jobs of a trace it touches, (n,); None: nobody can say."""

    text: str
    touches: Touches | None = None


SIMULATED = frozenset(
    [
        *("batch_sched_delay", "bf_continue", "bf_max_job_part", "bf_max_job_start", "bf_window_linear"),
        *("default_queue_depth", "defer", "defer_batch", "requeue_delay", "sched_interval"),
        *("preempt_reorder_count", "PriorityWeightQOS", "PreemptExemptTime", "PreemptMode", "PreemptType"),
        *("FairShareDampeningFactor", "JobRequeue", "KillWait", "OverTimeLimit", "PriorityCalcPeriod"),
        *("Weight", "GraceTime", "ResvOverRun", "FAIR_TREE", "NO_FAIR_TREE", "DEPTH_OBLIVIOUS"),
    ]
)
"""Keys that are obeyed here, and that a policy of the papers' simulator has no counterpart for.

`defer` changes nothing for batch jobs, which are not tried at their submission anyway."""

_OF_PARTITION = ("MaxTime", "MaxNodes", "MinNodes", "PreemptMode", "GraceTime")
_PREEMPTS = ("preempt/none", "preempt/partition_prio", "preempt/qos")

_NAMED = 8
"""Names of accounts or QOS that a line lists; further ones are counted."""

_NO_NAMES = ("", "-1", "none", "(null)", "unknown", "n/a")

_MORE_PASSES = "passes of the main scheduler try as many jobs as default_queue_depth says"
_NO_OVERRUN = "jobs do not use nodes of a reservation beyond its times"
_SORTED = "jobs are preempted by tier or QOS priority, then by their number of nodes"
_HERE: Mapping[str, str] = {
    "ACCRUE_ALWAYS": "the age of a job counts from when it was eligible",
    "MaxBatchRequeue": "jobs are requeued as often as they are preempted",
    "NO_NORMAL_QOS": "priorities of QOS are normalized",
    "PreemptParameters": _SORTED,
    "bf_allow_magnetic_slot": "no job uses a reservation that it did not request",
    "bf_running_job_reserve": _NO_OVERRUN,
    "max_sched_time": "how long a pass takes is slurmctld's own speed",
    "partition_job_depth": _MORE_PASSES,
    "preempt_strict_order": _SORTED,
    "preempt_youngest_first": _SORTED,
    "sched_max_job_start": _MORE_PASSES,
    "sched_min_interval": "passes of the main scheduler are batch_sched_delay apart",
}
"""What ignoring a key means here, where that differs from the papers' simulator."""


def _all(trace: Trace) -> Mask:
    return np.ones(len(trace), np.bool_)


def _waited(trace: Trace) -> Mask:
    return np.asarray(trace.wait > 0)


def _on_several_nodes(trace: Trace) -> Mask:
    pieces = trace.recorded_nodes
    if pieces is None:
        return np.zeros(len(trace), np.bool_)
    return np.asarray(np.diff(pieces.offset) > 1)


def _following(trace: Trace) -> Mask:
    return np.asarray(trace.preceding > 0)


def _in_reservations(trace: Trace) -> Mask:
    return np.zeros(len(trace), np.bool_) if trace.reservation is None else _named(trace.reservation, bool)


def _of_number(sign: str) -> Touches:
    return lambda trace: np.array([sign in str(name) for name in trace.job_id], np.bool_)


def _single(trace: Trace) -> Mask:
    return np.asarray(trace.procs == 1)


_TOUCHES: Mapping[Touches, str] = {
    _all: """
        AccountingStorageEnforce BatchStartTimeout CompleteWait Epilog EpilogMsgTime EpilogSlurmctld
        JobSubmitPlugins PrioritySiteFactorParameters PrioritySiteFactorPlugin PriorityUsageResetPeriod
        PriorityWeightAssoc PriorityWeightTRES Prolog PrologFlags PrologSlurmctld ResumeProgram SuspendProgram
        SuspendTime ACCRUE_ALWAYS CALCULATE_RUNNING INCR_ONLY MAX_TRES MAX_TRES_GRES NO_NORMAL_ALL
        NO_NORMAL_ASSOC NO_NORMAL_PART NO_NORMAL_QOS NO_NORMAL_TRES SMALL_RELATIVE_TO_TIME TICKET_BASED""",
    _waited: """
        assoc_limit_stop bf_busy_nodes bf_job_part_count_reserve bf_max_job_assoc bf_max_job_user_part
        bf_max_time bf_min_age_reserve bf_min_prio_reserve bf_one_resv_per_job
        bf_yield_interval bf_yield_sleep max_rpc_cnt max_sched_time partition_job_depth
        reduce_completing_frag sched_max_job_start sched_min_interval""",
    _on_several_nodes: """
        TopologyPlugin TopologyParam Topology bf_topopt_enable bf_topopt_iterations max_switch_wait""",
    _following: "DependencyParameters",
    _in_reservations: """
        ResvEpilog ResvProlog bf_allow_magnetic_slot bf_running_job_reserve""",
    _of_number("+"): "bf_hetjob_immediate bf_hetjob_prio whole_hetjob",
    _of_number("_"): "MaxArraySize bf_max_job_array_resv correspond_after_task_cnt",
    _single: "pack_serial_at_end",
}
_BY_KEY = {key: touches for touches, keys in _TOUCHES.items() for key in keys.split()}


def lines_left_out(site: Site, trace: Trace | None = None) -> tuple[str, ...]:
    """A line for each part; with a trace also how many of its jobs each touches, where that can be said."""
    lines: dict[str, None] = {}
    for left in parts_left_out(site, trace):
        count = jobs_touched(left, trace)
        lines[left.text if count is None else f"{left.text} ({plural(count, 'job')})"] = None
    return tuple(lines)


def jobs_touched(left: Left, trace: Trace | None) -> int | None:
    """How many jobs of a trace a part touches; None without one, or where nobody can say."""
    return None if trace is None or left.touches is None else int(left.touches(trace).sum())


def parts_left_out(site: Site, trace: Trace | None = None) -> Iterator[Left]:
    """The parts of a site's files that are not simulated, and names of a trace that no file of these has."""
    conf = site.conf
    # Other policies choose nodes by their own placement.
    for line in dict.fromkeys((*conf.notes, *conf.passed_over)):
        if not line.endswith("their weights"):
            yield Left(line)
    yield from map(Left, site.notes)
    preempts = conf.option("PreemptType", _PREEMPTS[0]).lower()
    if preempts not in _PREEMPTS:
        yield Left(f"PreemptType={clip(preempts)}: nobody is preempted", _all)
    elif preempts != _PREEMPTS[0]:
        for word in ("suspend", "gang", "within"):
            if word in conf.option("PreemptMode").lower().split(","):
                yield Left(f"PreemptMode: {word.upper()} is not simulated")
    known = SIMULATED | ({"TopologyPlugin"} if site.switches else set())
    known |= {"AccountingStorageEnforce"} if site.associations else set()
    flags = dict.fromkeys(sorted(site.flags - {""}), "given")
    words = {key: value or "given" for key, value in site.parameters.items()}
    for keys, given in ((SETTINGS, conf.options), (FLAGS, flags), (PARAMETERS, words)):
        for key, value, why in keys.left_out(given):
            if key not in known:
                yield Left(f"{key}={clip(value)}: {_HERE.get(key, why)}", _BY_KEY.get(key))
    for partition in conf.partitions:
        yield from _of_partition(site, partition)
    if not site.associations and site.multifactor and conf.option("PriorityWeightFairshare"):
        text = "no file gives shares of accounts (sacctmgr dump, sshare): all have equal shares"
        yield Left(text, _all)
    yield from _reserved_elsewhere(site)
    if trace is not None:
        yield from _strange_names(site, trace)
    yield Left(
        "yields, max_sched_time and bf_max_time: how long a pass takes is slurmctld's own speed", _waited
    )
    yield Left("nodes that are cleaned up for more than a second, and launches that take time", _all)


def _reserved_elsewhere(site: Site) -> Iterator[Left]:
    """The reservations that close no node of the machine, or that end before they start."""
    for reservation in site.reservations:
        if all(site.conf.machine.find_node(name) is None for name in reservation.nodes):
            yield Left(f"reservation {clip(reservation.name)}: the machine has none of its nodes", None)
        elif reservation.end <= reservation.start:
            yield Left(f"reservation {clip(reservation.name)}: it ends before it starts", None)


def _strange_names(site: Site, trace: Trace) -> Iterator[Left]:
    """The accounts and qualities of service of a trace that no file of the site has."""
    accounts = {each.account for each in site.associations}
    qualities = {name for name, _ in site.qos} or {"normal"}  # which every database has from the beginning
    columns = (
        (trace.group, accounts, "accounts of the log that no file has", "they get a share of 1 each"),
        (trace.qos, qualities, "QOS of the log that no file has", "they have priority 0 and no limits"),
    )
    for column, known, title, effect in columns:
        # Without a file of accounts that is said once, and all have equal shares.
        if column is None or (column is trace.group and not known):
            continue
        used = {column.names[code] for code in np.unique(column.codes).tolist()}
        strange = sorted(name for name in used - known if name.lower() not in _NO_NAMES)
        if strange:
            more = f" and {len(strange) - _NAMED:,} more" if len(strange) > _NAMED else ""
            names = ", ".join(clip(name, 40) for name in strange[:_NAMED]) + more
            yield Left(f"{title}: {names}; {effect}", _of_names(column, frozenset(strange)))


def _of_names(names: Names, chosen: frozenset[str]) -> Touches:
    """The jobs that have a name of these."""
    return lambda trace: _named(names, chosen.__contains__)


def _of_partition(site: Site, partition: Partition) -> Iterator[Left]:
    for key, value, why in PARTITION.left_out(partition.keys):
        if key in _OF_PARTITION or (key == "QOS" and site.qos_limits):
            continue
        if key == "OverTimeLimit":
            why = "running jobs are expected to end by the OverTimeLimit of the cluster"
        text = f"partition {clip(partition.name)}, {key}={clip(value)}: {why}"
        yield Left(text, None if key == "AllowGroups" else _there(partition.name, key, value))


def _there(partition: str, key: str, value: str) -> Touches:
    """The jobs of a partition; of lists of accounts or QOS those that may not use it."""
    names = set(re.split(r"[,\s]+", value.lower()))

    def touches(trace: Trace) -> Mask:
        own = _named(trace.queue, lambda name: name.split(",")[0] == partition)
        column = trace.group if "account" in key.lower() else trace.qos
        if not re.fullmatch("(Allow|Deny)(Accounts|Qos)", key) or column is None:
            return own
        listed = _named(column, lambda name: name.lower() in names)
        return own & (listed if key.startswith("Deny") else ~listed)

    return touches


def _named(names: Names, fits: Callable[[str], bool]) -> Mask:
    """Which jobs have a name that fits."""
    return np.asarray(np.array([fits(name) for name in names.names], np.bool_)[names.codes])
