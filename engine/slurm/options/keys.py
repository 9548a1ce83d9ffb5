"""Every key of a `slurm.conf`: whether it is simulated, without effect on schedules, or ignored.

For ignored keys it has the consequence. Names are those of the manual of Slurm 22.05 to 24.11
(slurm.conf(5)), with some of older releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Keys:
    """The keys of a place in the file. Names are in the manual's spelling.

    `simulated` keys are obeyed, `harmless` keys do not affect when and where jobs run, `ignored` keys have
    the consequence of ignoring them. `usual` are the values with which an ignored key has no effect.
    """

    simulated: frozenset[str]
    harmless: frozenset[str]
    ignored: Mapping[str, str]
    usual: Mapping[str, tuple[str, ...]]
    lower: Mapping[str, str]

    def official_name(self, key: str) -> str:
        """The key in the manual's spelling; unchanged if the manual does not have it."""
        return self.lower.get(key.lower(), key)

    def left_out(self, given: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        """The keys that are given and not obeyed: each with its value, and what that does."""
        for key, value in given.items():
            name = self.official_name(key)
            if name in self.simulated or name in self.harmless:
                continue
            says_nothing = _NOTHING + self.usual.get(name, ())
            if name not in self.ignored:
                yield name, value, "unknown key"
            elif value.lower() not in says_nothing:
                yield name, value, self.ignored[name]


_NOTHING = ("0", "none", "no", "unlimited", "infinite", "all", "off", "(null)", "n/a", "false")


def _keys(
    simulated: str,
    harmless: str,
    ignored: Mapping[str, str],
    usual: Mapping[str, tuple[str, ...]] | None = None,
) -> Keys:
    names = frozenset(simulated.split()), frozenset(harmless.split())
    assert not names[0] & names[1], "a key is listed twice"
    assert not (names[0] | names[1]) & ignored.keys(), "a key is listed twice"
    lower = {name.lower(): name for name in (*names[0], *names[1], *ignored)}
    return Keys(*names, ignored, usual or {}, lower)


_PREEMPTED = "jobs are never preempted"
_KILLED = "jobs are never killed at their time limit: runtimes are those of the log"
_POWER = "nodes are always powered up"
_PROLOG = "nodes are free as soon as a job ends, and jobs start without delay"
_MEMORY = "memory requests are those of the log"

SETTINGS = _keys(
    simulated="""
        SchedulerType SchedulerParameters PriorityType PriorityDecayHalfLife PriorityFavorSmall
        PriorityMaxAge PriorityWeightAge PriorityWeightFairshare PriorityWeightJobSize
        PriorityWeightPartition PriorityFlags SelectType SelectTypeParameters GresTypes""",
    harmless="""
        AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost
        AccountingStorageParameters AccountingStoragePass AccountingStoragePort
        AccountingStorageTRES AccountingStorageType AccountingStorageUser AccountingStoreFlags
        AccountingStoreJobComment AccountingStorageLoc AcctGatherNodeFreq AcctGatherEnergyType
        AcctGatherInterconnectType AcctGatherFilesystemType AcctGatherInfinibandType
        AcctGatherProfileType AuthAltTypes AuthAltParameters AuthInfo AuthType BackupAddr
        BackupController BcastExclude BcastParameters CacheGroups CheckpointType CertmgrParameters
        CertmgrType CliFilterPlugins CliFilterParameters ClusterName CommunicationParameters
        ControlAddr ControlMachine CoreSpecPlugin CpuFreqDef CpuFreqGovernors CredType CryptoType
        DataParserParameters DebugFlags DefaultStorageHost DefaultStorageLoc DefaultStoragePass
        DefaultStoragePort DefaultStorageType DefaultStorageUser DisableRootJobs EioTimeout
        EnforcePartLimits EpilogTimeout ExtSensorsFreq ExtSensorsType FirstJobId GetEnvTimeout
        GpuFreqDef GroupUpdateForce GroupUpdateTime HashPlugin HealthCheckInterval
        HealthCheckNodeState HealthCheckProgram InactiveLimit InteractiveStepOptions
        JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobCompHost JobCompLoc
        JobCompParams JobCompPass JobCompPort JobCompType JobCompUser JobContainerType
        JobContainerPlugin JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend
        KillOnBadExit LaunchParameters LaunchType LogTimeFormat MailDomain MailProg MaxDBDMsgs
        MaxJobId MaxNodeCount MaxStepCount MaxTasksPerNode MemLimitEnforce MessageTimeout
        MetricsType MinJobAge MpiDefault MpiParams MsgAggregationParams NamespaceType PluginDir
        PlugStackConfig PrEpParameters PrEpPlugins PriorityParameters PrivateData ProctrackType
        PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept
        PrologEpilogTimeout PrologTimeout ReconfigFlags RoutePlugin SallocDefaultCommand
        SbcastParameters SchedulerAuth SchedulerPort SchedulerRootFilter ScronParameters
        SlurmctldAddr SlurmctldDebug SlurmctldHost SlurmctldLogFile SlurmctldParameters
        SlurmctldPidFile SlurmctldPlugstack SlurmctldPort SlurmctldPrimaryOffProg
        SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug SlurmdLogFile
        SlurmdParameters SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout
        SlurmdUser SlurmSchedLogFile SlurmSchedLogLevel SlurmUser SrunEpilog SrunPortRange
        SrunProlog StateSaveLocation SwitchName SwitchParameters SwitchType TaskEpilog TaskPlugin
        TaskPluginParam TaskProlog TCPTimeout TLSParameters TLSType TmpFS TrackWCKey TreeWidth
        UrlParserType UsePAM VSizeFactor WaitTime X11Parameters UnkillableStepProgram
        UnkillableStepTimeout ReturnToService SuspendExcNodes SuspendExcParts SuspendExcStates
        SuspendRate ResumeRate ResumeFailProgram RebootProgram FastSchedule NodeFeaturesPlugins
        FederationParameters DefCpuPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode""",
    ignored={
        "AccountingStorageEnforce": "limits of associations and QOS in the database are not simulated",
        "AllowSpecResourcesUsage": "jobs never use cores that are reserved for the system",
        "BatchStartTimeout": _PROLOG,
        "BurstBufferType": "jobs do not wait for burst buffers",
        "CompleteWait": "nodes are free as soon as a job ends",
        "DependencyParameters": "dependencies between jobs are those of the log (--dependencies)",
        "Epilog": _PROLOG,
        "EpilogMsgTime": _PROLOG,
        "EpilogSlurmctld": _PROLOG,
        "FairShareDampeningFactor": "fairshare is not dampened",
        "JobRequeue": "jobs are requeued as in the log, and after node failures as on_failure says",
        "JobSubmitPlugins": "jobs are those of the log, unchanged",
        "KillWait": _KILLED,
        "Licenses": "jobs do not wait for licenses",
        "MaxArraySize": "all tasks of the log's job arrays are read",
        "MaxBatchRequeue": "max_restarts limits how often jobs are requeued",
        "MaxJobCount": "the number of waiting jobs is not limited",
        "MaxMemPerCPU": _MEMORY,
        "MaxMemPerNode": _MEMORY,
        "MCSParameters": "all users share all nodes",
        "MCSPlugin": "all users share all nodes",
        "OverTimeLimit": _KILLED,
        "PowerParameters": _POWER,
        "PowerPlugin": _POWER,
        "PreemptExemptTime": _PREEMPTED,
        "PreemptMode": _PREEMPTED,
        "PreemptParameters": _PREEMPTED,
        "PreemptType": _PREEMPTED,
        "PriorityCalcPeriod": "priorities are computed at every pass",
        "PrioritySiteFactorParameters": "no site factor is added to priorities",
        "PrioritySiteFactorPlugin": "no site factor is added to priorities",
        "PriorityUsageResetPeriod": "usage decays with its half-life and is never reset",
        "PriorityWeightAssoc": "associations have no priorities",
        "PriorityWeightQOS": "the quality of service of a job does not change its priority",
        "PriorityWeightTRES": "the size of a job counts processors only",
        "Prolog": _PROLOG,
        "PrologFlags": _PROLOG,
        "PrologSlurmctld": _PROLOG,
        "RequeueExit": "jobs are requeued as in the log",
        "RequeueExitHold": "jobs are requeued as in the log",
        "ResumeProgram": _POWER,
        "ResumeTimeout": _POWER,
        "ResvEpilog": "advance reservations are not simulated",
        "ResvOverRun": "advance reservations are not simulated",
        "ResvProlog": "advance reservations are not simulated",
        "SchedulerTimeSlice": "jobs never share processors in time slices",
        "SuspendProgram": _POWER,
        "SuspendTime": _POWER,
        "SuspendTimeout": _POWER,
        "TopologyParam": "the network topology is not simulated",
        "TopologyPlugin": "the network topology is not simulated",
    },
    usual={
        "CompleteWait": ("0",),
        "EpilogMsgTime": ("2000",),
        "BatchStartTimeout": ("10",),
        "FairShareDampeningFactor": ("1",),
        "JobRequeue": ("1",),
        "KillWait": ("30",),
        "MaxArraySize": ("1001",),
        "MaxBatchRequeue": ("5",),
        "MaxJobCount": ("10000",),
        "MCSPlugin": ("mcs/none",),
        "PowerPlugin": ("power/none", ""),
        "PreemptType": ("preempt/none",),
        "PrioritySiteFactorPlugin": ("site_factor/none",),
        "BurstBufferType": ("burst_buffer/none",),
        "SuspendTime": ("-1",),
        "TopologyPlugin": ("topology/none", "topology/default", "topology/flat"),
        "ResumeTimeout": ("60",),
        "SuspendTimeout": ("30",),
        "SchedulerTimeSlice": ("30",),
    },
)
"""Keys of lines that define no node and no partition."""

_HET = "the components of heterogeneous jobs are separate jobs"
_MAIN = "only the backfill scheduler is simulated, not Slurm's main scheduler"
_WHOLE = "a pass takes no time and is never interrupted"

PARAMETERS = _keys(
    simulated="bf_interval bf_max_job_test bf_max_job_user bf_window bf_resolution",
    harmless="""
        allow_zero_lic bb_array_stage_cnt bf_node_space_size build_queue_timeout
        disable_hetjob_steps enable_hetjob_steps enable_job_state_cache enable_user_top
        ignore_constraint_validation ignore_prefer_validation max_array_tasks max_script_size
        max_submit_line_size no_backup_scheduling no_env_cache nohold_on_prolog_fail
        requeue_setup_env_fail salloc_wait_nodes sbatch_wait_nodes step_retry_count step_retry_time
        delay_boot disable_job_shrink extra_constraints Ignore_NUMA""",
    ignored={
        "assoc_limit_stop": "associations have no limits that could stop a pass",
        "batch_sched_delay": _MAIN,
        "bf_allow_magnetic_slot": "advance reservations are not simulated",
        "bf_busy_nodes": "nodes are chosen by the policy's placement",
        "bf_continue": _WHOLE,
        "bf_hetjob_immediate": _HET,
        "bf_hetjob_prio": _HET,
        "bf_job_part_count_reserve": "the number of reservations per queue is not limited",
        "bf_licenses": "jobs do not wait for licenses",
        "bf_max_job_array_resv": "the number of reservations per job array is not limited",
        "bf_max_job_assoc": "the number of jobs tried per association is not limited",
        "bf_max_job_part": "the number of jobs tried per queue is not limited",
        "bf_max_job_start": "the number of jobs that a pass starts is not limited",
        "bf_max_job_user_part": "the number of jobs tried per user and queue is not limited",
        "bf_max_time": _WHOLE,
        "bf_min_age_reserve": "jobs of any age get reservations",
        "bf_min_prio_reserve": "jobs of any priority get reservations",
        "bf_one_resv_per_job": "each job is in one queue only",
        "bf_running_job_reserve": "advance reservations are not simulated",
        "bf_topopt_enable": "the network topology is not simulated",
        "bf_topopt_iterations": "the network topology is not simulated",
        "bf_window_linear": "reservations far ahead are as precise as near ones",
        "bf_yield_interval": _WHOLE,
        "bf_yield_sleep": _WHOLE,
        "correspond_after_task_cnt": "tasks of job arrays do not wait for each other",
        "default_queue_depth": _MAIN,
        "defer": _MAIN,
        "defer_batch": _MAIN,
        "max_rpc_cnt": _WHOLE,
        "max_sched_time": _MAIN,
        "max_switch_wait": "the network topology is not simulated",
        "pack_serial_at_end": "nodes are chosen by the policy's placement",
        "partition_job_depth": _MAIN,
        "preempt_reorder_count": _PREEMPTED,
        "preempt_strict_order": _PREEMPTED,
        "preempt_youngest_first": _PREEMPTED,
        "reduce_completing_frag": "nodes are free as soon as a job ends",
        "requeue_delay": "jobs are requeued as in the log",
        "sched_interval": _MAIN,
        "sched_max_job_start": _MAIN,
        "sched_min_interval": _MAIN,
        "spec_cores_first": "the cores that a job gets within a node are not simulated",
        "time_min_as_soft_limit": "jobs have a single time limit, the one they requested",
        "whole_hetjob": _HET,
    },
)
"""Words of SchedulerParameters."""

FLAGS = _keys(
    simulated="",
    harmless="",
    ignored={
        "ACCRUE_ALWAYS": "age counts from the submission in the log",
        "CALCULATE_RUNNING": "running jobs have no priorities",
        "DEPTH_OBLIVIOUS": "fairshare is the classic formula, for users or for accounts",
        "FAIR_TREE": "fair tree is not modelled: fairshare is the classic formula, for users or accounts",
        "INCR_ONLY": "priorities may also fall",
        "MAX_TRES": "usage counts processors only",
        "MAX_TRES_GRES": "usage counts processors only",
        "NO_FAIR_TREE": "fairshare is the classic formula, for users or for accounts, without a tree",
        "NO_NORMAL_ALL": "factors are normalized",
        "NO_NORMAL_ASSOC": "associations have no priorities",
        "NO_NORMAL_PART": "factors of partitions are normalized",
        "NO_NORMAL_QOS": "the quality of service of a job does not change its priority",
        "NO_NORMAL_TRES": "the size of a job counts processors only",
        "SMALL_RELATIVE_TO_TIME": "the size factor of a job does not depend on its time limit",
        "TICKET_BASED": "fairshare is the classic formula, for users or for accounts",
    },
)
"""Words of PriorityFlags."""

NODE = _keys(
    simulated="""
        NodeName CPUs Procs Boards Sockets SocketsPerBoard CoresPerSocket ThreadsPerCore RealMemory
        Gres Feature Features CoreSpecCount CpuSpecList MemSpecLimit State""",
    harmless="""
        NodeHostname NodeAddr BcastAddr Port Reason TmpDisk CpuBind Arch OS Extra RestrictedCoresPerGPU""",
    ignored={
        "Weight": "nodes are chosen by the policy's placement, not by their weights",
        "Topology": "the network topology is not simulated",
    },
    usual={"Weight": ("1",)},
)
"""Keys of lines that define nodes."""

PARTITION = _keys(
    simulated="PartitionName Nodes PriorityJobFactor PriorityTier Priority",
    harmless="""
        Default DefaultTime Hidden DisableRootJobs CpuBind DefCpuPerGPU DefMemPerCPU DefMemPerGPU
        DefMemPerNode Alternate PowerDownOnIdle AllocNodes JobDefaults""",
    ignored={
        "AllowAccounts": "access to partitions is not checked",
        "AllowGroups": "access to partitions is not checked",
        "AllowQos": "access to partitions is not checked",
        "DenyAccounts": "access to partitions is not checked",
        "DenyQos": "access to partitions is not checked",
        "ExclusiveTopo": "the network topology is not simulated",
        "ExclusiveUser": "users share nodes",
        "GraceTime": _PREEMPTED,
        "LLN": "nodes are chosen by the policy's placement",
        "MaxCPUsPerNode": "the processors of a queue per node are not limited",
        "MaxCPUsPerSocket": "the processors of a queue per socket are not limited",
        "MaxMemPerCPU": "the RAM of jobs is not limited per queue",
        "MaxMemPerNode": "the RAM of jobs per node is not limited per queue",
        "MaxNodes": "the nodes of jobs are not limited per queue",
        "MaxTime": "walltimes are not limited per queue",
        "MinNodes": "the nodes of jobs are not limited per queue",
        "OverSubscribe": "processors are never shared",
        "OverTimeLimit": _KILLED,
        "PreemptMode": _PREEMPTED,
        "QOS": "queues have no quality of service",
        "ReqResv": "advance reservations are not simulated",
        "ResumeTimeout": _POWER,
        "RootOnly": "access to partitions is not checked",
        "SelectTypeParameters": "processors are chosen in the same way for all queues",
        "Shared": "processors are never shared",
        "State": "every queue is open and starts jobs",
        "SuspendTime": _POWER,
        "SuspendTimeout": _POWER,
        "Topology": "the network topology is not simulated",
        "TRESBillingWeights": "usage counts processors only",
    },
    usual={
        "State": ("up",),
        "SuspendTime": ("-1",),
        "MinNodes": ("1",),
        "OverSubscribe": ("exclusive",),  # which `node_use` describes
        "Shared": ("exclusive",),
    },
)
"""Keys of lines that define partitions."""
