"""Rows of the table: words of SchedulerParameters and of PriorityFlags.

Bounds are those that slurmctld checks when it reads them (slurm.conf(5); `_load_config` of sched/backfill and
`_schedule` of slurmctld, Slurm 22.05 to 25.05): beyond them it reports an error and takes the usual value.
"""

from __future__ import annotations

from functools import partial

from engine.slurm.options.option import ConfigPart, SlurmOption, harmless, ignored
from engine.slurm.options.releases import OWN_REQUEUE_DELAY

_WORD = ConfigPart.PARAMETER
_number = partial(SlurmOption, place=_WORD, kind="number")
_ignored = partial(ignored, _WORD)

PARAMETERS = (
    _number(
        "bf_interval", usual="30", least=1, most=10_800, off=("-1", "the backfiller is off"),
        sets="bf_interval", tried=(5, 300),
    ),
    _number("bf_max_job_test", usual="500", least=1, most=1_000_000, sets="bf_tests", tried=(50, 5000)),
    _number("bf_max_job_user", usual="0", least=0, sets="bf_user_tests", tried=(0, 100)),
    _number("bf_max_job_part", usual="0", least=0, sets="bf_part_tests", tried=(0, 500)),
    _number(
        "bf_max_job_assoc", usual="0", least=0, sets="bf_assoc_tests", touches="waited",
        ignored="the number of jobs tried per association is not limited", obeyed_with="associations",
    ),
    _number("bf_max_job_user_part", usual="0", least=0, sets="bf_user_part_tests", tried=(0, 100)),
    _number("bf_max_job_start", usual="0", least=0, most=10_000, sets="bf_starts"),
    SlurmOption(
        "bf_window", _WORD, "minutes", usual="1440", least=1, most=43_200, sets="bf_window",
        tried=(1440, 14_400),
    ),
    _number("bf_resolution", usual="60", least=1, most=3600, sets="bf_resolution", tried=(1, 600)),
    _number("bf_window_linear", usual="0", least=0, sets="end_linear"),
    _number("default_queue_depth", usual="100", least=0, sets="main_depth", tried=(10, 1000)),
    _number("partition_job_depth", usual="0", least=0, sets="main_part_depth", tried=(0, 500)),
    _number("batch_sched_delay", usual="3", least=0, sets="main_delay", tried=(1, 20)),
    _number(
        "sched_interval", usual="60", least=0, off=("-1", "the main scheduler is off"), sets="main_every",
        tried=(15, 300),
    ),
    _number("sched_min_interval", usual="2", least=0, sets="main_gap"),
    _number("sched_max_job_start", usual="0", least=0, sets="main_starts"),
    _number("requeue_delay", usual="-1", least=0, sets="requeue_delay", since=OWN_REQUEUE_DELAY),
    SlurmOption("preempt_reorder_count", _WORD, "number", sets="preemption"),
    SlurmOption("bf_continue", _WORD, "flag", sets="each cycle tries all jobs"),
    SlurmOption("defer", _WORD, "flag", sets="no job is tried at its submission"),
    SlurmOption("defer_batch", _WORD, "flag", sets="no job is tried at its submission"),
    *harmless(
        _WORD,
        """
        allow_zero_lic bb_array_stage_cnt bf_node_space_size build_queue_timeout
        disable_hetjob_steps enable_hetjob_steps enable_job_state_cache enable_user_top
        ignore_constraint_validation ignore_prefer_validation max_array_tasks max_script_size
        max_submit_line_size no_backup_scheduling no_env_cache nohold_on_prolog_fail
        requeue_setup_env_fail salloc_wait_nodes sbatch_wait_nodes step_retry_count step_retry_time
        delay_boot disable_job_shrink extra_constraints Ignore_NUMA""",
    ),
    *_ignored("associations have no limits that could stop a pass", "waited", "assoc_limit_stop"),
    *_ignored("no job uses a reservation that it did not request", "reservations", "bf_allow_magnetic_slot"),
    *_ignored(
        "jobs do not use nodes of a reservation beyond its times", "reservations", "bf_running_job_reserve"
    ),
    *_ignored("nodes that become free soon are not preferred", "waited", "bf_busy_nodes"),
    *_ignored(
        "the components of heterogeneous jobs are separate jobs", "components",
        "bf_hetjob_immediate bf_hetjob_prio whole_hetjob",
    ),
    *_ignored(
        "the number of reservations per partition is not limited", "waited", "bf_job_part_count_reserve"
    ),
    *_ignored("jobs do not wait for licenses", "", "bf_licenses"),
    *_ignored("the number of reservations per job array is not limited", "tasks", "bf_max_job_array_resv"),
    *_ignored(
        "a pass takes no time and is never interrupted", "waited",
        "bf_max_time bf_yield_interval bf_yield_sleep max_rpc_cnt",
    ),
    *_ignored("jobs of any age get reservations", "waited", "bf_min_age_reserve"),
    *_ignored("jobs of any priority get reservations", "waited", "bf_min_prio_reserve"),
    *_ignored("each job is in one partition only", "waited", "bf_one_resv_per_job"),
    *_ignored(
        "the network topology is not simulated", "several nodes",
        "bf_topopt_enable bf_topopt_iterations max_switch_wait",
    ),
    *_ignored("tasks of job arrays do not wait for each other", "tasks", "correspond_after_task_cnt"),
    *_ignored("how long a pass takes is slurmctld's own speed", "waited", "max_sched_time"),
    *_ignored("jobs on one processor are placed like others", "serial", "pack_serial_at_end"),
    *_ignored(
        "jobs are preempted by tier or QOS priority, then by their number of nodes", "",
        "preempt_strict_order preempt_youngest_first",
    ),
    *_ignored("nodes are free as soon as a job ends", "waited", "reduce_completing_frag"),
    *_ignored("the cores that a job gets within a node are not simulated", "", "spec_cores_first"),
    *_ignored(
        "jobs have a single time limit, the one they requested", "", "time_min_as_soft_limit",
    ),
)  # fmt: skip

_tree = partial(SlurmOption, place=ConfigPart.FLAG, kind="flag", sets="fair_tree")
_flag = partial(ignored, ConfigPart.FLAG)

FLAGS = (
    _tree("FAIR_TREE"),
    _tree("NO_FAIR_TREE"),
    _tree("DEPTH_OBLIVIOUS"),
    *_flag("the age of a job counts from when it was eligible", "all", "ACCRUE_ALWAYS"),
    *_flag("running jobs have no priorities", "all", "CALCULATE_RUNNING"),
    *_flag("priorities may also fall", "all", "INCR_ONLY"),
    *(
        SlurmOption(name, ConfigPart.FLAG, kind="flag", sets="usage of jobs")
        for name in ("MAX_TRES", "MAX_TRES_GRES")
    ),
    *_flag("factors are normalized", "all", "NO_NORMAL_ALL"),
    *_flag("associations have no priorities", "all", "NO_NORMAL_ASSOC"),
    *_flag("factors of partitions are normalized", "all", "NO_NORMAL_PART"),
    *_flag("priorities of QOS are normalized", "all", "NO_NORMAL_QOS"),
    *_flag("the size of a job counts processors and nodes only", "all", "NO_NORMAL_TRES"),
    *_flag("the size factor of a job does not depend on its time limit", "all", "SMALL_RELATIVE_TO_TIME"),
    *_flag("fairshare is Fair Tree or the classic formula", "all", "TICKET_BASED"),
)
