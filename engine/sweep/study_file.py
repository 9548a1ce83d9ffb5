"""A study file: which runs a question takes, and what to look for in them.

TOML with `title`, `source`, `wants` (which traces), lists of `policies`, `metrics`, `theta` and `rho`, the
policy `against` which the others are told in %, a table `keys` of policy keys, each with values that every
policy is run with, and tables `findings` (`text`, `policy`, `least`, `most`, `metrics`, `theta`, `rho`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.input import read_text
from engine.metrics.named import parse_metric
from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.spelling import nearest, spell_number
from engine.trace.scale import Scale, parse_scale

MOST_RUNS = 100_000
"""A larger study is most likely a slip of the hand."""

_LONGEST = 1 << 20  # bytes of a file
_LARGEST = 10**15


@dataclass(frozen=True)
class Finding:
    """What a paper found: by its metrics (all where none is named) a policy comes to `least` to `most`.

    In % of the study's `against`, else in the metric's own unit.
    """

    text: str
    policy: str
    least: float | None = None
    most: float | None = None
    metrics: tuple[str, ...] = ()
    theta: float = 1.0
    rho: float = 1.0

    @property
    def scale(self) -> Scale:
        """Of the trace that it was found on."""
        return Scale(self.theta, self.rho)


@dataclass(frozen=True)
class PlannedRun:
    """A policy on a trace, scaled; `base` is the policy as the study spells it, without its keys."""

    scale: Scale
    base: str
    policy: Policy


@dataclass(frozen=True)
class StudyFile:
    """What a study file says, checked."""

    title: str
    source: str
    wants: str
    metrics: tuple[str, ...]
    against: str  # a policy, or nothing
    runs: tuple[PlannedRun, ...]
    keys: tuple[str, ...]
    findings: tuple[Finding, ...]


def read_study_file(path: Path) -> StudyFile:
    """Read a study. Raises InputError that names the file and what is wrong in it."""
    try:
        said = tomllib.loads(read_text(path, _LONGEST))
    except ValueError as error:  # no TOML, or a number of thousands of digits
        raise InputError(f"{path}: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: too many brackets inside one another") from None
    try:
        return _study(said)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _study(said: Mapping[str, Any]) -> StudyFile:
    known = ("title", "source", "wants", "policies", "metrics", "against", "theta", "rho", "keys", "findings")
    _refuse_unknown(said, known, "a study")
    metrics = tuple(parse_metric(text).name for text in _texts(said, "metrics"))
    keys = _keys(said.get("keys", {}))
    scales = [_scale(theta, rho) for theta, rho in product(_factors(said, "theta"), _factors(said, "rho"))]
    bases = {text: parse_policy(text) for text in _texts(said, "policies")}
    many = len(scales) * len(bases)
    for values in keys.values():
        many *= len(values)
    if many > MOST_RUNS:
        raise InputError(f"{many:,} runs are more than {MOST_RUNS:,}")
    runs = tuple(
        PlannedRun(scale, text, policy)
        for scale in scales
        for text, base in bases.items()
        for policy in _with_keys(base, keys)
    )
    findings = tuple(_finding(one, set(bases), set(scales), metrics) for one in _tables(said, "findings"))
    title, source, wants, against = (_text(said, name) for name in ("title", "source", "wants", "against"))
    if against and against not in bases:
        raise InputError(f"against is {against!r}, which is not one of the policies")
    return StudyFile(title, source, wants, metrics, against, runs, tuple(keys), findings)


def _with_keys(base: Policy, keys: Mapping[str, tuple[str, ...]]) -> Iterator[Policy]:
    for values in product(*keys.values()):
        yield base.with_keys(**dict(zip(keys, values, strict=True)))


def _keys(said: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(said, dict):
        raise InputError("keys should be a table, like seed = [0, 1, 2]")
    keys: dict[str, tuple[str, ...]] = {}
    for name, values in said.items():
        if name not in KEY:
            raise InputError(f"policies have no key {name!r}{nearest(name, KEY)}")
        if not isinstance(values, list) or not values:
            raise InputError(f"keys.{name} should be a list of values that is not empty")
        keys[name] = tuple(value if isinstance(value, str) else spell_toml(value) for value in values)
    return keys


def spell_toml(value: object) -> str:
    """A value of TOML as policies spell it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if _is_number(value):
        return spell_number(value)  # type: ignore[arg-type]
    raise InputError(f"{value!r} is neither a text nor a number")


def _finding(
    said: Mapping[str, Any], policies: set[str], scales: set[Scale], metrics: tuple[str, ...]
) -> Finding:
    _refuse_unknown(said, [field.name for field in fields(Finding)], "a finding")
    numbers = {name: _number(said, name) for name in ("least", "most", "theta", "rho") if name in said}
    if not {"least", "most"} & set(numbers):
        raise InputError("a finding needs a number least, or most")
    named = tuple(parse_metric(text).name for text in _texts(said, "metrics")) if "metrics" in said else ()
    for name in named:
        if name not in metrics:
            raise InputError(f"a finding is about {name}, which is not one of the metrics")
    policy = _text(said, "policy")
    if policy not in policies:
        raise InputError(f"a finding is about {policy!r}, which is not one of the policies")
    finding = Finding(_text(said, "text"), policy, metrics=named, **numbers)
    if finding.scale not in scales:
        raise InputError(f"a finding is about {finding.scale or 'theta 1, rho 1'}, which is not in the study")
    return finding


def _scale(theta: float, rho: float) -> Scale:
    return parse_scale(f"theta={spell_number(theta)},rho={spell_number(rho)}")


def _factors(said: Mapping[str, Any], name: str) -> list[float]:
    values = said.get(name, [1.0])
    if not isinstance(values, list) or not values or not all(map(_is_number, values)):
        raise InputError(f"{name} should be a list of numbers that is not empty")
    return [float(one) for one in values]


def _texts(said: Mapping[str, Any], name: str) -> list[str]:
    values = said.get(name, [])
    if not isinstance(values, list) or not values or not all(isinstance(one, str) for one in values):
        raise InputError(f"{name} should be a list of texts that is not empty")
    return values


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"{name} should be a text")
    return value


def _number(said: Mapping[str, Any], name: str) -> float:
    value = said.get(name)
    if not _is_number(value):
        raise InputError(f"{name} of a finding should be a number")
    return float(value)  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    """Whether it is a number, and none that is out of all reach; NaN is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _tables(said: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    values = said.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise InputError(f"{name} should be tables, each begun by [[{name}]]")
    return values


def _refuse_unknown(said: Mapping[str, Any], known: tuple[str, ...] | list[str], what: str) -> None:
    for name in said:
        if name not in known:
            raise InputError(f"{what} has no {name!r}{nearest(name, known)}")
