"""The options of a `slurm.conf` as numbers, and what of them a policy leaves out, in words."""

from __future__ import annotations

import re

from engine.errors import InputError
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.options.keys import FLAGS, PARAMETERS, PARTITION, SETTINGS
from engine.slurm.values.numbers import read_count, read_time
from engine.words import clip


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

    def parameter(self, name: str, usual: int, least: int, most: int) -> int:
        """A whole number of SchedulerParameters; beyond its bounds slurmctld uses the default.

        Raises InputError, which names the file.
        """
        text = self.parameters.get(name)
        if text is None:
            return usual
        if not re.fullmatch(r"-?\d{1,10}", text, re.ASCII):
            raise InputError(f"{self.conf.path}: {name}={clip(text)} is not a whole number")
        if not least <= int(text) <= most:
            self.left_out.append(
                f"{name}={clip(text)}: slurmctld takes {least:,} to {most:,}, and {usual} in its place"
            )
            return usual
        return int(text)

    def leave_out_keys(self) -> None:
        """List the settings, flags, parameters and keys of partitions that are not obeyed."""
        for name, value, why in SETTINGS.left_out(self.conf.options):
            self.left_out.append(f"{name}={clip(value)}: {why}")
        for name, _, why in FLAGS.left_out(dict.fromkeys(sorted(self.flags), "given")):
            self.left_out.append(f"PriorityFlags={name}: {why}")
        if "backfill" in self.conf.option("SchedulerType", "sched/backfill").lower():
            for name, value, why in PARAMETERS.left_out(
                {k: v or "given" for k, v in self.parameters.items()}
            ):
                text = f"{name}={clip(value)}" if self.parameters[name.lower()] else clip(name)
                self.left_out.append(f"{text}: {why}")
        of_partitions: dict[tuple[str, str, str], list[str]] = {}
        for partition in self.conf.partitions:
            for found in PARTITION.left_out(partition.keys):
                of_partitions.setdefault(found, []).append(partition.name)
        for (name, value, why), names in of_partitions.items():
            noun = "partition" if len(names) == 1 else "partitions"
            self.left_out.append(f"{noun} {clip(', '.join(names))}, {name}={clip(value)}: {why}")
