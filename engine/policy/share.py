"""Shares: the part of the machine that a user may expect, as `fair`, `1/10`, `64c256g` or a file of users.

Further options follow after a colon: `fair:share_decay=3d,batches=10m`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import InputError
from engine.limits import MAX_SPAN
from engine.machine.cluster import UNLIMITED, Cluster, parse_cluster
from engine.policy.share_file import read_share_rows
from engine.spelling import format_duration, parse_duration
from engine.trace import Trace
from engine.words import listed

Portion = Cluster | Fraction | None
"""A user's expected part: an amount (in the form of a pool), a fraction of the machine, or None (fair)."""

_FRACTION = re.compile(r"(\d{1,9})/(\d{1,9})")
_WITH_KEYS = re.compile(r"(.*?):\s*(\w+\s*=[^:]*)")
_KEYS = {"share_decay": "half_life", "batches": "gap", "exact_last": "exact_last"}
_SWITCH = {"on": 1, "off": 0}
_AMOUNT = re.compile(r"\d+c.*", re.IGNORECASE)


class FairReference(Protocol):
    """The schedule that determines a fair share, as a protocol: policies do not know schedules."""

    @property
    def trace(self) -> Trace:
        """Whose jobs it runs."""

    @property
    def submit(self) -> Ints:
        """The submission of each job, shape (n,), s."""

    @property
    def ran(self) -> NDArray[np.bool_]:
        """The jobs that it ran, shape (n,)."""

    @property
    def end(self) -> Ints:
        """The end of each job, shape (n,), s."""

    @property
    def last_end(self) -> int:
        """The end of the last job, s."""


@dataclass(frozen=True)
class Share:
    """The share of each user: `portion`, except for the users in `of_user`. Made by `parse_share`.

    `half_life` (s) is the decay of past use, which lowers a share, `gap` (s) the longest distance of jobs in
    a batch, `exact_last` limits a job's last second to its need; see `engine.fairness.eet`.
    """

    portion: Portion = None
    of_user: tuple[tuple[str, Portion], ...] = ()
    path: str | None = None  # of the file that names users
    half_life: int | None = None
    gap: int | None = None
    exact_last: bool = False

    @property
    def spelling(self) -> str:
        """The spelling in a single line that `parse_share` reads back."""
        values = (("share_decay", self.half_life), ("batches", self.gap))
        keys = [f"{key}={format_duration(value)}" for key, value in values if value is not None]
        keys += ["exact_last=on"] if self.exact_last else []
        portion = self.path if self.path is not None else _format(self.portion)
        return portion + (f":{','.join(keys)}" if keys else "")

    def __str__(self) -> str:
        return self.spelling

    @property
    def absolute(self) -> Share:
        """The share with the absolute path of its file."""
        return self if self.path is None else replace(self, path=str(Path(self.path).absolute()))

    def capacity(self, trace: Trace, cluster: Cluster, reference: FairReference) -> Ints:
        """The capacity of each user at every second, shape (users, K), at least 1: processors, then MiB of
        RAM, then each of the trace's `further_resources`.

        RAM is included (K = 2) if an amount names it, or if the machine's RAM is known, jobs request some,
        and a user's portion is fair or a fraction; likewise for GPUs and others. A user whose portion does
        not name a resource has UNLIMITED of it.

        A fair portion is the machine, split evenly among as many users as have a job in the system on average
        in the `reference` schedule, rounded down: one way to settle the "fair partitioning" that Toth &
        Klusacek 2014 leave open. (If users are rarely present it is more than the machine.) It has to be the
        same for all schedules that are compared, so one of them is the reference. Raises InputError if
        `of_user` names no user of the trace.
        """
        named = dict(self.of_user)
        if named and not named.keys() & set(trace.user.names):
            raise InputError(f"{self.spelling}: none of its users is in trace {trace.name}")
        portions = [named.get(user, self.portion) for user in trace.user.names]
        fair = fair_fraction(reference) if None in portions else Fraction(1)
        whole = {name: cluster.total(name) for name in ("cpus", "ram", *trace.further_resources)}
        if not trace.has_ram:
            whole["ram"] = None
        rows = []
        for portion in portions:
            if isinstance(portion, Cluster):
                rows.append([portion.total(name) for name in whole])
            else:
                # At least 1 of each resource, so that no user's share is empty.
                part = fair if portion is None else portion
                rows.append([None if has is None else max(1, int(has * part)) for has in whole.values()])
        table = [[UNLIMITED if has is None else has for has in row] for row in rows]
        # Resources behind the last resource that bounds anybody's portion are left out.
        lines = [k for k in range(len(whole)) if any(row[k] is not None for row in rows)]
        return np.array(table, np.int64).reshape(-1, len(whole))[:, : max(lines, default=0) + 1].copy()


FAIR = Share()
"""As much as users have on average if they split the machine evenly."""


