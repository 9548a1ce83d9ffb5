"""The reservations of a site, as `scontrol show reservation` prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from engine.errors import InputError
from engine.slurm.values.host_list import expand_hosts
from engine.words import clip

NO_RESERVATIONS = "No reservations in the system"
"""What Slurm prints where there are none."""

_MOST = 10_000
_KEY = re.compile(r"(?:^|\s)([A-Z]\w*)=(\S*)", re.ASCII)


@dataclass(frozen=True)
class Reservation:
    """Nodes that other jobs may not use from `start` to `end`, dates by the clock of the site."""

    name: str
    start: str
    end: str
    nodes: tuple[str, ...]


def is_reservations(text: str) -> bool:
    """Whether a text is the output of `scontrol show reservation`, by its beginning."""
    return bool(re.match(rf"\s*(?:ReservationName=\S+\s+StartTime=\S+\s+EndTime=|{NO_RESERVATIONS})", text))


def read_reservations(text: str, notes: list[str]) -> tuple[Reservation, ...]:
    """The reservations of nodes; those that cannot be read, or of no whole nodes, are named in `notes`."""
    reservations = []
    blocks = re.split(r"(?:^|\n)(?=\s*ReservationName=)", text)
    # The text before the first name is a block too.
    for block in blocks[: _MOST + 1]:
        keys = {key.lower(): value for key, value in _KEY.findall(block)}
        name = keys.get("reservationname")
        if name is None:
            continue
        try:
            nodes = tuple(expand_hosts(keys.get("nodes", "")))
        except InputError:
            nodes = ()
        # Licences and burst buffers are reserved without nodes, and are not simulated.
        if not nodes or nodes == ("(null)",) or not keys.get("starttime") or not keys.get("endtime"):
            notes.append(f"reservation {clip(name)}: it names no nodes, or no times, and is not simulated")
            continue
        if wrong := [date for key in ("starttime", "endtime") if not _is_date(date := keys[key])]:
            notes.append(
                f"reservation {clip(name)}: “{clip(wrong[0])}” is not a date, and it is not simulated"
            )
            continue
        flags = keys.get("flags", "").upper()
        # A reservation that repeats is printed with its next time alone.
        for word in ("DAILY", "WEEKLY", "WEEKDAY", "WEEKEND", "HOURLY", "FLEX", "MAGNETIC"):
            if re.search(rf"\b{word}\b", flags):
                notes.append(f"reservation {clip(name)}, {word}: only the printed time is simulated")
        reservations.append(Reservation(name, keys["starttime"], keys["endtime"], nodes))
    return tuple(reservations)


def _is_date(text: str) -> bool:
    """Whether a text is a date as `scontrol` prints it."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
