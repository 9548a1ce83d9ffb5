"""A policy: a small frozen value that says what the scheduler does, never how.

Its one-line spelling, `preset` or `preset:key=value,key=value`, is shared by the command
line, the session and the legend, and round-trips: `parse_policy(p.spelling) == p`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from engine.errors import InputError
from engine.fairness.penalty import PENALTIES
from engine.static_order import STATIC_ORDERS

DAY = 86_400
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": DAY}


@dataclass(frozen=True)
class Key:
    """One key of the policy grammar: its values and what it means.

    `choices` are the allowed words; a key without choices takes a duration or `none`.
    """

    name: str
    choices: tuple[str, ...]
    help: str


KEYS = (
    Key(
        "order",
        (*STATIC_ORDERS, "fairshare"),
        "queue order: by submission; shortest or longest estimate; smallest or largest area; "
        "most or fewest processors; least used user first",
    ),
    Key("depth", ("stop", "0", "1"), "jobs that get a reservation; stop: nothing passes a blocked job"),
    Key(
        "backfill",
        ("queue", *STATIC_ORDERS),
        "order in which jobs behind the reservation are tried; sjf goes by the estimate alone",
    ),
    Key("estimate", ("requested", "actual"), "what the scheduler believes a job will run for"),
    Key("ties", ("fcfs", "longest"), "equal keys: first submitted first, or longest estimate first"),
    Key("placement", ("first", "best", "worst"), "nodes tried: by number, least free CPUs first, most first"),
    Key(
        "penalty",
        tuple(PENALTIES),
        "how a job's shares of CPU and RAM make up its weight in the user's usage",
    ),
    Key("half_life", (), "time in which past usage loses half its weight, or none"),
    Key("accrue", ("always", "end"), "usage counts while a job runs, or when it ends"),
)
_KEY = {key.name: key for key in KEYS}


@dataclass(frozen=True)
class Policy:
    """What the scheduler does. Made by `parse_policy`, changed by `with_keys`."""

    preset: str
    order: str = "fcfs"
    depth: str = "1"
    backfill: str = "queue"
    estimate: str = "requested"
    ties: str = "fcfs"
    placement: str = "first"
    penalty: str = "max"
    half_life: int | None = 3 * DAY
    accrue: str = "always"

    @property
    def recorded(self) -> bool:
        """Whether this is the log's own schedule, which is read and not simulated."""
        return self.preset == "recorded"

    @property
    def spelling(self) -> str:
        """The canonical spelling: the preset, then the keys that differ from it, in the order of KEYS."""
        base = PRESETS[self.preset][0]
        changed = [
            f"{key.name}={spell_value(getattr(self, key.name))}"
            for key in KEYS
            if getattr(self, key.name) != getattr(base, key.name)
        ]
        return self.preset + (":" + ",".join(changed) if changed else "")

    def with_keys(self, **values: str) -> Policy:
        """The same policy with keys changed, each given as it is spelled; raises InputError."""
        if values and self.recorded:
            raise InputError("policy recorded takes no keys: it is the log's own schedule")
        parsed = {name: _parse_value(name, value) for name, value in values.items()}
        return replace(self, **parsed)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.spelling


PRESETS: dict[str, tuple[Policy, str]] = {
    policy.preset: (policy, text)
    for policy, text in (
        (Policy("recorded"), "the log's own schedule, as it was"),
        (Policy("fcfs", depth="stop"), "first come, first served: nothing passes a blocked job"),
        (Policy("aggressive", depth="0"), "backfilling without any reservation"),
        (Policy("easy"), "backfilling that never delays the first blocked job"),
        (Policy("easy-sjbf", backfill="sjf"), "easy, shortest jobs backfilled first"),
        (Policy("saf-easy", order="saf"), "easy over a queue with the smallest areas first"),
        (Policy("fairshare-fcfs", order="fairshare", depth="stop"), "least used user first, no backfilling"),
        (Policy("fairshare-easy", order="fairshare"), "least used user first, with easy backfilling"),
    )
}
"""Preset policies by name, each with its description."""


def parse_policy(text: str, estimate: str | None = None) -> Policy:
    """Read `preset` or `preset:key=value,...`.

    `estimate` is the estimate of a policy that names none itself. Raises InputError that
    names the nearest right spelling.
    """
    name, _, rest = text.strip().partition(":")
    if name not in PRESETS:
        raise InputError(
            f"unknown policy {name!r}{_nearest(name, PRESETS)}; `batchscope policies` lists them"
        )
    values: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise InputError(f"policy {text!r}: {part!r} should be key=value")
        if key in values:
            raise InputError(f"policy {text!r} gives {key} twice")
        values[key] = value
    policy = PRESETS[name][0]
    if estimate is not None and "estimate" not in values and not policy.recorded:
        values["estimate"] = estimate
    return policy.with_keys(**values)


def parse_duration(text: str) -> int:
    """Seconds of `90`, `30m`, `2h`, `3d`. Raises InputError."""
    match = re.fullmatch(r"(\d{1,12})([smhd]?)", text)
    if match is None:
        raise InputError(f"cannot read the duration {text!r}; spell it like 90, 30m, 2h or 3d")
    return int(match[1]) * _UNITS[match[2]]


def spell_duration(seconds: int) -> str:
    """The shortest spelling of whole seconds that `parse_duration` reads back."""
    for unit in ("d", "h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return str(seconds)


def _parse_value(name: str, value: str) -> str | int | None:
    key = _KEY.get(name)
    if key is None:
        raise InputError(f"policies have no key {name!r}{_nearest(name, _KEY)}")
    if not key.choices:
        if value == "none":
            return None
        seconds = parse_duration(value)
        if seconds == 0:
            raise InputError(f"{name} must be longer than 0; `none` turns it off")
        return seconds
    if value not in key.choices:
        hint = _nearest(value, key.choices) or f": it is one of {', '.join(key.choices)}"
        raise InputError(f"{name} cannot be {value!r}{hint}")
    return value


def spell_value(value: str | int | None) -> str:
    """The value of a key as policies spell it."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else spell_duration(value)


def _nearest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


assert {key.name for key in KEYS} == {entry.name for entry in fields(Policy)} - {"preset"}
