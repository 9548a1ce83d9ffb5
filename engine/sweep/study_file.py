"""A study file: which runs a question takes, and what to look for in them.

TOML with `title`, `source`, `wants` (words on which traces), lists of `policies`, `metrics`, `theta`, `rho`,
`machines`, `shares` and `traces` (files), the policy `against` which the others are told in %, a table `keys`
of policy keys, each with values that every policy is run with, and tables `findings` (`text`, `policy`,
`least`, `most`, `metrics`, under which `theta`, `rho`, `machine` and `share`, and `against` which policy, the
study's unless another one or `nothing` is named). A machine is `own` or spelled like 100x4c, a share is
what users expect.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.input import read_text
from engine.machine.cluster import parse_cluster
from engine.metrics.named import parse_metric
from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.policy.share import parse_share
from engine.spelling import nearest, spell_number
from engine.trace.scale import Scaling, parse_scale

MOST_RUNS = 100_000
"""A larger study is most likely a slip of the hand."""

_LONGEST = 1 << 20  # bytes of a file
_LARGEST = 10**15

_TEXTS, _LISTS = (
    ("title", "source", "wants", "against"),
    ("traces", "policies", "metrics", "machines", "shares"),
)
_KNOWN = (*_TEXTS, *_LISTS, "theta", "rho", "keys", "findings")
_OF_FINDING = ("text", "policy", "least", "most", "metrics", "theta", "rho", "machine", "share", "against")


NOTHING = "nothing"
"""A finding against it is told in the metric's own unit."""

OWN = "own"
"""Among machines: that of the trace, or the one that is given with it."""

FAIR = "fair"
"""The share that users expect where a study names none."""


@dataclass(frozen=True)
class Conditions:
    """What a run is under beside its policy: the trace scaled, a machine, and what users expect."""

    scaling: Scaling = Scaling()  # noqa: RUF009 - it is immutable
    machine: str = OWN
    share: str = FAIR

    def __str__(self) -> str:
        machine = "" if self.machine == OWN else f"on {self.machine}"
        share = "" if self.share == FAIR else f"share {self.share}"
        return ", ".join(filter(None, (str(self.scaling), machine, share)))


@dataclass(frozen=True)
class Finding:
    """What a paper found: by its metrics (all where none is named) a policy comes to `least` to `most`.

    In % of the policy `against`, or without one in the metric's own unit.
    """

    text: str
    policy: str
    least: float | None = None
    most: float | None = None
    metrics: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    against: str = ""


@dataclass(frozen=True)
class PlannedRun:
    """A policy under some conditions; `base` is the policy as the study spells it, without its keys."""

    conditions: Conditions
    base: str
    policy: Policy


@dataclass(frozen=True)
class StudyFile:
    """What a study file says, checked."""

    title: str
    source: str
    wants: str
    traces: tuple[str, ...]  # files, as seen from the study's folder
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


def study_title(path: Path) -> str:
    """The title of a study, or the name of its file where it has none."""
    return _said_in(path, "title") or path.stem


def study_source(path: Path) -> str:
    """Where a study is from; empty where it does not say."""
    return _said_in(path, "source")


def _said_in(path: Path, name: str) -> str:
    try:
        said = tomllib.loads(read_text(path, _LONGEST)).get(name)
    except (InputError, OSError, ValueError, RecursionError):
        said = None
    return said if isinstance(said, str) else ""


def _study(said: Mapping[str, Any]) -> StudyFile:
    _refuse_unknown(said, _KNOWN, "a study")
    metrics = tuple(parse_metric(text).name for text in _texts(said, "metrics"))
    keys = _keys(said.get("keys", {}))
    conditions = _conditions(said)
    bases = {text: parse_policy(text) for text in _texts(said, "policies")}
    many = len(conditions) * len(bases)
    for values in keys.values():
        many *= len(values)
    if many > MOST_RUNS:
        raise InputError(f"{many:,} runs are more than {MOST_RUNS:,}")
    runs = tuple(
        PlannedRun(under, text, policy)
        for under in conditions
        for text, base in bases.items()
        for policy in _with_keys(base, keys)
    )
    title, source, wants, against = (_text(said, name) for name in ("title", "source", "wants", "against"))
    if against and against not in bases:
        raise InputError(f"against is {against!r}, which is not one of the policies")
    tables = _tables(said, "findings")
    findings = tuple(_finding(one, set(bases), conditions, metrics, against) for one in tables)
    traces = tuple(_texts(said, "traces")) if "traces" in said else ()
    return StudyFile(title, source, wants, traces, metrics, against, runs, tuple(keys), findings)


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
    said: Mapping[str, Any],
    policies: set[str],
    conditions: list[Conditions],
    metrics: tuple[str, ...],
    against: str,
) -> Finding:
    _refuse_unknown(said, _OF_FINDING, "a finding")
    numbers = {name: _number(said, name) for name in ("least", "most") if name in said}
    if not {"least", "most"} & set(numbers):
        raise InputError("a finding needs a number least, or most")
    named = tuple(parse_metric(text).name for text in _texts(said, "metrics")) if "metrics" in said else ()
    for name in named:
        if name not in metrics:
            raise InputError(f"a finding is about {name}, which is not one of the metrics")
    policy = _text(said, "policy")
    if policy not in policies:
        raise InputError(f"a finding is about {policy!r}, which is not one of the policies")
    under = _found_under(said, conditions[0])
    if under not in conditions:
        raise InputError(f"a finding is about {str(under) or 'theta 1, rho 1'}, which is not in the study")
    told = _text(said, "against") or against
    if told not in (*policies, NOTHING, ""):
        raise InputError(f"a finding is against {told!r}, which is not one of the policies")
    told = "" if told == NOTHING else told
    return Finding(_text(said, "text"), policy, metrics=named, conditions=under, against=told, **numbers)


def _found_under(said: Mapping[str, Any], first: Conditions) -> Conditions:
    """The conditions of a finding; unnamed ones are the first of the study's, and no scaling."""
    theta, rho = (_number(said, name) if name in said else 1.0 for name in ("theta", "rho"))
    machine = _text(said, "machine") or first.machine
    return Conditions(Scaling(theta, rho), _machine(machine), _text(said, "share") or first.share)


def _conditions(said: Mapping[str, Any]) -> list[Conditions]:
    """All combinations of what the trace is scaled by, of machines, and of shares."""
    machines = [_machine(text) for text in _texts_or(said, "machines", OWN)]
    shares = _texts_or(said, "shares", FAIR)
    for share in shares:
        parse_share(share)
    factors = product(_factors(said, "theta"), _factors(said, "rho"), machines, shares)
    return [Conditions(_scaling(theta, rho), machine, share) for theta, rho, machine, share in factors]


def _machine(text: str) -> str:
    return OWN if text == OWN else parse_cluster(text).spelling


def _texts_or(said: Mapping[str, Any], name: str, default: str) -> list[str]:
    return _texts(said, name) if name in said else [default]


def _scaling(theta: float, rho: float) -> Scaling:
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
