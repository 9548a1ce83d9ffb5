"""Rows of the table: options that stand in a line of their own (slurm.conf(5) of Slurm 22.05 to 24.11)."""

from __future__ import annotations

from functools import partial

from engine.slurm.options.option import ConfigPart, SlurmOption, harmless, ignored
from engine.slurm.options.releases import NEW_DEFAULTS

_setting = partial(SlurmOption, place=ConfigPart.SETTING)
_weight = partial(
    _setting, kind="count", usual="0", least=0, most=2**32 - 1, sets="priority of jobs", tried=(0, 100_000)
)
_time = partial(_setting, kind="time")
_ignored = partial(ignored, ConfigPart.SETTING)

OBEYED = (
    _setting("SchedulerType", usual="sched/backfill", sets="backfills"),
    _setting("SchedulerParameters", kind="words", sets="see below"),
    _setting(
        "SelectType", usual="select/linear", changed=(NEW_DEFAULTS, "select/cons_tres"), sets="machine"
    ),
    _setting("SelectTypeParameters", kind="words", sets="machine"),
    _setting("GresTypes", kind="words", sets="machine"),
    _setting(
        "PriorityType", usual="priority/basic", changed=(NEW_DEFAULTS, "priority/multifactor"),
        sets="multifactor",
    ),
    _setting("PriorityFlags", kind="words", sets="see below"),
    _setting("PriorityFavorSmall", usual="no", sets="priority of jobs"),
    _weight("PriorityWeightAge"),
    _weight("PriorityWeightFairshare"),
    _weight("PriorityWeightJobSize"),
    _weight("PriorityWeightPartition"),
    _weight("PriorityWeightQOS"),
    _time("PriorityMaxAge", usual="7-0", sets="priority of jobs", tried=(86_400, 30 * 86_400)),
    _time("PriorityDecayHalfLife", usual="7-0", sets="priority of jobs", tried=(86_400, 30 * 86_400)),
    _time("PriorityCalcPeriod", usual="5", sets="calc_period"),
    _setting(
        "FairShareDampeningFactor", kind="number", usual="1", least=1, most=65_533, sets="priority of jobs"
    ),
    _setting("PreemptType", usual="preempt/none", sets="preemption"),
    _setting("PreemptMode", kind="words", usual="off", sets="preemption"),
    _setting("PreemptExemptTime", sets="exempt"),
    _setting("JobRequeue", usual="1", sets="preemption"),
    _setting("KillWait", kind="seconds", usual="30", least=0, most=65_533, sets="kill_wait"),
    _setting("MessageTimeout", kind="seconds", usual="10", least=1, most=65_533, sets="patience"),
    _setting(
        "OverTimeLimit", kind="minutes", usual="0", least=0, most=65_533, sets="over_limit",
        off=("unlimited|infinite|-1", "no running job ends at its limit"),
    ),
    _setting(
        "ResvOverRun", kind="minutes", usual="0", least=0, most=525_600, sets="resv_over",
        off=("unlimited|infinite|-1", "jobs may go on after their reservation without an end"),
    ),
    _setting("AuthInfo", kind="words", sets="requeue_delay"),
    _setting("EnforcePartLimits", usual="no", sets="refusals"),
    _setting(
        "AccountingStorageEnforce", kind="words", sets="limits of jobs", touches="all",
        ignored="limits of associations and QOS in the database are not simulated",
        obeyed_with="associations",
    ),
    _setting(
        "TopologyPlugin", sets="machine", touches="several nodes",
        ignored="the network topology is not simulated", obeyed_with="switches",
        nothing=("topology/none", "topology/default", "topology/flat"),
    ),
)  # fmt: skip

