"""A finding of a paper in a study file: the points that it covers, and its claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import InputError
from engine.metrics.metric_names import parse_metric
from engine.policy.keys import KEY
from engine.spelling import nearest
from engine.sweep.conditions import SEED, Conditions
from engine.sweep.paper_claim import DIRECTIONS, Agreement, PaperClaim, decimals
from engine.sweep.toml_values import (
    format_toml,
    is_number,
    refuse_unknown,
    shown_line,
    switch,
    table,
    text,
    texts,
)
from engine.trace.scale import Scaling
from engine.words import listed

NOTHING = "nothing"
"""The word for no reference policy: values are then in the metric's own unit."""

_NUMBERS = ("paper", "least", "most", "apart")
_CLAIMS = (*_NUMBERS, "direction")
_KNOWN = (
    "text", "policy", "policies", "metrics", "beside", *_CLAIMS,
    "theta", "rho", "machine", "share", "react", "keys", "against", "logs",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A claim about every point of some `policies`, by each of some `metrics`, under some conditions.

    `keys` are the keys with given values: for other keys it is claimed at every value. Points are in % of the
    policy `against`, or without it in the metric's own unit; `beside` names for each metric another metric of
    the same policy as the 100 % reference. A claim on the distance of points covers points that differ only
    in keys. `logs` begin the names of the logs that the paper says it of; none: of all.
    """

    text: str
    policies: tuple[str, ...]
    metrics: tuple[str, ...]
    claim: PaperClaim
    conditions: Conditions = Conditions()  # noqa: RUF009 - it is immutable
    keys: tuple[tuple[str, str], ...] = ()
    against: str = ""
    beside: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of the numbers, if it is not the metric's own unit."""
        reference = ["the metric beside it"] if self.beside else [self.against] if self.against else []
        return "".join(f"% of {name}" for name in reference)


@dataclass(frozen=True)
class Offered:
    """The parts of a study that its findings can refer to."""

    policies: tuple[str, ...]
    metrics: tuple[str, ...]
    conditions: tuple[Conditions, ...]
    keys: Mapping[str, tuple[str, ...]]  # with values formatted as in policies
    against: str
    agreement: Agreement


def read_agreement(entries: Mapping[str, Any]) -> Agreement:
    """The table `agreement` of a study. Raises InputError."""
    agreement = table(entries, "agreement", "points = 3")
    refuse_unknown(agreement, ("points", "part"), "an agreement")
    values = {name: _number(agreement, name, "an agreement") for name in agreement}
    if any(value < 0 for value in values.values()):
        raise InputError("points and part of an agreement are at least 0")
    return Agreement(**values)


def read_finding(entries: Mapping[str, Any], study: Offered) -> Finding:
    """A table `findings` of a study. Raises InputError."""
    refuse_unknown(entries, _KNOWN, "a finding")
    metrics = _metrics(entries, "metrics", study) or study.metrics
    beside = _metrics(entries, "beside", study)
    if beside and len(beside) != len(metrics):
        raise InputError("beside of a finding names one metric for each of its metrics")
    against = text(entries, "against") or study.against
    if against not in (*study.policies, NOTHING, ""):
        raise InputError(f"a finding is against {against!r}, which is not one of the policies")
    # A finding may also leave out the reference that the study has.
    against = "" if against == NOTHING else against
    return Finding(
        shown_line(entries, "text"),
        _policies(entries, study),
        metrics,
        _claim(entries, against or beside, study.agreement),
        _conditions(entries, study),
        _keys(entries, study),
        against,
        beside,
        tuple(texts(entries, "logs")) if "logs" in entries else (),
    )


def _claim(entries: Mapping[str, Any], relative: object, agreement: Agreement) -> PaperClaim:
    named = [name for name in _CLAIMS if name in entries]
    # Only both bounds may stand together; otherwise a claim has a single comparison.
    if not named or (len(named) > 1 and named != ["least", "most"]):
        raise InputError(
            "a finding needs a number paper (the paper's size), least or most (its bounds), or apart, "
            f"or a direction{f'; this one has {listed(named)}' if named else ''}"
        )
    direction = text(entries, "direction")
    if "direction" in named and direction not in DIRECTIONS:
        raise InputError(f"the direction of a finding is less or more, not {direction!r}")
    if direction and not relative:
        raise InputError("a finding with a direction needs a policy to compare with, or another metric")
    numbers = {name: _number(entries, name, "a finding") for name in named if name in _NUMBERS}
    digits = decimals(*(entries[name] for name in numbers)) if numbers else PaperClaim.digits
    if "paper" in numbers:
        numbers["size"] = numbers.pop("paper")
    return PaperClaim(
        direction=direction,
        neutral=100.0 if relative else None,
        digits=digits,
        agreement=agreement,
        **numbers,
    )


def _policies(entries: Mapping[str, Any], study: Offered) -> tuple[str, ...]:
    if ("policy" in entries) == ("policies" in entries):
        raise InputError("a finding names a policy, or policies")
    named = tuple(texts(entries, "policies")) if "policies" in entries else (text(entries, "policy"),)
    for name in named:
        if name not in study.policies:
            raise InputError(f"a finding is about {name!r}, which is not one of the policies")
    return named


def _metrics(entries: Mapping[str, Any], name: str, study: Offered) -> tuple[str, ...]:
    named = tuple(parse_metric(text).name for text in texts(entries, name)) if name in entries else ()
    for condition in named:
        if condition not in study.metrics:
            raise InputError(f"a finding is about {condition}, which is not one of the metrics")
    return named


def _conditions(entries: Mapping[str, Any], study: Offered) -> Conditions:
    """The conditions; by default the first of the study's, without scaling and without users who react."""
    first = study.conditions[0]
    theta, rho = (
        _number(entries, name, "a finding") if name in entries else 1.0 for name in ("theta", "rho")
    )
    machine, share = text(entries, "machine") or first.machine, text(entries, "share") or first.share
    react = switch(entries, "react")
    under = Conditions(Scaling(theta, rho), machine, share, react)
    if under not in study.conditions:
        raise InputError(f"a finding is about {str(under) or 'theta 1, rho 1'}, which is not in the study")
    return under


def _keys(entries: Mapping[str, Any], study: Offered) -> tuple[tuple[str, str], ...]:
    named = table(entries, "keys", 'order = "sjf"')
    keys = []
    for name, value in named.items():
        if name == SEED:
            raise InputError("a finding is about means over seeds: it cannot name one")
        if name not in study.keys:
            raise InputError(
                f"a finding is about {name}, which is not a key of the study{nearest(name, study.keys)}"
            )
        # Values are compared in their normal spelling.
        value_text = KEY[name].format(KEY[name].parse(format_toml(value)))
        if value_text not in study.keys[name]:
            raise InputError(f"a finding is about {name} = {value_text}, which is not one of its values")
        keys.append((name, value_text))
    return tuple(keys)


def _number(entries: Mapping[str, Any], name: str, what: str) -> float:
    value = entries.get(name)
    if not is_number(value):
        raise InputError(f"{name} of {what} should be a number")
    return float(value)  # type: ignore[arg-type]
