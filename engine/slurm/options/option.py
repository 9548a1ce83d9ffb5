"""A row of the table of Slurm's options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from engine.slurm.options.releases import Version


class ConfigPart(Enum):
    """The part of a `slurm.conf` in which an option stands."""

    SETTING = "a line of its own"
    PARAMETER = "SchedulerParameters"
    FLAG = "PriorityFlags"
    NODE = "NodeName"
    PARTITION = "PartitionName"


Kind = Literal["text", "words", "flag", "number", "count", "seconds", "minutes", "time"]
"""How a value is written: `number` as C's atoi reads it, `count` with k, m, g or t, `seconds` and `minutes`
as plain numbers, `time` as `7-0` or `1:30:00`."""

Population = Literal[
    "", "all", "waited", "several nodes", "following", "reservations", "components", "tasks", "serial"
]
"""The jobs of a log that an option touches; empty: nobody can say."""

_NOTHING = ("0", "none", "no", "unlimited", "infinite", "all", "off", "(null)", "n/a", "false")
"""Values with which an option that is ignored has no effect, whichever it is."""


@dataclass(frozen=True)
class SlurmOption:
    """An option: what slurmctld takes, and what becomes of it here. The name is in the manual's spelling.

    `usual` is the value of a file without it, from the release in `changed` on the value there. Beyond
    `least` and `most`, in the option's own unit, slurmctld takes the usual value. `off`: the values that
    switch something off, separated by bars, and what that means. `sets`: the field of the rules that it sets,
    or the part of the model. `ignored`: what ignoring it means; with `obeyed_with`, a further file of the
    site, it is obeyed. `nothing`: values, in lower case, by which an ignored option has no effect. `since`:
    the first release that knows it. `tried`: the values between which a search varies it, in its own unit, or
    in s if it is a time.
    """

    name: str
    place: ConfigPart
    kind: Kind = "text"
    usual: str = ""
    least: int | None = None
    most: int | None = None
    off: tuple[str, str] | None = None
    sets: str = ""
    ignored: str = ""
    touches: Population = ""
    nothing: tuple[str, ...] = ()
    changed: tuple[Version, str] | None = None
    since: Version = (0, 0)
    obeyed_with: str = ""
    tried: tuple[int, int] | None = None

    def usual_in(self, release: Version) -> str:
        """The value of a file of this release that does not give the option."""
        if self.changed is not None and release >= self.changed[0]:
            return self.changed[1]
        return self.usual

    def says_nothing(self, value: str) -> bool:
        """Whether an ignored option has no effect with this value."""
        return value.lower() in _NOTHING + self.nothing

    @property
    def is_number(self) -> bool:
        """Whether its value is a number of anything."""
        return self.kind in ("number", "count", "seconds", "minutes", "time")

    @property
    def bounds(self) -> str:
        """The values that slurmctld takes, in words; empty if it takes all."""
        if self.least is None and self.most is None:
            return ""
        if self.most is None:
            return f"at least {self.least:,}"
        return f"{self.least or 0:,} to {self.most:,}"


def harmless(place: ConfigPart, names: str) -> Iterator[SlurmOption]:
    """Options without effect on when and where jobs run."""
    for name in names.split():
        yield SlurmOption(name, place)


def ignored(place: ConfigPart, why: str, touches: Population, names: str) -> Iterator[SlurmOption]:
    """Options whose ignoring has the same consequence and touches the same jobs.

    `names` are words like `MCSPlugin=mcs/none`: with the values after the sign, separated by bars, the option
    has no effect.
    """
    for word in names.split():
        name, _, nothing = word.partition("=")
        values = tuple(nothing.split("|")) if nothing else ()
        usual = values[0] if values else ""
        yield SlurmOption(name, place, ignored=why, touches=touches, nothing=values, usual=usual)
