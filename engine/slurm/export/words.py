"""The options of a `slurm.conf` as numbers, and what of them a policy leaves out, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.errors import InputError
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.options.option import Place
from engine.slurm.options.table import is_known, left_out, option_of
from engine.slurm.options.taken import take
from engine.slurm.values.amounts import read_count
from engine.slurm.values.times import read_time
from engine.words import clip

_TRANSLATED = (
    *("SchedulerType", "SchedulerParameters", "PriorityType", "PriorityDecayHalfLife", "PriorityFavorSmall"),
    *("PriorityMaxAge", "PriorityWeightAge", "PriorityWeightFairshare", "PriorityWeightJobSize"),
    *("PriorityWeightPartition", "PriorityFlags", "SelectType", "SelectTypeParameters", "GresTypes"),
    *("bf_interval", "bf_max_job_test", "bf_max_job_user", "bf_window", "bf_resolution"),
    *("PartitionName", "Nodes", "PriorityJobFactor", "PriorityTier", "Priority"),
    *("AuthInfo", "EnforcePartLimits", "MessageTimeout"),
)


class Words:
    """The options of a file, with the words of SchedulerParameters and PriorityFlags apart.

    `parameters` and `flags` are in lower case; `left_out` collects lines about what has no counterpart.
    """

    def __init__(self, conf: SlurmConf) -> None:
        self.conf = conf
        self.left_out: list[str] = []
        parts = (part.partition("=") for part in conf.option("SchedulerParameters").split(","))
        self.parameters = {name.strip().lower(): value.strip() for name, _, value in parts if name.strip()}
        flags = re.split(r"[,\s]+", conf.option("PriorityFlags").lower())
        self.flags = {flag for flag in flags if flag not in ("", "0", "(null)")}

    def count(self, name: str) -> int:
        """The whole number of a setting, 0 if it is not given. Raises InputError, which names the file."""
        text = self.conf.options.get(name.lower())
        try:
            return 0 if text is None else min(read_count(name, text), 2**32 - 1)
        except InputError as error:
            raise InputError(f"{self.conf.path}: {error}") from error

    def seconds(self, name: str, usual: int) -> int:
        """A length of time of a setting, in s. Raises InputError, which names the file."""
        text = self.conf.options.get(name.lower())
        try:
            return usual if text is None else read_time(name, text)
        except InputError as error:
            raise InputError(f"{self.conf.path}: {error}") from error

    def parameter(self, name: str) -> int:
        """A whole number of SchedulerParameters, as slurmctld takes it."""
        taken = take(option_of(Place.PARAMETER, name), self.parameters.get(name), self.conf.release)
        self.left_out += [taken.said] if taken.said else []
        return taken.value

    def leave_out_keys(self) -> None:
        """List the settings, flags, parameters and keys of partitions that are not obeyed."""
        for name, value, why in _left_out(Place.SETTING, self.conf.options):
            self.left_out.append(f"{name}={clip(value)}: {why}")
        for name, _, why in _left_out(Place.FLAG, dict.fromkeys(sorted(self.flags), "given")):
            self.left_out.append(f"PriorityFlags={name}: {why}")
        if "backfill" in self.conf.option("SchedulerType", "sched/backfill").lower():
            given = {name: value or "given" for name, value in self.parameters.items()}
            for name, value, why in _left_out(Place.PARAMETER, given):
                text = f"{name}={clip(value)}" if self.parameters[name.lower()] else clip(name)
                self.left_out.append(f"{text}: {why}")
        of_partitions: dict[tuple[str, str, str], list[str]] = {}
        for partition in self.conf.partitions:
            for line in _left_out(Place.PARTITION, partition.keys):
                of_partitions.setdefault(line, []).append(partition.name)
        for (name, value, why), names in of_partitions.items():
            noun = "partition" if len(names) == 1 else "partitions"
            self.left_out.append(f"{noun} {clip(', '.join(names))}, {name}={clip(value)}: {why}")


def _left_out(place: Place, given: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What is given and ignored, or obeyed by the site's own Slurm alone."""
    for key, value in given.items():
        option = option_of(place, key) if is_known(place, key) else None
        if option is not None and option.sets and option.name not in _TRANSLATED:
            if value.lower() != option.usual and not option.says_nothing(value):
                yield option.name, value, "only the site's own Slurm obeys it (site:)"
        else:
            yield from ((name, text, why) for name, text, why, _ in left_out(place, {key: value}))
