"""The priorities of a site's `slurm.conf`, as keys of a policy: weights, factors and tiers of partitions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from engine.policy.keys import KEY
from engine.slurm.conf.slurm_conf import Partition, SlurmConf
from engine.slurm.export.words import Words
from engine.slurm.options.releases import NEW_DEFAULTS
from engine.slurm.values.times import UNLIMITED_SECONDS
from engine.spelling import DAY, format_duration, format_number
from engine.words import clip

_MAX_AGE = _HALF_LIFE = 7 * DAY
"""Defaults, s: the age beyond which it no longer counts, and the half-life of usage."""

_LARGEST_WEIGHT = 999_999
_LARGEST_PRIORITY = 999_999_999
_SPELLABLE = re.compile(r"[^@;+,:=\"\s]+")
_WEIGHTS = {
    "age": "PriorityWeightAge",
    "fairshare": "PriorityWeightFairshare",
    "size": "PriorityWeightJobSize",
    "queue": "PriorityWeightPartition",
}


def can_be_written(partition: Partition) -> bool:
    """True if a policy can name this partition's queue."""
    return _SPELLABLE.fullmatch(partition.name) is not None


def priority_keys(conf: SlurmConf, queues: Collection[str], words: Words, accounts: int) -> dict[str, str]:
    """The order of jobs: by tiers of partitions first, then by weighted factors, if there are any.

    `queues` are the queues of the log, and `accounts` the number of its accounts. Raises InputError.
    """
    weights = {name: words.count(key) for name, key in _WEIGHTS.items()}
    if not _multifactor(conf, words, any(weights.values())):
        weights = dict.fromkeys(weights, 0)
    partitions = _named(conf.partitions, words)
    factors = _factors(partitions, words) if weights["queue"] else {}
    if not factors:
        weights["queue"] = 0
    tiers = _tiers(partitions)
    if conf.options.get("priorityfavorsmall", "no").lower() == "yes":
        weights["small"] = weights.pop("size")
    keys = _factor_keys(conf, words, weights, accounts)
    priorities = _of_partitions(weights, factors, tiers)
    if priorities and not _known(priorities, queues, words):
        weights["queue"], priorities = 0, {}
    named = {name: weight for name, weight in weights.items() if weight}
    if not named:
        return {}
    keys |= {"order": "priority", "weights": _format_weights(named)}
    if priorities:
        keys["queue_priority"] = ";".join(
            f"{name}@{format_number(value)}" for name, value in priorities.items()
        )
    return keys


def _multifactor(conf: SlurmConf, words: Words, weighted: bool) -> bool:
    """True if weights count; if the file does not say, it depends on Slurm's version or an assumption."""
    kind = conf.option("PriorityType").lower()
    if kind == "priority/multifactor":
        return True
    if kind in ("", "priority/basic"):
        if not kind and weighted:
            return _usual_type(conf, words)
        if weighted:
            words.left_out.append("PriorityWeight*: weights have no use with PriorityType=priority/basic")
        return False
    words.left_out.append(f"PriorityType={clip(kind)}: jobs go by their submission")
    return False


def _usual_type(conf: SlurmConf, words: Words) -> bool:
    """True if weights count in a file without PriorityType."""
    new = conf.release >= NEW_DEFAULTS
    kind = "priority/multifactor" if new else "priority/basic, by which weights have no use,"
    since = "the default from Slurm 23.11 on" if new else "the default before Slurm 23.11"
    text = f"PriorityType is not given: {kind} is {'taken' if conf.version else 'assumed'}, {since}"
    if conf.version_from:
        words.left_out.append(f"{text} ({conf.version_from})")
    else:
        words.left_out.append(f"{text}; if this is an older one, write PriorityType=priority/basic")
    return new