IGNORED = (
    *_ignored("jobs never use cores that are reserved for the system", "", "AllowSpecResourcesUsage"),
    *_ignored(
        "nodes are free as soon as a job ends, and jobs start without delay", "all",
        "BatchStartTimeout=10 Epilog EpilogMsgTime=2000 EpilogSlurmctld Prolog PrologFlags PrologSlurmctld",
    ),
    *_ignored("jobs do not wait for burst buffers", "", "BurstBufferType=burst_buffer/none"),
    *_ignored("nodes are free as soon as a job ends", "all", "CompleteWait=0"),
    *_ignored(
        "dependencies between jobs are those of the log (--dependencies)", "following", "DependencyParameters"
    ),
    *_ignored("jobs are those of the log, unchanged", "all", "JobSubmitPlugins"),
    *_ignored("jobs do not wait for licenses", "", "Licenses"),
    *_ignored("all tasks of the log's job arrays are read", "tasks", "MaxArraySize=1001"),
    *_ignored("jobs are requeued as often as they are preempted", "", "MaxBatchRequeue=5"),
    *_ignored("the number of waiting jobs is not limited", "", "MaxJobCount=10000"),
    *_ignored("memory requests are those of the log", "", "MaxMemPerCPU MaxMemPerNode"),
    *_ignored("all users share all nodes", "", "MCSParameters MCSPlugin=mcs/none"),
    *_ignored(
        "nodes are always powered up", "",
        "PowerParameters PowerPlugin=power/none| ResumeTimeout=60 SuspendTimeout=30",
    ),
    *_ignored("nodes are always powered up", "all", "ResumeProgram SuspendProgram SuspendTime=-1"),
    *_ignored(
        "jobs are preempted by tier or QOS priority, then by their number of nodes", "", "PreemptParameters"
    ),
    *_ignored(
        "no site factor is added to priorities", "all",
        "PrioritySiteFactorParameters PrioritySiteFactorPlugin=site_factor/none",
    ),
    *_ignored("usage decays with its half-life and is never reset", "all", "PriorityUsageResetPeriod"),
    *_ignored("associations have no priorities", "all", "PriorityWeightAssoc"),
    *_ignored("the size of a job counts processors and nodes only", "all", "PriorityWeightTRES"),
    *_ignored("jobs are requeued as in the log", "", "RequeueExit RequeueExitHold"),
    *_ignored("programs of reservations take no time", "reservations", "ResvEpilog ResvProlog"),
    *_ignored("jobs never share processors in time slices", "", "SchedulerTimeSlice=30"),
    *_ignored("the network topology is not simulated", "several nodes", "TopologyParam"),
)  # fmt: skip

HARMLESS = tuple(
    harmless(
        ConfigPart.SETTING,
        """
        AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost
        AccountingStorageParameters AccountingStoragePass AccountingStoragePort
        AccountingStorageTRES AccountingStorageType AccountingStorageUser AccountingStoreFlags
        AccountingStoreJobComment AccountingStorageLoc AcctGatherNodeFreq AcctGatherEnergyType
        AcctGatherInterconnectType AcctGatherFilesystemType AcctGatherInfinibandType
        AcctGatherProfileType AuthAltTypes AuthAltParameters AuthType BackupAddr BackupController
        BcastExclude BcastParameters CacheGroups CheckpointType CertmgrParameters CertmgrType
        CliFilterPlugins CliFilterParameters ClusterName CommunicationParameters ControlAddr
        ControlMachine CoreSpecPlugin CpuFreqDef CpuFreqGovernors CredType CryptoType
        DataParserParameters DebugFlags DefaultStorageHost DefaultStorageLoc DefaultStoragePass
        DefaultStoragePort DefaultStorageType DefaultStorageUser DisableRootJobs EioTimeout
        EpilogTimeout ExtSensorsFreq ExtSensorsType FirstJobId GetEnvTimeout GpuFreqDef
        GroupUpdateForce GroupUpdateTime HashPlugin HealthCheckInterval HealthCheckNodeState
        HealthCheckProgram InactiveLimit InteractiveStepOptions JobAcctGatherFrequency
        JobAcctGatherParams JobAcctGatherType JobCompHost JobCompLoc JobCompParams JobCompPass
        JobCompPort JobCompType JobCompUser JobContainerType JobContainerPlugin
        JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend KillOnBadExit
        LaunchParameters LaunchType LogTimeFormat MailDomain MailProg MaxDBDMsgs MaxJobId
        MaxNodeCount MaxStepCount MaxTasksPerNode MemLimitEnforce MetricsType MinJobAge MpiDefault
        MpiParams MsgAggregationParams NamespaceType PluginDir PlugStackConfig PrEpParameters
        PrEpPlugins PriorityParameters PrivateData ProctrackType PropagatePrioProcess
        PropagateResourceLimits PropagateResourceLimitsExcept PrologEpilogTimeout PrologTimeout
        ReconfigFlags RoutePlugin SallocDefaultCommand SbcastParameters SchedulerAuth
        SchedulerPort SchedulerRootFilter ScronParameters SlurmctldAddr SlurmctldDebug
        SlurmctldHost SlurmctldLogFile SlurmctldParameters SlurmctldPidFile SlurmctldPlugstack
        SlurmctldPort SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldSyslogDebug
        SlurmctldTimeout SlurmdDebug SlurmdLogFile SlurmdParameters SlurmdPidFile SlurmdPort
        SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout SlurmdUser SlurmSchedLogFile
        SlurmSchedLogLevel SlurmUser SrunEpilog SrunPortRange SrunProlog StateSaveLocation
        SwitchName SwitchParameters SwitchType TaskEpilog TaskPlugin TaskPluginParam TaskProlog
        TCPTimeout TLSParameters TLSType TmpFS TrackWCKey TreeWidth UrlParserType UsePAM
        VSizeFactor WaitTime X11Parameters UnkillableStepProgram UnkillableStepTimeout
        ReturnToService SuspendExcNodes SuspendExcParts SuspendExcStates SuspendRate ResumeRate
        ResumeFailProgram RebootProgram FastSchedule NodeFeaturesPlugins FederationParameters
        DefCpuPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode""",
    )
)
