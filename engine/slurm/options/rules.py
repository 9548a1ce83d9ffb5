"""The rules of Slurm's schedulers as the kernels read them: whole numbers, without files and words."""

from __future__ import annotations

from typing import NamedTuple


class SiteRules(NamedTuple):
    """The settings of Slurm's schedulers as whole numbers; flags are 0 or 1."""

    ticks: int  # ticks in a second
    first_check: int  # tick of a check of time limits
    check_beat: int  # thousandths of a tick between these checks: each is a wake of that loop
    resv_over: int  # ticks for which jobs may go on after their reservation; -1: they are never ended
    first_beat: int  # ticks from the first submission to a wake of slurmctld's background loop
    main_beat: int  # thousandths of a tick between its wakes: at some of them the main scheduler runs
    backfill_phase: int  # the tick of a second at which the backfiller runs
    main_depth: int  # jobs that a pass of the main scheduler tries, unless it tries all
    main_part_depth: int  # jobs of one partition that any of its passes tries; 0: no limit
    main_starts: int  # jobs that a pass of the main scheduler starts; 0: no limit
    main_delay: int  # ticks between passes of the main scheduler after submissions and ends
    main_every: int  # ticks between passes of the main scheduler that try all jobs
    main_gap: int  # ticks between any two of its passes (of a site: microseconds)
    backfills: int  # flag: whether the backfiller runs
    bf_interval: int  # ticks between cycles of the backfiller
    bf_tests: int  # jobs that a cycle tries
    bf_user_tests: int  # jobs of one user that it tries; 0: no limit
    bf_part_tests: int  # jobs of one partition that it tries; 0: no limit
    bf_assoc_tests: int  # jobs of one association that it tries; 0: no limit
    bf_user_part_tests: int  # jobs of one user in one partition that it tries; 0: no limit
    bf_starts: int  # jobs that it starts; 0: no limit
    bf_plans: int  # plans that a cycle makes; later jobs start only if they delay no plan; 0: no limit
    bf_window: int  # ticks that plans may begin in the future
    bf_resolution: int  # ticks to whose multiples plans are rounded
    calc_period: int  # ticks between computations of all priorities
    first_calc: int  # ticks from the first submission to the first of these
    kill_wait: int  # ticks after which a job beyond its limit is expected to be killed
    over_limit: int  # ticks that jobs may run beyond their limit; -1: they are never stopped
    launch_delay: int  # ticks from a submission to the pass that it calls for
    completion_delay: int  # ticks for which nodes are cleaned up after a job
    completion_spread: int  # ticks: the most by which that is longer, different for each job
    seed: int  # of these differences
    end_notice: int  # ticks from an end to the earliest pass that it calls for
    first_full: int  # ticks from the first submission to the first pass that tries all jobs
    first_backfill: int  # ticks from the first submission to the first backfill cycle
    clock: int  # ticks from 1970 to time 0
    end_batch: int  # ticks within which the first ends of running jobs are tried together
    end_linear: int  # ticks by which that grows for each further try; 0: it doubles
    multifactor: int  # flag: whether priorities have factors; otherwise jobs go by submission
    fair_tree: int  # flag: whether fairshare is computed by Fair Tree; otherwise by the classic formula
    most_rows: int  # the most rows that the places of a job may take
    safe: int  # flag: whether a job starts only if limits of resources times time leave its whole time limit
    requeue_delay: int  # ticks after which a preempted job may start again
    exempt: int  # ticks that a job runs before it may be preempted
    patience: int  # ticks after a preemption for which the same job ends no further jobs
