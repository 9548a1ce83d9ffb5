"""A policy as lines of a `slurm.conf`, and the parts of it that Slurm cannot do or sets elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.export.weights import whole_factors, whole_weights
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import option_of
from engine.slurm.site.changes import changed_settings, commands
from engine.slurm.site.site import Site
from engine.slurm.values.times import LONGEST_SECONDS, UNLIMITED_SECONDS, format_time
from engine.spelling import DAY, MINUTE
from engine.words import clip

WEIGHTS = {
    "age": "PriorityWeightAge",
    "fairshare": "PriorityWeightFairshare",
    "size": "PriorityWeightJobSize",
    "small": "PriorityWeightJobSize",
    "queue": "PriorityWeightPartition",
}
"""The setting of each factor's weight."""

_ELSEWHERE = {
    "max_user_jobs": "a limit of a QOS (sacctmgr modify qos NAME set MaxJobsPerUser={}), not of this file",
    "max_user_cpus": "a limit of a QOS (sacctmgr modify qos NAME set MaxTRESPerUser=cpu={}; for one account "
    "or user GrpTRES=cpu={} of the association; MaxTRES is a limit of each job), not of this file",
    "queue_limits": "limits of partitions' QOS (sacctmgr modify qos NAME set GrpTRES=cpu=N)",
    "queue_nodes": "partitions name their nodes (PartitionName=... Nodes=...)",
    "shares": "shares are those of associations (sacctmgr, Fairshare)",
    "usage_of": "accounts and their users are associations (sacctmgr), by which Slurm always goes",
    "placement": "nodes are chosen by their Weight and by SelectTypeParameters",
}

UNCHANGED = "nothing is changed: this is the policy of the site's own files"
"""Of a site as its files are."""

_SINGLE_FACTORS = {"fairshare": "fairshare", "widest": "size", "narrowest": "small"}
"""Orders that are those of a single factor of priorities."""

_SAID = (
    *("order", "depth", "pass_every", "test_limit", "user_test_limit", "horizon", "resolution"),
    *("weights", "max_age", "half_life", "penalty", "queue_priority"),
)
"""Keys that are translated to settings, or are reported separately."""

RESET = ("PriorityUsageResetPeriod", "YEARLY")
"""The setting that slurmctld requires if usage never decays, with the longest period that it knows."""


@dataclass(frozen=True)
class SlurmLines:
    """Settings of a `slurm.conf`, in order, and in words the parts of the policy that they leave out.

    `parameters` are the words of SchedulerParameters among them. `factors` are those of partitions: they
    belong to the lines that define these, since a second line of a partition is an error.
    """

    settings: Mapping[str, str]
    parameters: Mapping[str, int | str]
    factors: Mapping[str, int]
    left_out: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The settings as lines, and the factors of partitions as comments."""
        comments = (
            f"# PriorityJobFactor={factor} belongs into the line of PartitionName={name}"
            for name, factor in self.factors.items()
        )
        return (*(f"{name}={value}" for name, value in self.settings.items()), *comments)

    @property
    def text(self) -> str:
        """The lines, with what they leave out as comments."""
        return "".join(
            f"{line}\n" for line in (*self.lines, *(f"# not here: {omission}" for omission in self.left_out))
        )


def by_priority(policy: Policy) -> bool:
    """Whether Slurm orders jobs by a sum of weighted factors to be like the policy."""
    return policy.order == "priority" or policy.order in _SINGLE_FACTORS


def slurm_lines(policy: Policy, conf: SlurmConf | None = None) -> SlurmLines:
    """The settings that make Slurm behave like the policy, exactly or approximately, in values that slurmctld
    accepts; `conf` is the file that they are for, if there is one, whose values are named where they stay.

    If nothing is left out, the lines say all of the policy, with weights in the same proportions, if the
    factors are in the lines of the partitions. Of a site they say what was changed of its files.
    """
    if policy.site is not None:
        return _site_lines(policy.site)
    settings: dict[str, str] = {}
    parameters: dict[str, int] = {}
    left_out: list[str] = []
    if policy.depth == "stop":
        settings["SchedulerType"] = "sched/builtin"
    else:
        settings["SchedulerType"] = "sched/backfill"
        parameters = _parameters(policy, _words(conf), left_out)
        settings["SchedulerParameters"] = ",".join(f"{name}={value}" for name, value in parameters.items())
    factors = _priority(policy, settings, left_out)
    usual = parse_policy("easy")
    # What differs from the usual and stands in no line of Slurm is told, not dropped.
    for key in KEY:
        value = policy.format_key(key)
        if key not in _SAID and value != usual.format_key(key):
            elsewhere = _ELSEWHERE.get(key, "Slurm has nothing like it").replace("{}", value)
            left_out.append(f"{key}={value}: {elsewhere}")
    return SlurmLines(settings, parameters, factors, tuple(left_out))


def _site_lines(site: Site) -> SlurmLines:
    """The settings that were changed of a site; commands for its accounting are left out."""
    settings, parameters = changed_settings(site)
    if parameters:
        settings["SchedulerParameters"] = site.conf.option("SchedulerParameters")
    left_out = [f"{command}: of the accounting database, not of this file" for command in commands(site)]
    if not settings and not left_out:
        left_out.append(UNCHANGED)
    return SlurmLines(settings, parameters, {}, tuple(left_out))


def _words(conf: SlurmConf | None) -> dict[str, str]:
    """The words of a file's SchedulerParameters and their values; empty without a file."""
    words = "" if conf is None else conf.option("SchedulerParameters")
    parts = (word.partition("=") for word in words.split(","))
    return {name.strip().lower(): value.strip() for name, _, value in parts}


