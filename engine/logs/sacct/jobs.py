"""Jobs as Slurm accounts for them, field by field, and the records that they make."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_CPUS, MAX_DURATION
from engine.logs.nodes.machine import LoggedMachine, log_nodes
from engine.logs.rows import log_notes
from engine.logs.sacct.dependencies import Submitted, followed
from engine.logs.sacct.job_fields import ARRAY_LIMIT, SlurmJobs
from engine.logs.sacct.job_usage import Used, sums_over, used_of
from engine.logs.sacct.layout import JobAmounts, access_note, slurm_layout
from engine.logs.sacct.memory import limiting_ram
from engine.logs.sacct.repeats import join_parts, last_runs
from engine.logs.sacct.sizes import RESIZED, SizedLines, sized_runs
from engine.logs.sacct.steps import batch_shares
from engine.logs.sacct.suspensions import elapsed_notes
from engine.logs.text.clock_times import UNREADABLE
from engine.logs.text.lengths import seconds_of
from engine.logs.text.slurm_gpus import gpus_of, shared_gpus_note, slices_note
from engine.logs.text.slurm_words import (
    REQUEUED,
    UNKNOWN,
    count_of,
    mebibytes_of,
    state_word,
    status_of,
)
from engine.machine.cluster import Cluster
from engine.slurm.values.host_list import expand_hosts
from engine.slurm.values.tres import tres_amount
from engine.trace.even_tasks import even_shares
from engine.trace.gpu_tasks import GPU, tasks_with_gpus
from engine.trace.names import Names
from engine.trace.records import (
    Records,
    note_lines,
)
from engine.trace.status import CANCELLED
from engine.trace.time_notes import early_note
from engine.trace.trace import MISSING, Note, Pieces

if TYPE_CHECKING:
    import pyarrow as pa


_MAX_ID = 100  # characters
_LONGEST = 500  # characters of a constraint
_PART = re.compile(r"\d{1,3}", re.ASCII)
_TIMEOUT = frozenset(("TIMEOUT", "TO"))
_GRACE = 120  # s beyond a limit: Slurm looks every 30, kills 30 later (KillWait), and waits for the last
_GPU_FIELDS = ("AllocTRES", "AllocGRES", "ReqTRES", "ReqGRES")  # the last has those of a node
_NO_NODES = frozenset(("", "none assigned", "none", "unknown", "n/a", "(null)"))


_CLUSTER_ENDS = "\0"
"""Between a cluster and a list of its nodes, which no print has."""


def records_of(path: Path, jobs: SlurmJobs, machine: Cluster | None) -> Records:
    """The records of jobs: of a requeued job its last run, with all parts of a heterogeneous job merged.

    Without a machine, it is derived from the lists of nodes.
    """
    jobs, revoked_note = _without_siblings(jobs)
    job_id = _job_ids(jobs.ids)
    owners = (jobs.text("Cluster"), jobs.text("User"))
    elapsed = jobs.each("Elapsed", lambda text: seconds_of(text, alone=1))
    used, first = _used(jobs), batch_shares(jobs.ids, jobs.row, jobs.steps)
    # Lines of a job that changed its size while it ran are a run of the largest size, with all their times.
    sizes = _sizes(jobs, job_id, owners)
    runs = sized_runs(sizes)
    kept, resized = runs.kept, runs.owner != np.arange(len(jobs))
    largest = runs.times_of_largest(sizes)
    resize_note = note_lines(*RESIZED, resized, jobs.line)
    if resized.any():
        jobs, used = jobs.as_runs(runs).take(kept), used.of_owners(runs.owner).take(kept)
        largest = largest[:, kept]
        first = None if first is None else first.take(kept)
        elapsed, job_id = sums_over(np.maximum(elapsed, 0), runs.owner)[kept], job_id[kept]
        owners = (jobs.text("Cluster"), jobs.text("User"))
    # A job that was requeued has a line for each run: its last run counts.
    status = _statuses(jobs)
    runtime = _runtimes(jobs, status, elapsed)
    never = partial(_never_ran, jobs, status, runtime)
    kept, requeue_note = last_runs(job_id, owners, jobs.time("Start"), never, jobs.line)
    if len(kept) < len(jobs):
        used, first = used.take(kept), None if first is None else first.take(kept)
        jobs, job_id, status = jobs.take(kept), job_id[kept], status[kept]
        runtime, elapsed, largest = runtime[kept], elapsed[kept], largest[:, kept]
    # What each job asked for and got, a column for each quantity.
    submit, start = jobs.time("Submit"), jobs.time("Start")
    started = (start > 0) & (submit > 0)
    procs, allocated = _processors(jobs)
    nodes = np.minimum(jobs.each("NNodes", count_of), MAX_CPUS)
    gpus, walltime = _gpus(jobs, nodes), jobs.each("Timelimit", seconds_of)
    ram, ram_limits, ram_notes = limiting_ram(
        jobs.text("AllocTRES"), _ram(jobs, procs, nodes), nodes, jobs.line
    )
    held = np.where(allocated > 0, allocated, procs)
    clusters = _clusters(jobs)
    # Names of nodes say where jobs ran; without a machine they also say which nodes there are.
    where = log_nodes(
        _node_lists(jobs, apart=clusters is not None and machine is None),
        _hosts,
        held,
        jobs.line,
        procs=procs,
        first=first,
    )
    with_gpus = np.zeros(len(jobs), np.bool_) if gpus is None else gpus > 0
    end = np.where(started & (runtime > 0), start + runtime, MISSING)
    begin, until = np.where(largest >= 0, largest, (start, np.where(started, end, start)))
    placed = where.place(machine, begin, until, with_gpus)
    # Tasks by node: as the job asked for them where its command line tells, else as they were placed.
    parts = _parts(job_id)
    layout = slurm_layout(
        JobAmounts(
            procs=procs,
            allocated=allocated,
            ram=ram if ram_limits is None else np.where(ram_limits, ram, MISSING),
            nodes=nodes,
            requested_nodes=_requested_nodes(jobs),
            with_gpus=with_gpus,
            filled=_filled(allocated, placed.nodes, placed.machine),
            uneven=placed.uneven,
            guessed=placed.derived,
        ),
        jobs.text("SubmitLine"),
        parts,
        _constraints(jobs),
    )
    # Dependencies stand in the command line alone, as ids of other jobs.
    preceding, think, follow_notes = followed(
        Submitted(
            ids=jobs.ids,
            lines=jobs.text("SubmitLine"),
            name=jobs.texts.get("JobName"),
            user=jobs.text("User"),
            submit=submit,
            end=end,
            line=jobs.line,
        )
    )
    tasks, recorded = layout.tasks, placed.nodes
    if gpus is not None and with_gpus.any() and parts.any():
        # Once the parts of a job are joined, nothing tells which of them has the GPUs, and on which nodes.
        tasks = tasks_with_gpus(tasks, gpus)
        recorded = None if recorded is None else _with_amounts(recorded, ram, gpus)
    wall_clock = jobs.wall_clock(elapsed > 0)
    early = early_note(submit, start, started, jobs.line)
    notes = (
        *jobs.notes,
        revoked_note,
        resize_note,
        requeue_note,
        early,
        *follow_notes,
        *placed.notes,
        *ram_notes,
        *used.notes,
    )
    return join_parts(
        Records(
            path=path,
            line=jobs.line,
            job_id=job_id,
            submit=np.maximum(submit, MISSING),
            wait=np.where(started, np.clip(start - submit, 0, MAX_DURATION), MISSING),
            runtime=runtime,
            walltime=walltime,
            procs=procs,
            allocated=allocated,
            ram=ram,
            status=np.maximum(status, MISSING),
            user=jobs.text("User"),
            group=jobs.text("Account" if "Account" in jobs.texts else "Group"),
            queue=jobs.text("Partition"),
            executable=jobs.text("JobName"),
            preceding=preceding,
            think_time=think,
            eligible=jobs.time("Eligible"),
            start=start if wall_clock is not None else None,
            end=np.where(status == MISSING, MISSING, jobs.time("End")) if wall_clock is not None else None,
            wall_clock=wall_clock,
            gpus=gpus,
            ram_limits=ram_limits,
            ended_by_limit=_ended_by_limit(jobs, runtime, walltime),
            **jobs.told,
            **used.used,
            tasks=tasks,
            features=layout.features,
            nodes=nodes,
            cluster=clusters,
            loose=layout.loose,
            least_nodes=layout.least_nodes,
            most_nodes=layout.most_nodes,
            at_once=_at_once(jobs, layout.at_once),
            whole_nodes=layout.whole if layout.whole.any() else None,
            recorded_nodes=recorded,
            machine=placed.machine,
            one_node=placed.one_node,
            notes=(*notes, *_notes(jobs, job_id, status, elapsed, gpus, placed)),
        )
    )


def _sizes(jobs: SlurmJobs, ids: NDArray[Any], owners: tuple[Names, ...]) -> SizedLines:
    """The lines of jobs that may be sizes of a single run."""
    submit, start, end = (jobs.time(name) for name in ("Submit", "Start", "End"))
    return SizedLines(ids, owners, jobs.text("State"), submit, start, end, _processors(jobs)[1], jobs.line)


def _without_siblings(jobs: SlurmJobs) -> tuple[SlurmJobs, Note]:
    """The jobs without those of a federation that ran on another cluster, which has their own lines."""
    revoked = jobs.each("State", lambda state: int(state_word(state) == "REVOKED")) > 0
    text = "siblings of jobs of a federation, which another cluster ran (REVOKED): left out"
    note = note_lines("revoked", text, revoked, jobs.line)
    return (jobs.take(np.flatnonzero(~revoked)) if revoked.any() else jobs), note


def _clusters(jobs: SlurmJobs) -> Names | None:
    """The cluster of each job, if they are of several."""
    column = jobs.text("Cluster")
    return column if len(np.unique(column.codes)) > 1 else None


def _node_lists(jobs: SlurmJobs, *, apart: bool) -> Names:
    """The lists of nodes; `apart`, with their cluster before them: nodes of one name on two are two nodes."""
    lists, clusters = jobs.text("NodeList"), jobs.text("Cluster")
    if not apart:
        return lists
    pairs, codes = np.unique(
        lists.codes.astype(np.int64) * len(clusters.names) + clusters.codes, return_inverse=True
    )
    places = (divmod(pair, len(clusters.names)) for pair in pairs.tolist())
    names = tuple(f"{clusters.names[own]}{_CLUSTER_ENDS}{lists.names[nodes]}" for nodes, own in places)
    return Names(codes.astype(np.int32), names)


def _job_ids(ids: pa.BinaryArray) -> NDArray[Any]:
    """The ids as numbers if all of them are, otherwise as texts, shape (n,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pc.all(pc.match_substring_regex(ids, r"^[0-9]{1,15}$")).as_py() is not False:
        return np.asarray(ids.cast(pa.string()).cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64)
    return np.array([text[:_MAX_ID].decode("utf-8", "replace") for text in ids.to_pylist()], np.str_)


def _used(jobs: SlurmJobs) -> Used:
    """The usage of the jobs, from their own lines and their steps."""
    energy = None
    if not {"energy", "rounded_energy"} & set(jobs.numbers):
        energy = jobs.each("AllocTRES", lambda text: count_of(tres_amount(text, "energy")))
    return used_of(jobs.ids, jobs.row, jobs.line, jobs.numbers, energy, jobs.steps)


def _statuses(jobs: SlurmJobs) -> Ints:
    """The status of each job, MISSING, or UNKNOWN; a run that ended by requeueing was cancelled."""
    requeued = jobs.each("State", lambda state: int(state_word(state) in REQUEUED)) > 0
    start, end = jobs.time("Start"), jobs.time("End")
    return np.where(requeued & (start > 0) & (end > start), CANCELLED, jobs.each("State", status_of))


def _runtimes(jobs: SlurmJobs, status: Ints, elapsed: Ints) -> Ints:
    """The elapsed time, which clock changes do not affect, otherwise end minus start; MISSING for running
    jobs.
    """
    start, end = jobs.time("Start"), jobs.time("End")
    between = np.where((start > 0) & (end > start), np.minimum(end - start, MAX_DURATION), elapsed)
    return np.where(status == MISSING, MISSING, np.where(elapsed > 0, elapsed, between))


def _never_ran(jobs: SlurmJobs, status: Ints, runtime: Ints) -> NDArray[np.bool_]:
    """True for lines of jobs that ended in the queue; some versions give them a start equal to the end."""
    idle = jobs.each("NodeList", lambda text: int(text.strip().lower() in _NO_NODES)) > 0
    brief = (runtime <= 0) & (idle | (status == CANCELLED))
    never: NDArray[np.bool_] = (status >= 0) & (brief | (jobs.time("Start") <= 0))
    return never


def _processors(jobs: SlurmJobs) -> tuple[Ints, Ints]:
    """The processors requested, or else allocated; and those allocated. Shapes (n,)."""

    def tres(text: str) -> int:
        return count_of(tres_amount(text, "cpu"))

    allocated = _first(
        jobs.each("AllocCPUS", count_of), jobs.each("NCPUS", count_of), jobs.each("AllocTRES", tres)
    )
    asked = _first(jobs.each("ReqCPUS", count_of), jobs.each("ReqTRES", tres))
    return np.clip(_first(asked, allocated), MISSING, MAX_CPUS), np.clip(allocated, MISSING, MAX_CPUS)


def _ram(jobs: SlurmJobs, procs: Ints, nodes: Ints) -> Ints:
    """The MiB of the whole job, or MISSING: allocated if it ran, otherwise requested.

    Versions before 21.08 print what is asked for of each CPU (`3000Mc`) or node (`4Gn`), and some of these
    write that amount into AllocTRES as if it were the whole job's: there the amount of all its `procs` or
    `nodes` counts. Later versions print the amount of the job.
    """
    column = jobs.text("ReqMem")
    read = [mebibytes_of(text) for text in column.names]
    amount = np.array([amount for amount, _ in read] or [0], np.int64)[column.codes]
    per = np.array([per for _, per in read] or [""])[column.codes]
    # 3000Mc is of each CPU, 4Gn of each node, an amount without a letter of the whole job.
    times = np.select([per == "c", per == "n"], [procs, nodes], 1)
    asked = np.where(times > 0, amount * np.maximum(times, 0), 0)

    def tres(text: str) -> int:
        return mebibytes_of(tres_amount(text, "mem"))[0]

    allocated = jobs.each("AllocTRES", tres)
    # Some versions write the amount of a CPU into AllocTRES as the job's: then the product counts.
    shared = (per != "") & (allocated == amount) & (times > 1)
    # What was allocated goes before what was asked for.
    ram = _first(
        np.where(shared, 0, allocated), np.where(per == "", 0, asked), jobs.each("ReqTRES", tres), asked
    )
    return np.where(ram > 0, ram, MISSING)


def _gpus(jobs: SlurmJobs, nodes: Ints) -> Ints | None:
    """GPUs of the job, those allocated if any; None if no field has them."""
    if not set(_GPU_FIELDS) & set(jobs.texts):
        return None
    allocated, before_20_11, asked, of_node = (jobs.each(name, gpus_of) for name in _GPU_FIELDS)
    return _first(allocated, before_20_11, asked, of_node * np.maximum(nodes, 1))


def _at_once(jobs: SlurmJobs, asked: Ints | None) -> Ints | None:
    """How many tasks of each array may run at a time: by the accounting, which knows changes, or as asked."""
    if ARRAY_LIMIT not in jobs.texts:
        return asked
    told = np.maximum(jobs.each(ARRAY_LIMIT, count_of), 0)
    known = told if asked is None else np.where(told > 0, told, asked)
    return np.asarray(known, np.int64) if known.any() else None


def _requested_nodes(jobs: SlurmJobs) -> Ints:
    """The minimum number of nodes that each job requested, 1 if it named none, as far as fields have it."""

    def tres(text: str) -> int:
        return count_of(tres_amount(text, "node"))

    return _first(jobs.each("ReqNodes", count_of), jobs.each("ReqTRES", tres))


def _constraints(jobs: SlurmJobs) -> Names:
    """The features that each job requests, as written; empty if none."""
    column = jobs.text("Constraints")
    texts = tuple(
        "" if text.strip().lower() in _NO_NODES else text.strip()[:_LONGEST] for text in column.names
    )
    return Names(column.codes, texts or ("",))


def _with_amounts(recorded: Pieces, ram: Ints, gpus: Ints) -> Pieces:
    """The nodes of jobs with the RAM and the GPUs that each job, (n,), had on each, in even shares."""
    amounts = {"ram": even_shares(ram, recorded.offset), GPU: even_shares(gpus, recorded.offset)}
    return Pieces(recorded.offset, {**recorded.columns, **amounts})


def _filled(allocated: Ints, recorded: Pieces | None, machine: Cluster | None) -> NDArray[np.bool_]:
    """True if a job was allocated all CPUs of its nodes, as far as these are known."""
    if recorded is None or machine is None:
        return np.zeros(len(allocated), np.bool_)
    cpus = np.concatenate(([0], np.cumsum(machine.node_cpus()[recorded["node"]])))
    total = cpus[recorded.offset[1:]] - cpus[recorded.offset[:-1]]
    return np.asarray((total > 0) & (allocated == total))


def _parts(job_id: NDArray[Any]) -> Ints:
    """The part of a heterogeneous job that each job is, from 0: 1 of `12+1`."""
    if job_id.dtype.kind != "U" or not (np.char.find(job_id, "+") > 0).any():
        return np.zeros(len(job_id), np.int64)
    texts = np.char.partition(job_id, "+")[:, 2]
    return np.array([int(text) if _PART.fullmatch(text) else 0 for text in texts.tolist()], np.int64)


def _ended_by_limit(jobs: SlurmJobs, runtime: Ints, walltime: Ints) -> NDArray[np.bool_]:
    """Jobs that Slurm ended at their limit, or that exceeded it by no more than ending a job takes."""
    timeout = jobs.each("State", lambda state: int(state_word(state) in _TIMEOUT)) > 0
    return timeout | ((walltime > 0) & (runtime <= walltime + _GRACE))


def _first(*columns: Ints) -> Ints:
    """The first positive value, or else the last, shape (n,)."""
    return np.select([column > 0 for column in columns], columns, columns[-1])


def _hosts(text: str, most: int) -> list[tuple[str, int]]:
    """The nodes of a list, which has no CPUs."""
    cluster, mark, text = text.rpartition(_CLUSTER_ENDS)
    if text.strip().lower() in _NO_NODES:
        return []
    before = f"{cluster}:" if mark else ""
    return [(before + name, 0) for name in expand_hosts(text, most)]


def _notes(
    jobs: SlurmJobs,
    job_id: NDArray[Any],
    status: Ints,
    elapsed: Ints,
    gpus: Ints | None,
    placed: LoggedMachine,
) -> tuple[Note, ...]:
    """Notes on odd properties of jobs, and on missing information."""
    line = jobs.line
    none, unreadable = np.zeros(len(jobs), np.bool_), np.zeros(len(jobs), np.bool_)
    sets = np.char.find(job_id, "[") >= 0 if job_id.dtype.kind == "U" else none
    no_gpus = np.zeros(len(jobs), np.int64)
    for column in jobs.times.values():
        unreadable |= column == UNREADABLE
    dated = any(wall.any() for wall in jobs.walls.values())
    clusters = len(np.unique(jobs.text("Cluster").codes))
    wall = jobs.walls.get("Start", none) & jobs.walls.get("End", none)
    ended = np.where(status == MISSING, MISSING, elapsed)
    suspended = jobs.each("Suspended", lambda text: seconds_of(text, alone=1))
    no_state = "State" not in jobs.texts and len(jobs) > 0
    gpu_columns = [jobs.text(name) for name in _GPU_FIELDS]
    return (
        note_lines(
            "unknown_state",
            "states that Slurm does not have: read by the times",
            (status == UNKNOWN) & (not no_state),
            line,
        ),
        Note("no_state", "the log has no field State: jobs are read by the times", int(no_state)),
        *elapsed_notes(jobs.time("Start"), jobs.time("End"), ended, suspended, wall, line),
        note_lines("unreadable_time", "times that cannot be read: each counts as missing", unreadable, line),
        slices_note(gpu_columns, line),
        shared_gpus_note(gpu_columns, line),
        access_note(jobs.text("SubmitLine"), line),
        note_lines("array_tasks", "several tasks of an array in a line: read as one job", sets, line),
        Note("clusters", f"jobs of {clusters} clusters are taken for jobs of one", int(clusters > 1)),
        *log_notes(no_gpus if gpus is None else gpus, line, placed, dated),
    )
