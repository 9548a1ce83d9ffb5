"""The input and the state of the kernels that simulate a site: jobs, settings and machine as plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.simulation.log_buffer import LogBuffer
from engine.slurm.options.rules import SiteRules

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NOT_STARTED = -1
ANY_NODES = 1 << 40
"""The most nodes of jobs that may lie on any number of them."""

MAIN, BACKFILL = 0, 1
"""Slurm's two schedulers."""


NO_ROWS: Ints = np.zeros(0, np.int64)
"""A column that no job has."""


class SiteJobs(NamedTuple):
    """The jobs, n of them in order of submission; times are in ticks; the first of K resources are CPUs.

    Job j owns the groups `offset[j]:offset[j + 1]`, each of `tasks` tasks that need `need` inside one node.
    """

    submit: Ints  # (n,) time of submission, ticks
    runtime: Ints  # (n,) real runtime, ticks
    limit: Ints  # (n,) time limit, ticks: whole minutes
    billing: Floats  # (n,) units that usage counts a tick: processors, where partitions set no weights
    part: Ints  # (n,) number of its partition
    user: Ints  # (n,) its leaf in the tree of associations
    base: Floats  # (n,) the part of its priority that never changes
    begin: Ints  # (n,) earliest start, ticks: its age counts from there
    offset: Ints  # (n + 1,) first group of each job
    tasks: Ints  # (groups,) number of tasks
    need: Ints  # (groups, K) amounts that a task needs
    most: Ints  # (groups,) the most tasks that one node may take
    zone: Ints  # (groups,) row of `SiteMachine.zones`: the nodes on which the tasks may run
    exclusive: Mask  # (groups,) whether each task takes a whole node
    inside: Ints  # (n,) the closure in which a job of a reservation runs, or -1
    nodes: Ints  # (n, 3) the least nodes that it may take, those that it takes if it can, the most; tasks of
    #  several groups are on nodes of their own where it needs more than one, and else on any nodes at all
    tested: Ints  # (n, 4) what a cycle of the backfiller counts the jobs it tries by: numbers of the user in
    #  the partition, of the partition, of the association, of the user
    turn: Ints = NO_ROWS  # (groups,) places within the job, the largest tasks first; or (0,)
    own_offset: Ints = NO_ROWS  # (n + 1,) first of each job's entries in `own_node`; or (0,)
    own_node: Ints = NO_ROWS  # (rows,) nodes on which jobs of several groups ran by the log


class SiteMachine(NamedTuple):
    """The machine: N nodes, and the sets of them that jobs may use."""

    capacity: Ints  # (N, K) amounts that each node has
    zones: Mask  # (zones, N) whether the node belongs to the zone
    parts: Mask  # (partitions, N) whether the node belongs to the partition
    tier: Ints  # (partitions,) priority tier: jobs of higher tiers go first
    block: Ints  # (N,) leaf switch: nodes of one switch are chosen together; all 0 without switches
    weight: Ints  # (N,) nodes of less weight are taken first


class SiteWeights(NamedTuple):
    """The weights of priorities, and the tree of associations for fairshare.

    Associations are numbered so that a parent comes before its children; 0 is the root.
    """

    age: float  # weight of the age
    max_age: float  # ticks after which the age counts in full
    fairshare: float  # weight of fairshare
    half_life: float  # half-life of usage, ticks; 0: usage never decays
    dampening: float  # FairShareDampeningFactor
    parent: Ints  # (associations,) parent of each association
    shares: Floats  # (associations,) shares among its siblings
    leaf: Mask  # (associations,) whether it belongs to a user
    usage: Floats  # (associations,) usage of leaves before the log, billing ticks


class SiteState(NamedTuple):
    """The state that changes over time."""

    free: Ints  # (N, K) free amounts of each node
    completing: Ints  # (N,) ticks until which the node is cleaned up after a job
    rows: Ints  # (R, 3) places of jobs: node, group, tasks; each job's rows together
    first: Ints  # (n,) the job's first row, followed by as many as it may ever need
    places: Ints  # (n,) number of rows in use
    start: Ints  # (n,) start, ticks, or NOT_STARTED
    by: Ints  # (n,) the scheduler that started the job: MAIN or BACKFILL
    line: Ints  # (n,) running jobs in order of the ends that their limits allow
    ends: Ints  # (n,) running jobs in order of their ends
    running: Ints  # (1,) number of running jobs
    queue: Ints  # (n,) waiting jobs
    waiting: Ints  # (1,) number of waiting jobs
    priority: Floats  # (n,) priority of each waiting job
    factor: Floats  # (associations,) fairshare factor, 0 to 1
    usage: Floats  # (associations,) decayed usage of leaves, billing ticks
    charged: Ints  # (n,) ticks up to which a running job's usage is counted
    coming: Ints  # (n,) jobs in order of submission, as far as that is known
    known: Ints  # (1,) number of jobs in `coming`