def _parameters(policy: Policy, words: Mapping[str, str], left_out: list[str]) -> dict[str, int]:
    """Words of SchedulerParameters, within the bounds that slurmctld checks; `words` are the file's."""

    def stays(name: str, usual: str, unit: str = "") -> str:
        value = words.get(name)
        return f"{name} is left as it is, {usual if value is None else f'{clip(value)}{unit} in this file'}"

    # Slurm has no such setting: what it does instead is said.
    if policy.depth != "all":
        left_out.append(
            f"depth={policy.depth}: Slurm's backfiller reserves for each job that it looks at (depth=all)"
        )
    parameters: dict[str, int] = {}
    # A key that the policy does not set leaves the site's own value: it is told which.
    if policy.pass_every is None:
        left_out.append(f"passes at every event: {stays('bf_interval', 'by default 30 s', ' s')}")
    else:
        parameters["bf_interval"] = _at_most(
            policy, "pass_every", "bf_interval", _most("bf_interval"), left_out
        )
    if policy.test_limit is None:
        left_out.append(f"passes look at all jobs: {stays('bf_max_job_test', 'by default 500')}")
    else:
        limit = _at_most(policy, "test_limit", "bf_max_job_test", _most("bf_max_job_test"), left_out)
        parameters["bf_max_job_test"] = limit
        if limit == 1:
            parameters["bf_node_space_size"] = 2  # by default the value of bf_max_job_test, and at least 2
    # A user's limit is written as at most that of all jobs.
    if policy.user_test_limit is not None:
        most = parameters.get(
            "bf_max_job_test", int(option_of(ConfigPart.PARAMETER, "bf_max_job_test").usual)
        )
        parameters["bf_max_job_user"] = _at_most(policy, "user_test_limit", "bf_max_job_user", most, left_out)
    if policy.horizon is None:
        left_out.append(f"reservations for any time ahead: {stays('bf_window', 'by default a day', ' min')}")
    else:
        # Rounded up: the horizon must not become shorter.
        minutes = min(-(-policy.horizon // MINUTE), _most("bf_window"))
        parameters["bf_window"] = minutes
        if policy.horizon != minutes * MINUTE:
            left_out.append(f"horizon={policy.format_key('horizon')}: bf_window is in minutes, up to 30 days")
    parameters["bf_resolution"] = min(policy.resolution or 1, _most("bf_resolution"))
    if parameters["bf_resolution"] != (policy.resolution or 1):
        left_out.append(f"resolution={policy.format_key('resolution')}: bf_resolution is at most an hour")
    return parameters


def _most(name: str) -> int:
    """The most that slurmctld takes of a word of SchedulerParameters that is bounded."""
    most = option_of(ConfigPart.PARAMETER, name).most
    assert most is not None
    return most


def _at_most(policy: Policy, key: str, name: str, most: int, left_out: list[str]) -> int:
    """The value of a key, or the most that slurmctld takes, with a line about that."""
    value: int = getattr(policy, key)
    if value > most:
        left_out.append(f"{key}={policy.format_key(key)}: {name} is at most {most:,} here")
    return min(value, most)


def _priority(policy: Policy, settings: dict[str, str], left_out: list[str]) -> dict[str, int]:
    """Add the settings of the order; the factors of partitions."""
    # Without weights slurmctld sorts by submission, which is its basic plugin.
    if policy.order == "fcfs":
        settings["PriorityType"] = "priority/basic"
        return {}
    # Other orders have no counterpart: the rest of the lines still holds.
    if not by_priority(policy):
        left_out.append(f"order={policy.order}: Slurm orders by submission, or by a sum of weighted factors")
        return {}
    weights = _weights(policy, left_out)
    # Both weights cancel each other: what is left is the order of submissions.
    if not weights:
        settings["PriorityType"] = "priority/basic"
        return {}
    settings["PriorityType"] = "priority/multifactor"
    if "small" in weights:
        settings["PriorityFavorSmall"] = "YES"
    whole, same = whole_weights(weights)
    if not same:
        left_out.append(
            f"weights={policy.weights}: weights are whole numbers, each at least 1,000, up to 2^32-1"
        )
    settings |= {WEIGHTS[name]: str(weight) for name, weight in whole.items()}
    factors = _factors(policy, left_out) if "queue" in weights else {}
    if "age" in weights and policy.max_age != Policy("easy").max_age:
        settings["PriorityMaxAge"] = _time(policy, "max_age", "PriorityMaxAge", left_out)
    # What cannot be said in slurm.conf is left out by name, with what slurmctld does instead.
    if "fairshare" in weights:
        if policy.half_life is None:
            settings["PriorityDecayHalfLife"] = "0"
            settings[RESET[0]] = RESET[1]
            left_out.append(
                "half_life=none: slurmctld has to forget usage at some time, and does so once a year "
                f"({RESET[0]}={RESET[1]})"
            )
        else:
            settings["PriorityDecayHalfLife"] = _time(policy, "half_life", "PriorityDecayHalfLife", left_out)
        if policy.penalty != "cpu":
            left_out.append(f"penalty={policy.penalty}: TRESBillingWeights of partitions weigh usage")
    return factors


def _weights(policy: Policy, left_out: list[str]) -> dict[str, float]:
    """The weights that are not 0; for large and small jobs the difference of both weights."""
    if policy.order in _SINGLE_FACTORS:
        return {_SINGLE_FACTORS[policy.order]: 1.0}
    weights = dict(policy.weights.pairs)
    # Slurm has a single weight of the size, and a switch for its direction.
    if "size" in weights and "small" in weights:
        left_out.append(
            "weights, size: Slurm favours either large jobs or small ones; "
            "the difference of both weights does the same"
        )
        more = round(weights.pop("size") - weights.pop("small"), 6)
        if more:
            weights["size" if more > 0 else "small"] = abs(more)
    return weights


def _factors(policy: Policy, left_out: list[str]) -> dict[str, int]:
    """The factor of each partition with a priority."""
    if not policy.queue_priority:
        left_out.append(
            "weights, queue: PriorityJobFactor of partitions, the larger the shorter their walltimes"
        )
        return {}
    factors, same = whole_factors(policy.queue_priority.as_dict())
    if not same:
        left_out.append(
            f"queue_priority={policy.queue_priority}: PriorityJobFactor is a whole number to 65533"
        )
    return factors


def _time(policy: Policy, key: str, name: str, left_out: list[str]) -> str:
    """A time in Slurm's format, with a note if it had to be changed."""
    seconds: int = getattr(policy, key)
    if (seconds % MINUTE or seconds > LONGEST_SECONDS) and seconds != UNLIMITED_SECONDS:
        days = LONGEST_SECONDS // DAY
        left_out.append(f"{key}={policy.format_key(key)}: {name} is in minutes, up to {days:,} days")
    return format_time(seconds)
