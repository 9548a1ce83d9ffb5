"""A workload of a run's own: the log's jobs with other limits, at other times, without some, or with more.

A variant is spelled behind a policy, after the word `with`: `easy with walltime_cap=4h`,
`easy with users=-alice;-bob,theta=0.9`. Jobs keep their places in the log, so that schedules of several
variants are compared job by job.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.spelling import format_duration, nearest, parse_duration
from engine.trace.names import Names
from engine.trace.scale import LONGEST_CAP, SCALED_BY, Scaling, parse_scale, scaled
from engine.trace.sessions import reactions
from engine.trace.trace import Note, Trace
from engine.trace.transform import selected_names
from engine.words import listed

_QUOTED = r'"(?:[^"]|"")*"?'
_PARTS = re.compile(rf'(?:[^,"]|{_QUOTED})+')
_ITEMS = re.compile(rf'(?:[^;"]|{_QUOTED})+')
_SPECIAL = re.compile(r'[,;"=\s]')

_SELECTING = {"users": "user", "queues": "queue", "accounts": "group"}
"""The keys that choose jobs by names, and the columns of the trace that hold these."""

KEYS: Mapping[str, tuple[str, str]] = {
    "theta": ("theta=0.9", "inter-arrival times are multiplied by this: below 1 the load is higher"),
    "rho": ("rho=2", "processors of jobs are multiplied by this, and runtimes divided"),
    "walltime_cap": (
        "walltime_cap=4h;debug:30m",
        "requested walltimes are cut to this, in a queue to its own",
    ),
    "rightsize": ("rightsize=0.95;ram", "requests are cut to this quantile of what the user's jobs used"),
    "users": (
        "users=-alice;+bob",
        "users whose jobs are left; with a leading - they are left out, with a leading + each comes twice",
    ),
    "queues": ("queues=-debug", "queues whose jobs are left, left out (-), or come twice (+)"),
    "accounts": ("accounts=+physics", "accounts whose jobs are left, left out (-), or come twice (+)"),
    "merge": ("merge=debug;batch", "the jobs of these queues are in the last; a site joins their nodes"),
    "react": (
        "react=on",
        "users react: they submit their think time after the ends that they waited for in the log",
    ),
    "shift": ("shift=8h;alice", "jobs come later by this, with -8h earlier; users may follow, else all jobs"),
}
"""All keys of variants, each with an example and what it does."""

WITH = " with "
"""The word between a policy and its variant."""


@dataclass(frozen=True)
class Variant:
    """The changes of the log's jobs that one run makes before its policy sees them; by default none.

    `scaling` changes load, widths and requests. `users`, `queues` and `accounts` are names, as the log has
    them, of the jobs that are left; names with a leading `-` are left out. For each name with a leading `+`
    a job like each of its jobs is added, which comes with it; twice the name adds two. The jobs
    of the queues in `merge` are all in the last of them. Where users `react`, jobs of a session come the
    user's think time after the end that they followed in the log. Jobs come `shift` seconds later (negative:
    earlier, not before second 0), those of the users in `shifted` alone where it names any.
    """

    scaling: Scaling = Scaling()  # noqa: RUF009 - it is immutable
    users: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    merge: tuple[str, ...] = ()
    react: bool = False
    shift: int = 0
    shifted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """True if it changes anything."""
        return self != NO_VARIANT

    @property
    def adds(self) -> bool:
        """Whether jobs come more than once."""
        return any(name.startswith("+") for name in (*self.users, *self.queues, *self.accounts))

    @cached_property
    def spelling(self) -> str:
        """The text that `parse_variant` reads back; empty if nothing is changed."""
        parts = [self.scaling.spelling] if self.scaling else []
        parts += [f"{key}={_listing(names)}" for key in _SELECTING if (names := getattr(self, key))]
        if self.merge:
            parts.append(f"merge={_listing(self.merge)}")
        if self.react:
            parts.append("react=on")
        if self.shift:
            sign = "-" if self.shift < 0 else ""
            parts.append(f"shift={_listing((sign + format_duration(abs(self.shift)), *self.shifted))}")
        return ",".join(parts)

    def __str__(self) -> str:
        """The changes for people."""
        return ", ".join(_words(self))


NO_VARIANT = Variant()
"""The jobs as the log has them."""


def parse_variant(text: str) -> Variant:
    """Read `walltime_cap=4h,users=-alice;-bob,shift=8h;carol`, any of KEYS, or nothing.

    Names with signs are quoted: `users=-"odd, name"`. Raises InputError that says what is wrong.
    """
    values: dict[str, str] = {}
    for part in _PARTS.findall(text):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in KEYS:
            hint = nearest(key, KEYS) or f"; there are {', '.join(KEYS)}"
            raise InputError(f"with {text}: jobs are not changed by {key!r}{hint}")
        if not equals or not value:
            raise InputError(f"with {text}: {key} needs a value, like {KEYS[key][0]}")
        if key in values:
            raise InputError(f"with {text}: {key} is given twice")
        values[key] = value
    merge = _items(values.get("merge", ""))
    if "merge" in values and len({*merge}) < 2:
        raise InputError(f"with {text}: merge names two queues or more, like {KEYS['merge'][0]}")
    if values.get("react", "on") not in ("on", "off"):
        raise InputError(f"with {text}: react is on or off")
    # All keys are known by now: what follows checks what their values say together.
    shift, shifted = _read_shift(values["shift"]) if "shift" in values else (0, ())
    variant = Variant(
        parse_scale(",".join(f"{key}={values[key]}" for key in SCALED_BY if key in values)),
        users=_items(values.get("users", "")),
        queues=_items(values.get("queues", "")),
        accounts=_items(values.get("accounts", "")),
        merge=merge,
        react=values.get("react") == "on",
        shift=shift,
        shifted=shifted,
    )
    if variant.react and variant.adds:
        raise InputError(f"with {text}: no user reacts to jobs that are added; leave out react or the +")
    return variant


def split_variant(text: str) -> tuple[str, str]:
    """The spelling of a policy without its variant, and that of the variant; the latter may be empty."""
    policy, word, variant = text.rpartition(WITH)
    return (policy.strip(), variant.strip()) if word and "=" in variant else (text, "")


def varied(trace: Trace, variant: Variant) -> Trace:
    """The trace under a variant, with notes on the changes; equal variants share it while any run has it.

    It starts from the jobs as logged, whatever variant the trace is of. Raises InputError for names that the
    log does not have, and if no job is left.
    """
    if variant.spelling == trace.variant:
        return trace
    logged = trace.as_logged
    if not variant:
        return logged
    # Runs of the same variant share a trace, as long as any of them has it.
    shared = _MADE.setdefault(logged, WeakValueDictionary())
    if (ready := shared.get(variant)) is None:
        ready = shared[variant] = _make(logged, variant)
    return ready


_MADE: WeakKeyDictionary[Trace, WeakValueDictionary[Variant, Trace]] = WeakKeyDictionary()
"""The traces that variants made of a trace. They hold the trace, so that it must not hold them."""


def _make(logged: Trace, variant: Variant) -> Trace:
    changed = scaled(logged, variant.scaling)
    changed = replace(changed, name=logged.name, logged=logged, variant=variant.spelling)
    # Selections are of the log's own names, before queues are merged.
    left = np.ones(len(logged), np.bool_)
    for key, column in _SELECTING.items():
        names = getattr(variant, key)
        if chosen := [name for name in names if not name.startswith("+")]:
            kind = key.removesuffix("s")
            left &= selected_names(logged.name, kind, getattr(logged, column), chosen)[
                getattr(logged, column).codes
            ]
    # A run without jobs would only be noticed much later.
    if not left.any():
        raise InputError(f"{logged.name}: no job is left with {variant.spelling}")
    if not left.all():
        text = "jobs that are left out of this run: its workload has other users, queues or accounts"
        note = Note("left_out", text, int(np.count_nonzero(~left)))
        changed = replace(changed, left_out=~left).with_notes(note)
    changed = _with_copies(changed, variant, left)
    if variant.merge:
        changed = _merged(changed, variant.merge)
    if variant.react:
        changed = _reacting(changed)
    return _shifted(changed, variant) if variant.shift else changed


def _with_copies(trace: Trace, variant: Variant, left: NDArray[np.bool_]) -> Trace:
    """The trace with jobs like those of the names with a leading `+`; those that are left out bring none.

    Raises InputError for unknown names.
    """
    copies = np.zeros(len(trace), np.int64)
    for key, column in _SELECTING.items():
        values = getattr(trace, column)
        for name in getattr(variant, key):
            if name.startswith("+"):
                # A name may be added several times, and a job by its user and by its queue.
                copies += (
                    selected_names(trace.name, key.removesuffix("s"), values, [name[1:]])[values.codes] & left
                )
    if not copies.any():
        return trace
    text = "jobs that are added to this run, each like a job of the log: metrics are of the log's own jobs"
    return replace(trace, copies=copies).with_notes(Note("added", text, int(copies.sum())))


def _merged(trace: Trace, queues: Sequence[str]) -> Trace:
    """The trace with the jobs of these queues in the last of them. Raises InputError for unknown ones."""
    queue = trace.queue
    inside = selected_names(trace.name, "queue", queue, queues)[queue.codes]
    codes = np.where(inside, queue.names.index(queues[-1]), queue.codes).astype(np.int32)
    text = f"jobs that are in queue {queues[-1]} in this run"
    note = Note("merged", text, int(np.count_nonzero(codes != queue.codes)))
    return replace(trace, queue=Names(codes, queue.names)).with_notes(note)


def _reacting(trace: Trace) -> Trace:
    """The trace whose users submit after the ends of their own jobs, in whatever schedule, as in the log.

    Raises InputError if the log does not tell when its jobs ended.
    """
    follows, think = reactions(trace.as_logged)
    text = "jobs that come after the end of an earlier job of their user, as its user reacted in the log"
    note = Note("react", text, int(np.count_nonzero(follows >= 0)))
    return replace(trace, follows=follows, think_time=think, dependencies=True).with_notes(note)


def _shifted(trace: Trace, variant: Variant) -> Trace:
    """The trace whose jobs come later or earlier, no earlier than at second 0."""
    moved = np.ones(len(trace), np.bool_)
    if variant.shifted:
        moved = selected_names(trace.name, "user", trace.user, variant.shifted)[trace.user.codes]
    came = np.where(moved, np.maximum(trace.submit + variant.shift, 0), trace.submit)
    text = f"jobs that come {_shift_words(variant)} in this run"
    return replace(trace, came=came).with_notes(Note("shifted", text, int(np.count_nonzero(moved))))


def _words(variant: Variant) -> Iterator[str]:
    if variant.scaling:
        yield str(variant.scaling)
    for key in _SELECTING:
        names: tuple[str, ...] = getattr(variant, key)
        out = [name[1:] for name in names if name.startswith("-")]
        # A name that stands there several times is added as often.
        more = Counter(name[1:] for name in names if name.startswith("+"))
        into = [name for name in names if not name.startswith(("-", "+"))]
        for word, selected in (("without", out), ("only", into)):
            if selected:
                yield f"{word} {key if len(selected) > 1 else key.removesuffix('s')} {listed(selected)}"
        for name, count in more.items():
            times = "twice" if count == 1 else f"{count + 1} times"
            yield f"each job of {key.removesuffix('s')} {name} {times}"
    if variant.merge:
        yield f"queues {listed(variant.merge[:-1])} merged into {variant.merge[-1]}"
    if variant.react:
        yield "users react"
    if variant.shift:
        whose = f" of {listed(variant.shifted)}" if variant.shifted else ""
        yield f"jobs{whose} {_shift_words(variant)}"


def _shift_words(variant: Variant) -> str:
    return f"{format_duration(abs(variant.shift))} {'later' if variant.shift > 0 else 'earlier'}"


def _read_shift(text: str) -> tuple[int, tuple[str, ...]]:
    """The shift, s, and the users whose jobs it moves. Raises InputError."""
    first, *users = _items(text)
    try:
        seconds = parse_duration(first.removeprefix("-"))
    except InputError as error:
        raise InputError(
            f"shift: {error}, or -2h for earlier; users may follow, as in shift=8h;alice"
        ) from None
    if not 1 <= seconds <= LONGEST_CAP:
        raise InputError(f"shift cannot be {first!r}: it is a duration from 1 s to ten years")
    return -seconds if first.startswith("-") else seconds, tuple(users)


def _items(text: str) -> tuple[str, ...]:
    """The names of a list like `-alice;bob`, which quotes hold together."""
    return tuple(_unquoted(item.strip()) for item in _ITEMS.findall(text) if item.strip())


def _unquoted(item: str) -> str:
    sign = item[0] if item.startswith(('-"', '+"')) else ""
    quoted = item.removeprefix(sign)
    if not quoted.startswith('"'):
        return item
    if len(quoted) < 2 or not quoted.endswith('"'):
        raise InputError(f"{item}: a quote that does not end")
    return sign + quoted[1:-1].replace('""', '"')


def _listing(names: Sequence[str]) -> str:
    return ";".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _SPECIAL.search(name) else name