class SiteScratch(NamedTuple):
    """Scratch arrays without a meaning between passes."""

    free: Ints  # (N, K) free amounts at a later time
    usable: Mask  # (N,) nodes that the job which is placed may use
    closed: Mask  # (N,) nodes that this pass may use no more
    rows: Ints  # (most rows, 3) places of the job placed last: node, group, tasks
    chosen: Ints  # (N, 2) chosen nodes, and tasks on each
    room: Ints  # (N,) tasks that each node has room for
    ahead: Ints  # (N,) tasks that each node has room for once some running jobs have ended
    sets: Ints  # (N, 5) sets of neighbouring nodes: first, end, tasks that fit, heap of sets, nodes
    tested: Ints  # (4, numbers) jobs that this cycle has tried of each number in `SiteJobs.tested`
    of_part: Ints  # (partitions,) jobs of the partition that this pass has met
    stopped: Mask  # (partitions,) whether this pass starts no further jobs of the partition
    full: Mask  # (closures,) reservations whose first job does not fit


class SitePlans(NamedTuple):
    """The plans of a backfill cycle, at most P, and what is free beside them over time.

    Sets of nodes are W words of 64 bits. Times are in ticks. "Free" without more is of the first resource.
    Between cycles all but `kind`, `parts` and `bits` has no meaning.
    """

    first: Ints  # (P,) when each plan begins, ascending
    last: Ints  # (P,) when each ends
    row: Ints  # (P,) its row of `nodes`; closures come first there
    whose: Ints  # (P,) the job of each row of `nodes` that is not a closure
    nodes: Ints  # (P, W) the sets of nodes that plans hold
    many: Ints  # (1,) number of plans
    soonest: Ints  # (N,) the first begin of a plan that holds a node now or later; NEVER without one
    sooner: Ints  # (N,) the row of `nodes` of that plan
    usable: Ints  # (W,) the nodes that the job which is planned may use from the time that is tried
    wanted: Ints  # (W,) the nodes that a plan in the making wants
    roomy: Ints  # (W,) the nodes that have an entry in `SiteScratch.ahead`
    parts: Ints  # (partitions, W) the nodes of each partition
    bits: Ints  # (64,) words with a single bit
    kind: Ints  # (groups,) number of what a task needs and the nodes where it may run
    slot: Ints  # (kinds,) the row of `at_once` of each kind, or -1
    kinds: Ints  # (S,) a group of the kind of each row
    slots: Ints  # (1,) number of rows in use
    at_once: Ints  # (S, N) tasks of a kind that open nodes have room for now
    edge: Ints  # (2 P + 2,) now, and the later begins and ends of plans, ascending; NEVER after the last
    beside: Ints  # (2 P + 2,) what is free at most beside the plans from each edge to the next
    edges: Ints  # (1,) number of edges
    held: Ints  # (2 P + 2, W) the nodes that plans hold from an edge to the next, unordered
    held_at: Ints  # (2 P + 2,) the row of `held` of each edge
    leaves: Mask  # (2 P + 2,) whether a plan leaves any node at each edge
    ends_there: Ints  # (2 P + 2,) scratch: what comes free on wanted nodes before the end of each interval
    search: Ints  # (P, 5) kind, partition, closure, time limit and tasks of each search
    ruled_out: Ints  # (P,) the end of a plan up to which it found no start
    job: Ints  # (P,) its job
    searches: Ints  # (1,) number of searches so far
    short: Ints  # (D, 4) kinds, partitions, limits, and a number of tasks for which there is no more room
    shorts: Ints  # (1,) number of these rows in use


class SiteEnds(NamedTuple):
    """The ends of running jobs by their limits, as a backfill cycle reads them, with rows of their places."""

    open: Ints  # (N,) nodes on which something is free as the cycle begins
    many: Ints  # (2,) number of these, and of running jobs, -1 while their ends are not read
    time: Ints  # (n,) the ends, in the order of `SiteState.line`
    offset: Ints  # (n + 1,) the k-th of these jobs has rows `offset[k]:offset[k + 1]`
    node: Ints  # (R,) a node of the job
    free: Ints  # (R, K) what is free there once the job has ended, like all before it
    given: Ints  # (R,) how much of the first resource its end frees there
    of: Ints  # (R,) the number k of the job
    before: Ints  # (R,) the row of the job that ends before it on this node, or -1
    latest: Ints  # (N,) the last row of each node, or -1
    some: Ints  # (n + 1, W) the nodes on which something is free once so many jobs have ended
    then: Ints  # (N, K) what is free once all have ended
    tests: Ints  # (n + 2,) scratch: after how many ends a search tests whether the job fits, ascending


