"""A policy as lines of a `slurm.conf`, and what of it Slurm cannot do or says elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.policy.queue_file import priorities_of
from engine.spelling import DAY, MINUTE

_WEIGHTS = {
    "age": "PriorityWeightAge",
    "fairshare": "PriorityWeightFairshare",
    "size": "PriorityWeightJobSize",
    "small": "PriorityWeightJobSize",
    "queue": "PriorityWeightPartition",
}
_ELSEWHERE = {
    "max_user_jobs": "a limit of an association or a QOS (sacctmgr, MaxJobs), not of this file",
    "max_user_cpus": "a limit of an association or a QOS (sacctmgr, MaxTRES=cpu), not of this file",
    "queue_limits": "a limit of a partition's QOS (sacctmgr, GrpTRES=cpu), not of this file",
    "queue_nodes": "partitions name their nodes (PartitionName=... Nodes=...)",
    "shares": "shares are those of associations (sacctmgr, Fairshare)",
    "usage_of": "accounts and their users are associations (sacctmgr), by which Slurm always goes",
    "placement": "nodes are chosen by their Weight and by SelectTypeParameters",
}
_LONGEST_WINDOW, _COARSEST, _LARGEST_FACTOR = 43_200, 3600, 65_533
"""The most that Slurm takes, minutes and s, and of a partition's factor."""

_SAID = (
    *("order", "depth", "pass_every", "test_limit", "user_test_limit", "horizon", "resolution"),
    *("weights", "max_age", "half_life", "penalty", "queue_priority"),
)
"""Keys that the lines say, or are told of by themselves."""


@dataclass(frozen=True)
class SlurmLines:
    """Lines of a `slurm.conf`, and in words, a line each, what of the policy they leave out."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines, with what they leave out as comments."""
        return "".join(
            f"{line}\n" for line in (*self.lines, *(f"# not here: {one}" for one in self.left_out))
        )


def slurm_lines(policy: Policy) -> SlurmLines:
    """What makes Slurm do the same, or come near to it.

    Where nothing is left out, `slurm_policy` makes the same policy of these lines.
    """
    lines: list[str] = []
    left_out: list[str] = []
    if policy.depth == "stop":
        lines.append("SchedulerType=sched/builtin")
    else:
        lines.append("SchedulerType=sched/backfill")
        lines += _parameters(policy, left_out)
    lines += _priority(policy, left_out)
    usual = parse_policy("easy")
    for key in KEY:
        value = policy.spelled(key)
        if key not in _SAID and value != usual.spelled(key):
            left_out.append(f"{key}={value}: {_ELSEWHERE.get(key, 'Slurm has nothing like it')}")
    return SlurmLines(tuple(lines), tuple(left_out))


def _parameters(policy: Policy, left_out: list[str]) -> list[str]:
    if policy.depth != "all":
        left_out.append(
            f"depth={policy.depth}: Slurm's backfiller reserves for each job that it looks at (depth=all)"
        )
    said = []
    if policy.pass_every is None:
        left_out.append("passes at every event: bf_interval is left as it is, by default 30 s")
    else:
        said.append(f"bf_interval={policy.pass_every}")
    if policy.test_limit is None:
        left_out.append("passes look at all jobs: bf_max_job_test is left as it is, by default 500")
    else:
        said.append(f"bf_max_job_test={policy.test_limit}")
    if policy.user_test_limit is not None:
        said.append(f"bf_max_job_user={policy.user_test_limit}")
    if policy.horizon is None:
        left_out.append("reservations for any time ahead: bf_window is left as it is, by default a day")
    else:
        minutes = min(-(-policy.horizon // MINUTE), _LONGEST_WINDOW)
        said.append(f"bf_window={minutes}")
        if policy.horizon != minutes * MINUTE:
            left_out.append(f"horizon={policy.spelled('horizon')}: bf_window is in minutes, up to 30 days")
    resolution = min(policy.resolution or 1, _COARSEST)
    said.append(f"bf_resolution={resolution}")
    if resolution != (policy.resolution or 1):
        left_out.append(f"resolution={policy.spelled('resolution')}: bf_resolution is at most an hour")
    return [f"SchedulerParameters={','.join(said)}"] if said else []


def _priority(policy: Policy, left_out: list[str]) -> list[str]:
    if policy.order == "fcfs":
        return ["PriorityType=priority/basic"]
    if policy.order != "priority":
        left_out.append(f"order={policy.order}: Slurm orders by submission, or by a sum of weighted factors")
        return []
    lines = ["PriorityType=priority/multifactor"]
    weights = dict(part.split("=") for part in policy.weights.split(";"))
    if "small" in weights:
        lines.append("PriorityFavorSmall=YES")
        if weights.pop("size", None) is not None:
            left_out.append("weights, size: Slurm favours either large jobs or small ones")
    scale = 1 if all(float(weight).is_integer() for weight in weights.values()) else 1_000_000
    lines += [f"{_WEIGHTS[name]}={round(float(weight) * scale)}" for name, weight in weights.items()]
    if "queue" in weights and policy.queue_priority != "walltime":
        lines += _job_factors(policy, left_out)
    elif "queue" in weights:
        left_out.append(
            "weights, queue: PriorityJobFactor of partitions, the larger the shorter their walltimes"
        )
    if "age" in weights and policy.max_age != Policy("easy").max_age:
        lines.append(f"PriorityMaxAge={_duration(policy.max_age)}")
    if "fairshare" in weights:
        lines.append(f"PriorityDecayHalfLife={_duration(policy.half_life)}")
        if policy.penalty != "cpu":
            left_out.append(f"penalty={policy.penalty}: TRESBillingWeights of partitions weigh usage")
    return lines


def _job_factors(policy: Policy, left_out: list[str]) -> list[str]:
    """A line for each partition with a priority, whole numbers in the same proportions."""
    priority = priorities_of(policy.queue_priority)
    whole = all(number.is_integer() and number <= _LARGEST_FACTOR for number in priority.values())
    scale = 1 if whole else _LARGEST_FACTOR / max(priority.values())
    if not whole:
        left_out.append(
            f"queue_priority={policy.queue_priority}: PriorityJobFactor is a whole number to 65533"
        )
    return [
        f"PartitionName={name} PriorityJobFactor={round(number * scale)}" for name, number in priority.items()
    ]


def _duration(seconds: int | None) -> str:
    """As Slurm writes it, `7-00:00:00`; 0 where usage is never forgotten."""
    if seconds is None:
        return "0"
    days, rest = divmod(seconds, DAY)
    return f"{days}-{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
