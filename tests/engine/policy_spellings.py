"""Valid spellings of every key, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from engine.policy import FACTORS, PRESETS
from engine.policy_keys import KEYS, Key, Range, spell_duration

SIMULATED = [name for name in PRESETS if name != "recorded"]

AT_PASSES = (
    "gate",
    "threshold",
    "relaxed",
    "max_user_jobs",
    "max_user_cpus",
    "max_queue_cpus",
    "pass_every",
    "test_limit",
)
"""Keys that say something of scheduling passes."""

_NAMES = st.text("abcXYZ019-_.", min_size=1, max_size=6)


def numbers_of(span: Range) -> st.SearchStrategy[str]:
    """Numbers of a range as `spell` writes them, durations in their largest unit."""
    low, high = span.low, min(span.high, 10**12 - 1)
    if span.kind == "count":
        return st.integers(int(low), int(high)).map(str)
    if span.kind == "duration":
        return st.integers(int(low), int(high)).map(spell_duration)
    return st.integers(0, 9).flatmap(lambda places: _decimals(low, high, places))


def _decimals(low: float, high: float, places: int) -> st.SearchStrategy[str]:
    scale = 10**places
    whole = st.integers(-int(-low * scale // 1), int(high * scale))
    return whole.map(lambda number: plain(number, places))


def plain(number: int, places: int) -> str:
    """`number` / 10^places without zeros that say nothing."""
    if places == 0:
        return str(number)
    text = f"{number:0{places + 1}d}"
    return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")


def _weights() -> st.SearchStrategy[str]:
    weight = st.integers(1, 10**12 - 1).map(lambda number: plain(number, 6))
    chosen = st.dictionaries(st.sampled_from(FACTORS), weight, min_size=1)
    return chosen.map(lambda of: ";".join(f"{name}={of[name]}" for name in FACTORS if name in of))


def _bindings() -> st.SearchStrategy[str]:
    groups = st.lists(_NAMES, min_size=1, max_size=3).map("+".join)
    bound = st.dictionaries(_NAMES, groups, min_size=1, max_size=3)
    return bound.map(lambda of: ";".join(f"{queue}@{of[queue]}" for queue in sorted(of)))


FREE = {"weights": _weights(), "queue_nodes": _bindings()}
"""Texts with a syntax of their own; files of `shares` are tested by themselves."""


def spellings(key: Key) -> st.SearchStrategy[str]:
    """Everything that a key takes, spelled as policies spell it."""
    if key.switch:
        return st.sampled_from(("on", "off"))
    kinds = [st.just(word) for word in key.words]
    kinds += [numbers_of(span).map(word.__add__) for word, span in key.families]
    if key.range is not None:
        kinds.append(numbers_of(key.range))
    if key.optional:
        kinds.append(st.just("none"))
    if key.name in FREE:
        kinds.append(FREE[key.name])
    return st.one_of(kinds)


key_mixes = st.fixed_dictionaries({}, optional={key.name: spellings(key) for key in KEYS})
"""Some keys, each with a value."""


def contradict(preset: str, values: Mapping[str, str]) -> bool:
    """Whether the keys of a preset with these values make each other impossible."""
    base = PRESETS[preset][0]
    value = {key.name: values.get(key.name, base.spelled(key.name)) for key in KEYS}
    if value["depth"] in ("stop", "0") and value["relaxed"] != "none":
        return True
    if value["depth"] in ("stop", "all", "kept") and value["backfill"] != "queue":
        return True
    return value["depth"] == "kept" and (
        value["order"] != "fcfs" or any(value[name] not in ("none", "off") for name in AT_PASSES)
    )