class SiteBounds(NamedTuple):
    """C limits on running jobs, what counts towards them now, and the limits of each job."""

    offset: Ints  # (n + 1,) job j counts towards `bound[offset[j]:offset[j + 1]]`
    bound: Ints  # (rows,) numbers of bounds
    holds: Mask  # (rows,) whether the bound holds the job back; otherwise it only counts towards it
    total: Ints  # (n, K) amounts that each job takes; nodes are the least until it starts
    by_node: Ints  # (1,) the column of nodes among the amounts, or -1
    most_jobs: Ints  # (C,) limit of running jobs
    most: Ints  # (C, K) limits of the amounts that they take
    run: Ints  # (C,) running jobs
    used: Ints  # (C, K) amounts that they take
    most_spent: Floats  # (S, K) limits of resources times ticks over all jobs; S is C, or 0 without any
    most_ahead: Ints  # (S, K) limits of what running jobs may still spend
    set_aside: (
        Mask  # (K,) resources of which the whole time limit of a job has to be left, where that is `safe`
    )
    spent: Floats  # (S, K) resources times ticks that have been counted so far
    ahead: Ints  # (S, K) the most that running jobs may still spend, by their time limits
    fades: Mask  # (S,) whether what is spent decays like usage


class SiteClosures(NamedTuple):
    """Closures: nodes that no other job may use for a time, such as reservations, in order of their ends."""

    first: Ints  # (closures,) begin, ticks
    last: Ints  # (closures,) end, ticks
    offset: Ints  # (closures + 1,) closure c has `nodes[offset[c]:offset[c + 1]]`
    nodes: Ints  # (rows,) closed nodes


class SitePreemption(NamedTuple):
    """The rules of preemption, and who preempts whom. The arrays are empty without preemption."""

    kind: Ints  # (n,) class of each job: its partition, or its quality of service
    beats: Mask  # (classes, classes) whether jobs of the first class may preempt those of the second
    requeues: Mask  # (n,) whether the job is queued again when it is preempted; otherwise it is cancelled
    grace: Ints  # (n,) ticks for which it still runs after it is preempted
    rank: Ints  # (n,) jobs of lower rank are preempted first, of equal rank those on fewer nodes
    by: Ints  # (n,) the job that preempts it, or has preempted its last run for good, or -1
    until: Ints  # (n,) the end of the grace of a job that was preempted
    since: Ints  # (n,) when it last preempted others, ticks
    times: Ints  # (n,) how often it was preempted
    candidates: Ints  # (n, 2) scratch: jobs, and the key by which they are sorted


class SiteFailures(NamedTuple):
    """Failures of nodes, m of them in order of their begins."""

    node: Ints  # (m,) the node that fails
    first: Ints  # (m,) ticks, when it fails
    last: Ints  # (m,) ticks, when it comes back
    ending: Ints  # (m,) the failures in order of their ends
    passed: Ints  # (2,) number of failures that have begun, and of those that are over
    down: Mask  # (N,) whether the node is down
    restarts: int  # how often a job that failures stop is queued again; then it is given up


class SiteStops(NamedTuple):
    """Runs that preemption or failures cut short. All arrays but `many` are empty where neither is."""

    runtime: Ints  # (n,) full runtime, ticks: that of a preempted run is cut
    limit: Ints  # (n,) full time limit, ticks
    times: Ints  # (n,) how often failures have stopped the job
    lost: Ints  # (l, 6) runs of jobs that run again, or are given up: job, start, end, first row, number of
    #  rows, and the job that preempted it, or -1
    lost_rows: Ints  # (r, 3) rows of their places, as `SiteState.rows`
    many: Ints  # (3,) rows of `lost` in use, rows of `lost_rows` in use, and runs without room there


class SiteFollowers(NamedTuple):
    """Jobs that are submitted after the ends of others. The arrays are empty where there are none."""

    first: Ints  # (n,) the first job that follows this job, or -1
    further: Ints  # (n,) the next job that follows the same job as this one, or -1
    think: Ints  # (n,) ticks from that job's end to the submission


class SiteNotes(NamedTuple):
    """The log of the reasons for which jobs wait; all arrays but `memo` are empty where it is not on."""

    log: LogBuffer
    head: Ints  # (partitions,) the job that last stopped a pass of the main scheduler for each, or -1
    first_inside: Ints  # (closures,) in a pass, the job of each reservation that had no room
    closer: Ints  # (N,) in a pass, the job that keeps each node from jobs of other partitions, or -1
    beyond: Ints  # (n,) when a cycle last found no start for a job inside its window, ticks, or -1
    memo: Ints  # (M, 3) in a cycle, kinds, partitions, and the number of tasks that have room now
    memos: Ints  # (1,) number of these rows in use


class SiteRun(NamedTuple):
    """Everything that the kernels of a simulation read and write."""

    jobs: SiteJobs
    machine: SiteMachine
    rules: SiteRules
    weights: SiteWeights
    state: SiteState
    scratch: SiteScratch
    plans: SitePlans
    ends: SiteEnds
    bounds: SiteBounds
    closures: SiteClosures
    followers: SiteFollowers
    preemption: SitePreemption
    failures: SiteFailures
    stops: SiteStops
    notes: SiteNotes