def _factor_keys(conf: SlurmConf, words: Words, weights: Mapping[str, int], accounts: int) -> dict[str, str]:
    """The keys of the policy that define the factors of age and fairshare."""
    keys: dict[str, str] = {}
    if weights["age"]:
        age = max(words.seconds("PriorityMaxAge", _MAX_AGE), 1)
        keys["max_age"] = format_duration(age)
        if age == UNLIMITED_SECONDS:
            words.left_out.append(
                "PriorityMaxAge=UNLIMITED: age counts without bound; Slurm takes 136 years for it, so that "
                "a day of waiting gains a 49,710th of PriorityWeightAge"
            )
    if weights["fairshare"]:
        half_life = words.seconds("PriorityDecayHalfLife", _HALF_LIFE)
        keys |= {"penalty": "cpu", "half_life": KEY["half_life"].format(half_life or None)}
        if accounts > 1:
            keys["usage_of"] = "group"
            words.left_out.append("fairshare within an account: the usage of its users counts as one")
        if not {"no_fair_tree", "fair_tree", "depth_oblivious"} & words.flags:
            words.left_out.append(
                "fair tree, Slurm's default, is not modelled: fairshare is the classic formula, "
                "2^-(usage / share), of users or accounts"
            )
    if weights.get("size") or weights.get("small"):
        words.left_out.append(
            "PriorityWeightJobSize: a job's size is its processors alone, not its nodes, too"
        )
    return keys


def _format_weights(named: Mapping[str, float]) -> str:
    shrink = 1
    while max(named.values()) > _LARGEST_WEIGHT * shrink:
        shrink *= 10
    return ";".join(f"{name}={format_number(round(weight / shrink, 6))}" for name, weight in named.items())


def _named(partitions: Collection[Partition], words: Words) -> list[Partition]:
    """The partitions that a policy can name."""
    if odd := [p.name for p in partitions if not can_be_written(p)]:
        words.left_out.append(f"PriorityJobFactor of partitions with such names: {clip(', '.join(odd))}")
    return [p for p in partitions if can_be_written(p)]


def _factors(partitions: list[Partition], words: Words) -> dict[str, int]:
    """The factors of the partitions; none if they do not distinguish jobs."""
    factors = {p.name: _number(p, "priority", "priorityjobfactor") for p in partitions}
    if len(set(factors.values())) < 2:
        words.left_out.append("PriorityWeightPartition: all partitions have the same PriorityJobFactor")
        return {}
    return factors


def _tiers(partitions: list[Partition]) -> dict[str, int]:
    """The rank of each partition's tier, from 0; empty if all tiers are equal."""
    tiers = {p.name: _number(p, "priority", "prioritytier") for p in partitions}
    ranks = {tier: rank for rank, tier in enumerate(sorted(set(tiers.values())))}
    return {name: ranks[tier] for name, tier in tiers.items()} if len(ranks) > 1 else {}


def _number(partition: Partition, *names: str) -> int:
    """The first of these keys that is given, a number up to 65535; 1 if none is.

    `Priority` sets both factor and tier, and overrides them in slurmctld, even from a line of defaults.
    """
    text = next((partition.keys[name] for name in names if name in partition.keys), "1")
    return min(int(text), 65_535) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 1


def _of_partitions(
    weights: dict[str, int], factors: Mapping[str, int], tiers: Mapping[str, int]
) -> dict[str, float]:
    """Priorities of queues that put tiers before everything else and include the factors; sets the weight of
    queues.

    With tiers, a step from one tier to the next counts a thousandth more than all weights together: jobs of a
    higher tier go first, whatever their other factors.
    """
    if not tiers:
        return dict(factors)
    step = sum(weights.values()) * 1.001 or 1.0
    largest = max(factors.values(), default=1) or 1
    value = {
        name: rank * step + weights["queue"] * factors.get(name, 0) / largest for name, rank in tiers.items()
    }
    top = max(value.values())
    weights["queue"] = round(top)
    return {name: number / top * _LARGEST_PRIORITY for name, number in value.items()}


def _known(priorities: Mapping[str, float], queues: Collection[str], words: Words) -> bool:
    """True if the log has jobs in any partition of the file; reports queues that are in none."""
    other = [name for name in queues if name not in priorities]
    if queues and len(other) == len(queues):
        words.left_out.append("PriorityWeightPartition: this log has no jobs in partitions of this file")
        return False
    if other:
        words.left_out.append(
            f"PriorityJobFactor of queues without a partition here, 0: {clip(', '.join(other))}"
        )
    return True
