"""THE table of Slurm's options, and what is asked of it by place and name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from engine.slurm.options.node_lines import NODE, PARTITION
from engine.slurm.options.option import ConfigPart, Population, SlurmOption
from engine.slurm.options.parameters import FLAGS, PARAMETERS
from engine.slurm.options.settings import HARMLESS, IGNORED, OBEYED

TABLE: tuple[SlurmOption, ...] = (*OBEYED, *IGNORED, *HARMLESS, *PARAMETERS, *FLAGS, *NODE, *PARTITION)
"""All options; each name once in a place."""

_BY_NAME: Mapping[ConfigPart, Mapping[str, SlurmOption]] = {
    place: {option.name.lower(): option for option in TABLE if option.place is place} for place in ConfigPart
}


class LeftOut(NamedTuple):
    """An option of a file that is not obeyed, its value, what that means, and whom it touches."""

    name: str
    value: str
    meaning: str
    touches: Population


def is_known(place: ConfigPart, name: str) -> bool:
    """Whether there is such an option, by its name in any case."""
    return name.lower() in _BY_NAME[place]


def option_of(place: ConfigPart, name: str) -> SlurmOption:
    """The row of an option, by its name in any case. Raises KeyError."""
    return _BY_NAME[place][name.lower()]


def official_name(place: ConfigPart, name: str) -> str:
    """The name in the manual's spelling; unchanged if the manual does not have it."""
    return option_of(place, name).name if is_known(place, name) else name


def left_out(place: ConfigPart, keys: Mapping[str, str], files: Collection[str] = ()) -> Iterator[LeftOut]:
    """The options of a place that are given and not obeyed, by a site that has these further `files`."""
    for key, value in keys.items():
        if not is_known(place, key):
            yield LeftOut(key, value, "unknown key", "")
            continue
        option = option_of(place, key)
        if option.ignored and option.obeyed_with not in files and not option.says_nothing(value):
            yield LeftOut(option.name, value, option.ignored, option.touches)
