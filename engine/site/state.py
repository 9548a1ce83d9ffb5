"""The state of the site's kernels: jobs, settings and the machine as plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NOT_STARTED = -1
MAIN, BACKFILL = 0, 1
"""Which of Slurm's two schedulers started a job."""


class SiteJobs(NamedTuple):
    """n jobs in order of submission; times in ticks, K resources of which the first are CPUs.

    Job j owns the groups `offset[j]:offset[j + 1]`, each of `tasks` tasks that need `need` inside one node.
    """

    submit: Ints  # (n,)
    runtime: Ints  # (n,)
    limit: Ints  # (n,) the time limit, in whole minutes
    cpus: Ints  # (n,)
    part: Ints  # (n,) its partition
    user: Ints  # (n,) its leaf in the tree of associations
    base: Floats  # (n,) the part of its priority that never changes
    begin: Ints  # (n,) s from which it may start: its age counts from there
    offset: Ints  # (n + 1,)
    tasks: Ints  # (groups,)
    need: Ints  # (groups, K)
    most: Ints  # (groups,) tasks that any one node may take
    zone: Ints  # (groups,) the set of nodes that they may run on
    exclusive: Mask  # (groups,) whether each task takes a whole node
    inside: Ints  # (n,) the closure in which it runs, as jobs of a reservation do, or -1


class SiteMachine(NamedTuple):
    """N nodes and what jobs may use of them."""

    capacity: Ints  # (N, K)
    zones: Mask  # (zones, N)
    parts: Mask  # (partitions, N) the nodes of each partition
    tier: Ints  # (partitions,) jobs of higher tiers go first
    block: Ints  # (N,) nodes of one number are chosen from together: leaf switches; else all are 0
    weight: Ints  # (N,) nodes of less weight are taken first


class SiteRules(NamedTuple):
    """Settings, whole numbers; times in ticks, of which a second has `ticks`. Flags are 0 or 1."""

    ticks: int
    main_phase: int  # the tick of a second at which the main scheduler runs
    backfill_phase: int
    main_depth: int
    main_delay: int  # between passes of the main scheduler after submissions and ends
    main_every: int  # between passes that look at all jobs
    backfills: int
    bf_interval: int
    bf_tests: int
    bf_user_tests: int
    bf_part_tests: int
    bf_starts: int
    bf_plans: int  # that a cycle makes: jobs behind them only start where they are in no plan's way; 0: all
    bf_window: int
    bf_resolution: int
    calc_period: int
    first_calc: int
    kill_wait: int
    over_limit: int  # s; -1: jobs are never stopped
    launch_delay: int
    completion_delay: int  # for which nodes are cleaned up after a job
    completion_spread: int  # s more at most, another for each job
    seed: int
    end_notice: int  # after which a pass follows an end at the earliest
    first_full: int
    first_backfill: int
    end_batch: int  # s: ends of running jobs so near to each other are tried as one
    multifactor: int
    fair_tree: int
    most_rows: int  # rows that the places of any one job may take
    safe: int  # whether a job starts only if its whole time limit is left of limits of resources times time
    requeue_delay: int  # after which a preempted job may start again
    exempt: int  # for which a job has run before it is preempted


class SiteWeights(NamedTuple):
    """The weights of priorities, and the tree of associations for fairshare.

    Associations are numbered so that a parent comes before its children; 0 is the root.
    """

    age: float
    max_age: float  # s
    fairshare: float
    half_life: float  # s; 0: usage is never forgotten
    dampening: float
    parent: Ints  # (associations,)
    shares: Floats  # (associations,)
    leaf: Mask  # (associations,) whether it is of a user
    usage: Floats  # (associations,) CPU s from before the log, of leaves


class SiteState(NamedTuple):
    """The state that changes over time. Rows of the table of places are (node, group, tasks)."""

    free: Ints  # (N, K)
    completing: Ints  # (N,) s until which nodes are still cleaned up after a job
    rows: Ints  # (R, 3) where jobs run, each job's rows together
    first: Ints  # (n,) each job's rows, of which it has as many as it may ever need
    places: Ints  # (n,) how many rows
    start: Ints  # (n,) s, NOT_STARTED
    by: Ints  # (n,) MAIN or BACKFILL
    line: Ints  # (n,) running jobs by the ends that their limits allow
    ends: Ints  # (n,) running jobs by their ends
    running: Ints  # (1,)
    queue: Ints  # (n,) waiting jobs
    waiting: Ints  # (1,)
    priority: Floats  # (n,)
    factor: Floats  # (associations,) fairshare
    usage: Floats  # (associations,) CPU s of leaves, decayed
    charged: Ints  # (n,) s up to which a running job's usage is counted
    coming: Ints  # (n,) jobs by submission, as far as that is known
    known: Ints  # (1,) how many these are


