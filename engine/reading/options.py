"""The options for reading a log, from a command or from the open dialog."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError


class OptionError(InputError):
    """An error in an option; `message` is the message without the option's name.

    `choices` are the values that the log has, in words, where one of them is needed.
    """

    def __init__(self, option: str, message: str, choices: str = "") -> None:
        super().__init__(f"--{option} {message}")
        self.option, self.message, self.choices = option, message, choices


@dataclass(frozen=True)
class Reading:
    """The options for reading a log, spelled as on the command line; empty: unchanged."""

    further: tuple[str, ...] = ()  # files of the same log, absolute or beside the first
    machine: str = ""  # a machines file or a slurm.conf; or the spelling of another machine to try it on
    failures: str = ""  # a file
    power: str = ""  # a file of the power of the machine's nodes, or `log`: learned from the log
    columns: str = ""  # of a table: TOML, as `parse_mapping` reads it
    units: str = ""  # of numbers whose unit the log does not name: walltime=min,ram=gb
    fields: str = ""  # of a dump of sacct without a line that names them: JobID,Submit,...
    clean: tuple[str, ...] = ()  # RULE=on, RULE=off
    timezone: str = ""
    clusters: str = ""  # A,B
    partitions: str = ""  # A,B
    jobs: str = ""  # A:B
    start: str = ""  # --from
    end: str = ""  # --to
    users: str = ""  # A,B
    queues: str = ""  # A,B
    measure: str = ""  # FROM:TO; nothing is cut by it
    dependencies: str = ""  # on: simulated jobs are submitted after the end of the jobs that they follow; off

    @property
    def part(self) -> str:
        """The part of the log that is used, in words; empty: all."""
        parts = (
            ("clusters", self.clusters),
            ("partitions", self.partitions),
            ("jobs", self.jobs),
            ("from", self.start),
            ("to", self.end),
            ("users", self.users),
            ("queues", self.queues),
        )
        return ", ".join(f"{name} {text}" for name, text in parts if text)

    def further_paths(self, path: Path) -> tuple[Path, ...]:
        """The further files of the log that begins at `path`."""
        return tuple(path.parent / name for name in self.further)


def further_names(path: Path, further: Sequence[Path]) -> tuple[str, ...]:
    """Further files of a log by their names where they lie beside its first, else absolute."""
    folder = path.resolve().parent
    return tuple(log.name if log.resolve().parent == folder else os.fspath(log.resolve()) for log in further)
