"""The values of options as slurmctld takes them, and in words where it takes others than are written."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.slurm.options.option import SlurmOption
from engine.slurm.options.releases import Version
from engine.slurm.values.amounts import read_count
from engine.slurm.values.times import read_time
from engine.words import clip

_LARGEST = 2**31 - 1  # of an int, which atoi gives
_PLAIN = re.compile(r"\s*([+-]?\d{1,10})", re.ASCII)
_WITH_UNIT = re.compile(r"(\d{1,9})(?: ?(?:sec|min))?", re.ASCII)


class TakenValue(NamedTuple):
    """The number that counts, in the option's own unit; whether it is `off`; and what is to be said of it."""

    value: int
    off: bool = False
    said: str = ""


def take(option: SlurmOption, text: str | None, release: Version) -> TakenValue:
    """What a slurmctld of this release takes if a file gives the option as `text`; None: it does not.

    Raises InputError for a text of a count or a time at which slurmctld ends.
    """
    usual = _number(option, option.usual_in(release))
    # An option that the release does not know yet is passed over by its slurmctld.
    if text is None or release < option.since:
        return TakenValue(usual)
    text = text.strip()
    if option.off is not None and text.lower() in option.off[0].split("|"):
        return TakenValue(usual, True, f"{option.name}={text}: {option.off[1]}")
    # Counts and times end slurmctld where they cannot be read, and are cut to their most.
    if option.kind in ("count", "time"):
        value = _number(option, text)
        return TakenValue(value if option.most is None else min(value, option.most))
    # The leading digits count, as C's strtol reads a number.
    value, whole = _leading(option, text)
    if (option.least is not None and value < option.least) or (
        option.most is not None and value > option.most
    ):
        said = f"{option.name}={clip(text)}: slurmctld takes {option.bounds}, and {usual} in its place"
        return TakenValue(usual, False, said)
    return TakenValue(value, False, "" if whole else f"{option.name}={clip(text)}: slurmctld reads {value:,}")


def _number(option: SlurmOption, text: str) -> int:
    """The number of a text that the file or the table gives. Raises InputError."""
    if option.kind == "count":
        return read_count(option.name, text)
    return read_time(option.name, text) if option.kind == "time" else _leading(option, text)[0]


def _leading(option: SlurmOption, text: str) -> tuple[int, bool]:
    """The number that a text begins with, 0 without one, as C's atoi; and whether that is all of it."""
    if option.kind in ("seconds", "minutes") and (match := _WITH_UNIT.fullmatch(text)):
        return int(match[1]), True
    match = _PLAIN.match(text)
    if match is None:
        return 0, False
    return max(min(int(match[1]), _LARGEST), -_LARGEST), match.end() == len(text)