class SiteScratch(NamedTuple):
    """Room to work in, of no meaning between passes but for `like`, which tells nodes of one kind."""

    free: Ints  # (N, K)
    usable: Mask  # (N,)
    closed: Mask  # (N,)
    rows: Ints  # (most rows, 3)
    chosen: Ints  # (N, 2)
    room: Ints  # (N,) tasks that nodes have room for
    ahead: Ints  # (N,) the same, as running jobs end
    like: Ints  # (N,) its kind: nodes of one are as large, and in the same zones and partitions
    kinds: Ints  # (kinds,) a node of each kind
    of_kind: Ints  # (kinds,) how many nodes there are of it
    sets: Ints  # (N, 4) of nodes: where each begins and ends, what it holds, whether it is used up
    of_user: Ints  # (associations,) jobs that a cycle has tried
    of_part: Ints  # (partitions,)
    stopped: Mask  # (partitions,)
    full: Mask  # (closures,) reservations whose first job does not fit


class SiteBounds(NamedTuple):
    """Limits of what runs at once, C of them, and which of them bound each job."""

    offset: Ints  # (n + 1,) job j counts towards `bound[offset[j]:offset[j + 1]]`
    bound: Ints
    total: Ints  # (n, K) what each job takes of each resource
    most_jobs: Ints  # (C,)
    most: Ints  # (C, K)
    run: Ints  # (C,) jobs that run now
    used: Ints  # (C, K) what they take
    most_spent: Floats  # (S, K) resources times ticks, of all jobs: S is C where any bound has such, else 0
    spent: Floats  # (S, K) of what has run, as far as it is counted by now
    ahead: Ints  # (S, K) what running jobs may still take, by their limits
    fades: Mask  # (S,) whether what is spent is forgotten as usage is


class SiteClosures(NamedTuple):
    """Nodes that no job may use for a time, as reservations keep them, in the order of their ends."""

    first: Ints  # (closures,) ticks
    last: Ints  # (closures,)
    offset: Ints  # (closures + 1,) closure c has `nodes[offset[c]:offset[c + 1]]`
    nodes: Ints


class SitePreemption(NamedTuple):
    """Who may preempt whom, and who was. The arrays over jobs are empty where nobody may."""

    kind: Ints  # (n,) the class of each job: its partition, or its quality of service
    beats: Mask  # (classes, classes) whether jobs of the first class may preempt those of the second
    requeues: Mask  # (n,) whether it is queued again when it is preempted; it is cancelled otherwise
    grace: Ints  # (n,) ticks for which it runs on then
    rank: Ints  # (n,) jobs of lower rank are preempted first
    runtime: Ints  # (n,) its own, as that of the run is cut where it is preempted
    limit: Ints  # (n,)
    by: Ints  # (n,) the job that preempts it, or -1
    victims: Ints  # (n,) how many running jobs end for it
    candidates: Ints  # (n, 2) room to work in: jobs, and by what they are sorted
    lost: Ints  # (l, 5) runs of jobs that were queued again: job, start, end, first and number of rows
    lost_rows: Ints  # (m, 3) the rows of their places, as in `SiteState`
    many: Ints  # (3,) used of `lost`, of `lost_rows`, and runs for which there was no room there


class SiteFollowers(NamedTuple):
    """Jobs that are submitted after the ends of others. The arrays are empty where there are none."""

    first: Ints  # (n,) the first job that follows each job, or -1,
    further: Ints  # (n,) and the next that follows the same job as each, or -1
    think: Ints  # (n,) ticks from that end to the submission


class SiteRun(NamedTuple):
    """All that the kernels of a simulation read and write."""

    jobs: SiteJobs
    machine: SiteMachine
    rules: SiteRules
    weights: SiteWeights
    state: SiteState
    scratch: SiteScratch
    bounds: SiteBounds
    closures: SiteClosures
    followers: SiteFollowers
    preemption: SitePreemption
