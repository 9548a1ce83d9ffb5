"""What an exported policy means for a site's own slurm.conf: what it replaces, what stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import option_of
from engine.words import clip, listed

_AT_RESTART = ("PriorityType", "SchedulerType")
"""Settings of plugins that slurmctld loads when it starts. `scontrol reconfigure` refuses another
SchedulerType, and of another PriorityType it shows the new value and goes on with the old plugin (seen on
Slurm 22.05)."""

_WEIGHTS = ("PriorityWeightQOS", "PriorityWeightAssoc", "PriorityWeightTRES", "PriorityFlags")
_LIMITS_OF_PARTITIONS = {
    **{"maxtime": "MaxTime", "maxnodes": "MaxNodes", "minnodes": "MinNodes", "qos": "QOS"},
    **{"allowaccounts": "AllowAccounts", "allowqos": "AllowQos", "maxcpuspernode": "MaxCPUsPerNode"},
}
_NOT_SET = ("", "0", "none", "n/a", "unlimited", "all", "(null)", "no", "preempt/none")
_STAYS = "stays as it is"


def file_notes(
    conf: SlurmConf, settings: Mapping[str, str], parameters: Mapping[str, int | str], by_priority: bool
) -> Iterator[str]:
    """Lines about a file that gets these settings and words of SchedulerParameters.

    `by_priority` is whether the policy orders jobs by priority, so that further weights of the file count.
    """
    yield from _restarts(conf, settings)
    yield from _replaced(conf, parameters)
    if by_priority:
        for name in _WEIGHTS:
            if conf.option(name).lower() not in ("", "0"):
                yield f"{name}={clip(conf.option(name))}: {_STAYS}"
    yield from _beside_the_order(conf)


def _restarts(conf: SlurmConf, settings: Mapping[str, str]) -> Iterator[str]:
    changed = [
        name
        for name in _AT_RESTART
        if name in settings and (settings[name] != conf.word(name) or _unknown(conf, name))
    ]
    if changed:
        shows = "after `scontrol reconfigure` it shows the new value and goes on with the old"
        refuses = "`scontrol reconfigure` refuses another SchedulerType"
        why = [shows] * ("PriorityType" in changed) + [refuses] * ("SchedulerType" in changed)
        yield f"{listed(changed)}: slurmctld has to be restarted; {', and '.join(why)}"


def _unknown(conf: SlurmConf, name: str) -> bool:
    """Whether nothing tells which plugin runs: the file names neither it nor its release."""
    silent = conf.version is None and not conf.option(name)
    return silent and option_of(ConfigPart.SETTING, name).changed is not None


def _replaced(conf: SlurmConf, parameters: Mapping[str, int | str]) -> Iterator[str]:
    """The words of SchedulerParameters whose values in the file are other ones."""
    for word in conf.option("SchedulerParameters").split(","):
        name, _, value = (part.strip().lower() for part in word.partition("="))
        if name in parameters and value != str(parameters[name]):
            yield f"{name}={parameters[name]} replaces {clip(value) or 'no value'} of the file"


def _beside_the_order(conf: SlurmConf) -> Iterator[str]:
    """What decides before or beside priorities and backfilling, which the policy does not have."""
    # Older files have Priority for what PriorityTier is now.
    tiers = {
        each.name: each.keys.get("prioritytier", each.keys.get("priority", "1")) for each in conf.partitions
    }
    # A tier that all partitions share changes nothing, so it is not worth a note.
    if len(set(tiers.values())) > 1:
        shown = ", ".join(f"{clip(name, 30)} {clip(tier, 10)}" for name, tier in tiers.items())
        yield f"PriorityTier ({clip(shown, 200)}): {_STAYS}; jobs of a higher tier go before all others"
    preempts = conf.option("PreemptType").lower()
    if preempts not in _NOT_SET:
        whom = "QOS (sacctmgr, Preempt)" if preempts.endswith("qos") else "partitions"
        yield f"PreemptType={clip(preempts)}: {_STAYS}; jobs are preempted by their {whom}"
    enforced = conf.option("AccountingStorageEnforce").lower()
    if enforced not in _NOT_SET:
        yield (
            f"AccountingStorageEnforce={clip(enforced)}: {_STAYS}, and so do limits of associations and QOS "
            "(sacctmgr show assoc, show qos)"
        )
    for partition in conf.partitions:
        limits = [
            f"{name}={clip(value, 40)}"
            for key, name in _LIMITS_OF_PARTITIONS.items()
            if (value := partition.keys.get(key, "")).lower() not in _NOT_SET
            # MinNodes=1 is what every job asks for anyway.
            and (key, value) != ("minnodes", "1")
        ]
        if limits:
            verb = "stays" if len(limits) == 1 else "stay"
            yield f"partition {clip(partition.name)}, {listed(limits)}: {verb} as in the file"
