"""Rows of the table: keys of lines that define nodes and partitions."""

from __future__ import annotations

from functools import partial

from engine.slurm.options.option import ConfigPart, SlurmOption, harmless, ignored

_node = partial(SlurmOption, place=ConfigPart.NODE)
_partition = partial(SlurmOption, place=ConfigPart.PARTITION)
_ignored = partial(ignored, ConfigPart.PARTITION)

BY_WEIGHT = "nodes are chosen by the policy's placement, not by their weights"
"""What ignoring the weights of nodes means to policies other than a site's own Slurm, which obeys them."""

NODE = (
    *(
        _node(name, sets="machine")
        for name in (
            *("NodeName", "CPUs", "Procs", "Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket"),
            *("ThreadsPerCore", "RealMemory", "Gres", "Feature", "Features", "CoreSpecCount", "CpuSpecList"),
            *("MemSpecLimit", "State"),
        )
    ),
    _node("Weight", kind="number", usual="1", least=0, most=65_535, sets="machine"),
    *harmless(
        ConfigPart.NODE,
        "NodeHostname NodeAddr BcastAddr Port Reason TmpDisk CpuBind Arch OS Extra RestrictedCoresPerGPU",
    ),
    *ignored(ConfigPart.NODE, "the network topology is not simulated", "several nodes", "Topology"),
)

PARTITION = (
    *(_partition(name, sets="machine") for name in ("PartitionName", "Nodes")),
    *(
        _partition(name, kind="number", usual="1", least=0, most=65_535, sets="priority of jobs")
        for name in ("PriorityJobFactor", "PriorityTier", "Priority")
    ),
    *(_partition(name, sets="limits of jobs") for name in ("MaxTime", "MaxNodes", "MinNodes")),
    _partition("TRESBillingWeights", sets="usage and limits of jobs"),
    *(_partition(name, sets="preemption") for name in ("PreemptMode", "GraceTime")),
    *harmless(
        ConfigPart.PARTITION,
        """
        Default DefaultTime Hidden DisableRootJobs CpuBind DefCpuPerGPU DefMemPerCPU DefMemPerGPU
        DefMemPerNode Alternate PowerDownOnIdle AllocNodes JobDefaults""",
    ),
    *_ignored(
        "access to partitions is not checked", "all",
        "AllowAccounts AllowQos DenyAccounts DenyQos RootOnly",
    ),
    *_ignored("access to partitions is not checked", "", "AllowGroups"),
    *_ignored("the network topology is not simulated", "all", "ExclusiveTopo Topology"),
    *_ignored("users share nodes", "all", "ExclusiveUser"),
    *_ignored("the least loaded nodes are not preferred", "all", "LLN"),
    *_ignored("the processors of a partition per node are not limited", "all", "MaxCPUsPerNode"),
    *_ignored("the processors of a partition per socket are not limited", "all", "MaxCPUsPerSocket"),
    *_ignored("the RAM of jobs is not limited per partition", "all", "MaxMemPerCPU MaxMemPerNode"),
    # Whole nodes are a part of the machine (`engine.slurm.conf.select`).
    *_ignored("processors are never shared", "all", "OverSubscribe=exclusive Shared=exclusive"),
    *_ignored("running jobs are expected to end by the OverTimeLimit of the cluster", "all", "OverTimeLimit"),
    _partition(
        "QOS", ignored="partitions have no quality of service", touches="all", obeyed_with="qos_limits"
    ),
    *_ignored("jobs use no reservation that they did not request", "all", "ReqResv"),
    *_ignored("nodes are always powered up", "all", "ResumeTimeout SuspendTime=-1 SuspendTimeout"),
    *_ignored("processors are chosen in the same way for all partitions", "all", "SelectTypeParameters"),
    *_ignored("every partition is open and starts jobs", "all", "State=up"),
)  # fmt: skip
"""Of partitions, `all` are all jobs of the partition."""
