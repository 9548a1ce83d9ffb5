"""Policies of a user's own code: `mine.py:wfp,alpha=2`, with further keys like any other policy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from engine.errors import InputError
from engine.estimate.estimators import Estimate
from engine.own.allowed_code import check_allowed, own_path
from engine.own.code import ROLES, OwnCode, own_code, parameters_of, usual_role
from engine.own.file import OwnFile, read_own_file
from engine.own.priority_formula import formula_of
from engine.packages import POLICIES
from engine.policy.key import Key, Range
from engine.policy.keys import KEY, Keys
from engine.policy.names import KeyGroup
from engine.score.parse import Formula

P = TypeVar("P", bound=Keys)  # a policy

_PART = re.compile(r'(?:[^,"]+|"[^"]*"?)+')  # up to a comma outside of quotes

_OWN: dict[str, Any] = {"order": "own", "backfill": "own", "estimate": Estimate("own")}
"""The values of the keys that a user's code decides on."""

_OF_SCHEDULER = (
    *("estimate", "estimate_once", "placement", "constraints", "queue_nodes", "on_failure", "max_restarts"),
    *("max_user_jobs", "max_user_cpus", "max_queue_cpus", "queue_limits", "seed"),
)
"""The keys that mean something where a user's scheduler decides which jobs start."""


def own_policy(text: str, base: P, usual: Mapping[str, str | None]) -> P | None:
    """The policy of a user's own code that a text spells; None for other texts.

    It is `base` but for what the text names; `usual` are values of keys that the text leaves out. Raises
    InputError, also where the user of this process has not named the file.
    """
    named = own_path(text, POLICIES)
    if named is None:
        return None
    path, rest = named
    file = read_own_file(path)
    # Code may run only where the user of this process has named its file.
    check_allowed(file)
    name, texts = "", {}
    for number, part in enumerate(_PART.findall(rest)):
        key, equals, value = (word.strip() for word in part.partition("="))
        # The first part may be the name alone, whose role follows from its kind.
        if not equals and number == 0:
            name = key
        elif not equals:
            raise InputError(f"policy {text!r}: {part!r} should be key=value")
        elif key in texts:
            raise InputError(f"policy {text!r} gives {key} twice")
        else:
            texts[key] = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    known = {each.name for each in file.declared}
    roles = {role: texts.pop(role) for role in ROLES if texts.get(role) in known}
    if name or not roles:
        role, name = usual_role(file, name)
        roles = {role: name, **roles}
    # Defaults of the command line fill what the text leaves out, but for roles that the code takes.
    filled = {key: value for key, value in usual.items() if value is not None and key not in roles}
    return _with(base, file, roles, {}, filled | texts)


def with_own_keys(policy: P, own: OwnCode, texts: Mapping[str, str]) -> P:
    """A policy of own code with changed keys and parameters, given as texts. Raises InputError.

    A key that own code decides on is set to another function of the file, or to a value of the program's.
    """
    file, known = own.file, {each.name for each in own.file.declared}
    roles, rest = own.names, dict(texts)
    # A text names another function of the file, keeps its own function, or goes back to the program's value.
    for role in ROLES:
        if rest.get(role) in known:
            roles[role] = rest.pop(role)
        elif rest.get(role) == "own":
            del rest[role]
        elif role in rest:
            roles.pop(role, None)
    return _with(policy, file, roles, dict(own.values), rest)


def with_file(policy: P, own: OwnCode, file: OwnFile) -> P:
    """A policy of own code with another text of its file: what was set of parameters and keys stays.

    Raises InputError where the text does not declare the same, or a parameter has another range.
    """
    known = parameters_of(file, own.names.values())
    before = own.parameters
    changed = {name: value for name, value in own.values if value != before[name].default}
    texts = {name: known[name].format(value) for name, value in changed.items() if name in known}
    return _with(policy, file, own.names, {}, texts)


def own_keys(own: OwnCode) -> dict[str, Key]:
    """The parameters of a user's own code that have a range, as keys by name: of sliders and searches."""
    keys = {}
    for name, parameter in own.parameters.items():
        limits = parameter.range
        # A range of a single number leaves nothing to set.
        if limits is not None and limits.low < limits.high:
            step = limits.step or (1 if limits.whole else (limits.high - limits.low) / 100)
            kind: Literal["count", "real"] = "count" if limits.whole else "real"
            numbers = Range(kind, limits.low, limits.high, limits.high, step)
            keys[name] = Key(KeyGroup.ORDER, f"of {own.file.path.name}", range=numbers, name=name)
    return keys


def with_formula(policy: P) -> P:
    """What the simulator obeys: a formula in place of a priority of the user's own that is one.

    All other policies are as they are. Raises InputError where the user of this process has not named the
    file.
    """
    own: OwnCode | None = policy.own  # type: ignore[attr-defined]  # a field of whole policies
    if own is None or [role for role, _ in own.roles] != ["order"] or policy.on_failure == "continue":
        return policy  # a job that continues has a walltime that changes, which no formula sees
    declared = own.file.named(own.roles[0][1])
    if declared.kind != "priority":
        return policy
    check_allowed(own.file)
    node = formula_of(own.file, declared.name, own.values_of(declared))
    if node is None:
        return policy
    return replace(policy, own=None, order="score", score=Formula(declared.name, node))  # type: ignore[call-arg]


def unused_with_own(own: OwnCode) -> dict[str, str]:
    """The keys that have no use beside a user's own code, each with the reason."""
    scheduler = own.names.get("scheduler")
    if scheduler is None:
        return {}
    return {name: _why_unused(scheduler) for name in KEY if name not in _OF_SCHEDULER}


def _why_unused(scheduler: str) -> str:
    """Why a key means nothing beside a scheduler of the user's own."""
    return f"{scheduler} decides which jobs start"


def _with(
    base: P, file: OwnFile, roles: Mapping[str, str], values: Mapping[str, float], texts: Mapping[str, str]
) -> P:
    """The policy in which these functions decide; `texts` are its further parameters and keys."""
    parameters = parameters_of(file, roles.values())
    if doubled := [name for name in parameters if name in KEY]:
        raise InputError(f"{file.path}: {doubled[0]} is a key of all policies; call the parameter otherwise")
    # Parameters keep their values as far as the functions that are chosen now have them.
    kept = {name: value for name, value in values.items() if name in parameters}
    given: dict[str, str | float] = {**kept, **{name: texts[name] for name in texts if name in parameters}}
    keys = {name: text for name, text in texts.items() if name not in parameters}
    unknown = [name for name in keys if name not in KEY]
    if unknown:
        own_code(file, roles, {unknown[0]: keys[unknown[0]]})  # raises the error, with the nearest parameter
    code: OwnCode | None = own_code(file, roles, given) if roles else None
    chosen: dict[str, Any] = {name: KEY[name].parse(text) for name, text in keys.items()}
    chosen |= {role: _OWN[role] for role in roles if role in _OWN}
    policy = replace(base, own=code, **chosen)  # type: ignore[call-arg]  # the field is that of a whole policy
    if "scheduler" in roles:
        for name, key in KEY.items():
            if getattr(policy, name) != key.default and name not in _OF_SCHEDULER:
                raise InputError(f"{name} has no use: {_why_unused(roles['scheduler'])}")
    return policy
