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

    def spelled(self, key: str) -> str:
        """The key in the manual's spelling; unchanged if the manual does not have it."""
        return self.lower.get(key.lower(), key)

    def left_out(self, given: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        """The keys that are given and not obeyed: each with its value, and what that does."""
        for key, value in given.items():
            name = self.spelled(key)
            if name in self.simulated or name in self.harmless:
                continue
            says_nothing = _NOTHING + self.usual.get(name, ())
            if name not in self.ignored:
                yield name, value, "no such key is known here"
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
_KILLED = "jobs are never killed for their limit: the log's runtimes count"
_POWER = "nodes are always powered up"
_PROLOG = "nodes are free at once when a job ends, and jobs start at once"
_MEMORY = "jobs have the memory given in the log"

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
        "AccountingStorageEnforce": "limits of associations and QOS are in the database, and not obeyed",
        "AllowSpecResourcesUsage": "no job takes cores that are reserved for the system",
        "BatchStartTimeout": _PROLOG,
        "BurstBufferType": "jobs do not wait for burst buffers",
        "CompleteWait": "nodes are free at once when a job ends",
        "DependencyParameters": "jobs depend on others as in the log (--dependencies)",
        "Epilog": _PROLOG,
        "EpilogMsgTime": _PROLOG,
        "EpilogSlurmctld": _PROLOG,
        "FairShareDampeningFactor": "fairshare is not dampened",
        "JobRequeue": "jobs are queued again as in the log, and after failures by on_failure",
        "JobSubmitPlugins": "jobs are as the log has them",
        "KillWait": _KILLED,
        "Licenses": "jobs do not wait for licenses",
        "MaxArraySize": "the log's arrays are read whole",
        "MaxBatchRequeue": "jobs are queued again as often as max_restarts says",
        "MaxJobCount": "any number of jobs may wait",
        "MaxMemPerCPU": _MEMORY,
        "MaxMemPerNode": _MEMORY,
        "MCSParameters": "nodes are shared by all users",
        "MCSPlugin": "nodes are shared by all users",
        "OverTimeLimit": _KILLED,
        "PowerParameters": _POWER,
        "PowerPlugin": _POWER,
        "PreemptExemptTime": _PREEMPTED,
        "PreemptMode": _PREEMPTED,
        "PreemptParameters": _PREEMPTED,
        "PreemptType": _PREEMPTED,
        "PriorityCalcPeriod": "priorities are computed at every pass",
        "PrioritySiteFactorParameters": "there is no factor of the site",
        "PrioritySiteFactorPlugin": "there is no factor of the site",
        "PriorityUsageResetPeriod": "usage fades by its half-life, and is never reset",
        "PriorityWeightAssoc": "associations have no priorities",
        "PriorityWeightQOS": "the log may name a quality of service, but jobs gain nothing by it",
        "PriorityWeightTRES": "only processors count for the size of a job",
        "Prolog": _PROLOG,
        "PrologFlags": _PROLOG,
        "PrologSlurmctld": _PROLOG,
        "RequeueExit": "jobs are queued again as the log says",
        "RequeueExitHold": "jobs are queued again as the log says",
        "ResumeProgram": _POWER,
        "ResumeTimeout": _POWER,
        "ResvEpilog": "there are no reservations of nodes",
        "ResvOverRun": "there are no reservations of nodes",
        "ResvProlog": "there are no reservations of nodes",
        "SchedulerTimeSlice": "jobs never take turns on the same processors",
        "SuspendProgram": _POWER,
        "SuspendTime": _POWER,
        "SuspendTimeout": _POWER,
        "TopologyParam": "where nodes lie in the network is not simulated",
        "TopologyPlugin": "where nodes lie in the network is not simulated",
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

_HET = "the parts of heterogeneous jobs are jobs of their own"
_MAIN = "all passes are those of the backfiller, none of Slurm's main scheduler"
_WHOLE = "a pass takes no time and is never interrupted"

PARAMETERS = _keys(
    simulated="bf_interval bf_max_job_test bf_max_job_user bf_window bf_resolution",
    harmless="""
        allow_zero_lic bb_array_stage_cnt bf_node_space_size build_queue_timeout
        disable_hetjob_steps enable_hetjob_steps enable_job_state_cache enable_user_top
        ignore_constraint_validation ignore_prefer_validation max_array_tasks max_script_size
        max_submit_line_size no_backup_scheduling no_env_cache nohold_on_prolog_fail
        requeue_setup_env_fail salloc_wait_nodes sbatch_wait_nodes step_retry_count step_retry_time
        delay_boot disable_job_shrink extra_constraints""",
    ignored={
        "assoc_limit_stop": "there are no limits of associations that could stop a pass",
        "batch_sched_delay": _MAIN,
        "bf_allow_magnetic_slot": "there are no reservations of nodes",
        "bf_busy_nodes": "nodes are chosen by the policy's placement",
        "bf_continue": _WHOLE,
        "bf_hetjob_immediate": _HET,
        "bf_hetjob_prio": _HET,
        "bf_job_part_count_reserve": "a pass reserves for any number of jobs of a queue",
        "bf_licenses": "jobs do not wait for licenses",
        "bf_max_job_array_resv": "a pass reserves for any number of an array's jobs",
        "bf_max_job_assoc": "a pass tries any number of jobs of an association",
        "bf_max_job_part": "a pass tries any number of jobs of a queue",
        "bf_max_job_start": "a pass starts any number of jobs",
        "bf_max_job_user_part": "a pass tries any number of a user's jobs of a queue",
        "bf_max_time": _WHOLE,
        "bf_min_age_reserve": "a pass reserves for jobs of any age",
        "bf_min_prio_reserve": "a pass reserves for jobs of any priority",
        "bf_one_resv_per_job": "jobs are in one queue each",
        "bf_running_job_reserve": "there are no reservations of nodes",
        "bf_topopt_enable": "where nodes lie in the network is not simulated",
        "bf_topopt_iterations": "where nodes lie in the network is not simulated",
        "bf_window_linear": "reservations far ahead are as exact as near ones",
        "bf_yield_interval": _WHOLE,
        "bf_yield_sleep": _WHOLE,
        "correspond_after_task_cnt": "tasks of arrays do not wait for each other",
        "default_queue_depth": _MAIN,
        "defer": _MAIN,
        "defer_batch": _MAIN,
        "max_rpc_cnt": _WHOLE,
        "max_sched_time": _MAIN,
        "max_switch_wait": "where nodes lie in the network is not simulated",
        "pack_serial_at_end": "nodes are chosen by the policy's placement",
        "partition_job_depth": _MAIN,
        "preempt_reorder_count": _PREEMPTED,
        "preempt_strict_order": _PREEMPTED,
        "preempt_youngest_first": _PREEMPTED,
        "reduce_completing_frag": "nodes are free at once when a job ends",
        "sched_interval": _MAIN,
        "sched_max_job_start": _MAIN,
        "sched_min_interval": _MAIN,
        "spec_cores_first": "which cores of a node a job gets is not simulated",
        "time_min_as_soft_limit": "jobs have a single limit, which they requested",
        "whole_hetjob": _HET,
    },
)
"""Words of SchedulerParameters."""

FLAGS = _keys(
    simulated="",
    harmless="",
    ignored={
        "ACCRUE_ALWAYS": "age grows from the submission in the log on",
        "CALCULATE_RUNNING": "running jobs have no priorities",
        "DEPTH_OBLIVIOUS": "fairshare is the classic formula over users or accounts alone",
        "FAIR_TREE": "fair tree is not modelled: fairshare is the classic formula, of users or accounts",
        "INCR_ONLY": "priorities fall, too",
        "MAX_TRES": "usage counts by processors alone",
        "MAX_TRES_GRES": "usage counts by processors alone",
        "NO_FAIR_TREE": "fairshare is the classic formula, of users or accounts, without their tree",
        "NO_NORMAL_ALL": "factors are normalized",
        "NO_NORMAL_ASSOC": "associations have no priorities",
        "NO_NORMAL_PART": "factors of partitions are normalized",
        "NO_NORMAL_QOS": "jobs gain nothing by a quality of service",
        "NO_NORMAL_TRES": "only processors count for the size of a job",
        "SMALL_RELATIVE_TO_TIME": "the size of a job does not depend on its limit",
        "TICKET_BASED": "fairshare is the classic formula over users or accounts alone",
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
        "Topology": "where nodes lie in the network is not simulated",
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
        "AllowAccounts": "every job may use its queue",
        "AllowGroups": "every job may use its queue",
        "AllowQos": "every job may use its queue",
        "DenyAccounts": "every job may use its queue",
        "DenyQos": "every job may use its queue",
        "ExclusiveTopo": "where nodes lie in the network is not simulated",
        "ExclusiveUser": "nodes are shared by users",
        "GraceTime": _PREEMPTED,
        "LLN": "nodes are chosen by the policy's placement",
        "MaxCPUsPerNode": "queues have no limit of processors on a node",
        "MaxCPUsPerSocket": "queues have no limit of processors on a socket",
        "MaxMemPerCPU": "queues have no limit of RAM",
        "MaxMemPerNode": "queues have no limit of RAM on a node",
        "MaxNodes": "queues have no limit of nodes",
        "MaxTime": "queues have no limit of walltimes",
        "MinNodes": "queues have no limit of nodes",
        "OverSubscribe": "processors are never shared",
        "OverTimeLimit": _KILLED,
        "PreemptMode": _PREEMPTED,
        "QOS": "a queue has no quality of service",
        "ReqResv": "there are no reservations of nodes",
        "ResumeTimeout": _POWER,
        "RootOnly": "every job may use its queue",
        "SelectTypeParameters": "processors are chosen alike in all queues",
        "Shared": "processors are never shared",
        "State": "the queue is open, and starts jobs",
        "SuspendTime": _POWER,
        "SuspendTimeout": _POWER,
        "Topology": "where nodes lie in the network is not simulated",
        "TRESBillingWeights": "usage counts by processors alone",
    },
    usual={
        "State": ("up",),
        "SuspendTime": ("-1",),
        "MinNodes": ("1",),
        "OverSubscribe": ("exclusive",),  # of which `node_use` tells
        "Shared": ("exclusive",),
    },
)
"""Keys of lines that define partitions."""