def fair_fraction(schedule: FairReference) -> Fraction:
    """The inverse of the time-average of the number of users with a job in the system.

    A user is in the system from a submission to that job's end; the average is over the first submission to
    the last end. Exact. It is 1 for a schedule that runs nothing.
    """
    ran = schedule.ran
    if not ran.any():
        return Fraction(1)
    users, submit, end = schedule.trace.user.codes, schedule.submit, schedule.end
    if not ran.all():
        users, submit, end = users[ran], submit[ran], end[ran]
    first, last = int(submit.min()), schedule.last_end
    # The time lines of all users are concatenated, so that a single pass is enough. Columns are changed in
    # place: they are long.
    order = np.lexsort((submit, users))
    line = users[order].astype(np.int64)
    line *= last - first + 1
    line -= first
    begin, covered = submit[order], end[order]
    del order
    begin += line
    covered += line
    del line
    np.maximum.accumulate(covered, out=covered)
    np.maximum(begin[1:], covered[:-1], out=begin[1:])
    covered -= begin
    present = int(np.maximum(covered, 0, out=covered).sum())
    return Fraction(last - first, present) if present else Fraction(1)


def parse_share(text: str) -> Share:
    """Read `fair`, a fraction `1/10`, an amount `64c` or `64c256g8gpu`, or the path of a file of users.

    RAM is in k m g t, powers of 1024. The file is a CSV (its name ends in .csv) with the columns
    `user,share`, each share spelled as here; users that are not listed have a fair share. After a colon,
    separated by commas, may follow `share_decay=`, the half-life of use that lowers a share, and `batches=`,
    the gap between jobs that are expected to end together; durations like 90, 30m, 2h, 3d; and
    `exact_last=on`. Raises InputError with the error and its place.
    """
    match = _WITH_KEYS.fullmatch(text.strip())
    if match is None:
        return _parse_base(text.strip())
    values = _parse_keys(match[2], text)
    base = _parse_base(match[1].strip())
    return replace(
        base,
        half_life=values.get("half_life"),
        gap=values.get("gap"),
        exact_last=bool(values.get("exact_last")),
    )


def file_of_share(text: str) -> str | None:
    """The file that a share names, as written, whether or not it exists; None if it names no file."""
    match = _WITH_KEYS.fullmatch(text.strip())
    base = (match[1] if match is not None else text).strip()
    return base if base.lower().endswith(".csv") else None


def _parse_keys(keys: str, text: str) -> dict[str, int]:
    values: dict[str, int] = {}
    for part in keys.split(","):
        key, _, value = (word.strip() for word in part.partition("="))
        if key not in _KEYS:
            raise InputError(f"share {text!r} has an unknown key {key!r}; there are {listed(list(_KEYS))}")
        if _KEYS[key] in values:
            raise InputError(f"share {text!r} gives {key} twice")
        if key == "exact_last":
            if value not in _SWITCH:
                raise InputError(f"share {text!r}: exact_last is on or off")
            values[_KEYS[key]] = _SWITCH[value]
            continue
        try:
            seconds = parse_duration(value)
        except InputError as error:
            raise InputError(f"share {text!r}: {error}") from error
        if seconds > MAX_SPAN:
            raise InputError(f"share {text!r}: {key} is at most {format_duration(MAX_SPAN)}")
        # By a half-life of 0 nothing would be left of what was used.
        if key == "share_decay" and seconds == 0:
            raise InputError(f"share {text!r}: a half-life is at least 1 second")
        values[_KEYS[key]] = seconds
    return values


def _parse_base(text: str) -> Share:
    if text.lower() == "fair" or _FRACTION.fullmatch(text) or _AMOUNT.fullmatch(text):
        return Share(_parse_portion(text))
    if file_of_share(text) is not None:
        return Share(None, _read_users(Path(text)), text)
    raise InputError(f"cannot read the share {text!r}; spell it like fair, 1/10, 64c, 64c256g or users.csv")


def _parse_portion(text: str) -> Portion:
    if text.lower() == "fair":
        return None
    if match := _FRACTION.fullmatch(text):
        over, under = int(match[1]), int(match[2])
        if not 0 < over <= under:
            raise InputError(f"share {text!r}: a fraction of the machine lies above 0 and is at most 1/1")
        return Fraction(over, under)
    # An amount is spelled as a pool of that size.
    try:
        amount = parse_cluster(text)
    except InputError:
        amount = None
    if amount is None or not amount.pooled:
        raise InputError(f"cannot read the share {text!r}; spell it like fair, 1/10, 64c or 64c256g8gpu")
    if any(has < 1 for _, has in amount.groups[0].extra):
        raise InputError(f"share {text!r}: each resource that is named must be at least 1")
    return amount


def _read_users(path: Path) -> tuple[tuple[str, Portion], ...]:
    portions: list[tuple[str, Portion]] = []
    for number, user, share in read_share_rows(path):
        try:
            portions.append((user, _parse_portion(share)))
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from error
    return tuple(portions)


def _format(portion: Portion) -> str:
    if portion is None:
        return "fair"
    if isinstance(portion, Cluster):
        return portion.spelling
    return f"{portion.numerator}/{portion.denominator}"
