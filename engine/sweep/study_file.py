"""A study file: the runs of a question, and the findings to check.

TOML with `title`, `source`, `wants` (words on which traces), lists of `policies`, `metrics`, `theta`, `rho`,
`machines`, `shares`, `react` and `traces` (files), the reference policy `against` for values in %, and a
table `keys` of policy keys, each with values that every policy is run with. A machine is `own` or spelled
like 100x4c, a share is the users' expected share, and where `react` is true users react to each schedule. A
run is compared with the reference policy under the same conditions: users who react with users who do.

Tables `findings` are published findings: a `text`, a `policy` or several `policies`, `metrics` (by default
all of the study), the conditions `theta`, `rho`, `machine`, `share`, `react`, values of `keys`, the reference
policy `against` (by default the study's; `nothing` for none), or the reference metrics `beside`, and the
`logs` that the paper says it of, by the beginnings of their names (by default all). The claim is the
`paper`'s size, bounds `least` and `most`, a `direction` (less or more), or a maximum distance `apart` of
points. It covers each point: each policy by each metric at each value of the keys that are not named, as
means over seeds. Numbers are compared with the digits that they are written with. The table `agreement` has
the allowed distance of a size: `points`, or a `part` of the paper's effect, whichever is larger. Tables
`printed` and `logs` are what the paper prints (`printed.py`). Tables `figures` are the figures that are
drawn of the results, instead of one for each metric (`planned_figures.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.input import read_text
from engine.machine.cluster import parse_cluster
from engine.metrics.metric_names import parse_metric
from engine.own.allowed_code import UnnamedCodeError
from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.policy.share import parse_share
from engine.spelling import format_number, nearest
from engine.sweep.conditions import FAIR, OWN, Conditions
from engine.sweep.finding import Finding, Offered, read_agreement, read_finding
from engine.sweep.planned_figures import PlannedFigure, read_figures
from engine.sweep.printed_tables import PrintedLog, PrintedTable, read_logs, read_printed
from engine.sweep.toml_values import (
    LONGEST_TOML,
    format_toml,
    numbers,
    read_toml,
    refuse_unknown,
    shown_line,
    switches,
    table,
    tables,
    text,
    texts,
)
from engine.trace.scale import Scaling, parse_scale

MOST_RUNS = 100_000
"""A larger study is most likely a slip of the hand."""

_TEXTS, _LISTS = (
    ("title", "source", "wants", "against"),
    ("traces", "policies", "metrics", "machines", "shares"),
)
_CONDITIONS = ("theta", "rho", "react")
_TABLES = ("keys", "agreement", "findings", "printed", "logs", "figures")
_KNOWN = (*_TEXTS, *_LISTS, *_CONDITIONS, *_TABLES)


@dataclass(frozen=True)
class PlannedRun:
    """A policy under some conditions; `base` is the policy as the study has it, without the study's keys."""

    conditions: Conditions
    base: str
    policy: Policy


@dataclass(frozen=True)
class StudyFile:
    """The checked contents of a study file."""

    title: str
    source: str
    wants: str
    traces: tuple[str, ...]  # files, as seen from the study's folder
    metrics: tuple[str, ...]
    against: str  # a policy, or nothing
    runs: tuple[PlannedRun, ...]
    keys: tuple[str, ...]
    findings: tuple[Finding, ...]
    printed: tuple[PrintedTable, ...] = ()  # of the paper
    logs: tuple[PrintedLog, ...] = ()  # as the paper has them
    figures: tuple[PlannedFigure, ...] = ()  # instead of the usual figures

    def is_about(self, finding: Finding, trace: str) -> bool:
        """Whether a finding is to be tested on a log of this name.

        What the paper says of some of its logs does not hold for its others. On a log that the paper does not
        have every finding is a question.
        """
        if not finding.logs or _begins(trace, finding.logs):
            return True
        papers = [*(log.name for log in self.logs), *(name for each in self.findings for name in each.logs)]
        return not _begins(trace, papers)


def _begins(trace: str, names: Iterable[str]) -> bool:
    """Whether the name of a trace begins with any of some names, in letters of any case."""
    return trace.casefold().startswith(tuple(name.casefold() for name in names))


def read_study_file(path: Path) -> StudyFile:
    """Read a study. Raises InputError that names the file and what is wrong in it."""
    entries = read_toml(path)
    try:
        return _study(entries)
    except UnnamedCodeError:  # which has the texts to ask about
        raise
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def study_title(path: Path) -> str:
    """The title of a study, or the name of its file where it has none."""
    return _named_in(path, "title") or path.stem


def study_source(path: Path) -> str:
    """The source of a study; empty if it names none."""
    return _named_in(path, "source")


def _named_in(path: Path, name: str) -> str:
    try:
        return shown_line(_values_before_tables(read_text(path, LONGEST_TOML)), name)
    except (InputError, OSError, ValueError, RecursionError):
        return ""


def _values_before_tables(text: str) -> Mapping[str, Any]:
    """The values that belong to no table: those before the first line that begins with a bracket.

    All of the text is parsed only where that bracket is part of a value, since what is before it is then
    no TOML.
    """
    try:
        return tomllib.loads(text.partition("\n[")[0])
    except ValueError:
        return tomllib.loads(text)


def _study(entries: Mapping[str, Any]) -> StudyFile:
    refuse_unknown(entries, _KNOWN, "a study")
    metrics = tuple(parse_metric(spelling).name for spelling in texts(entries, "metrics"))
    if twice := [name for name in dict.fromkeys(metrics) if metrics.count(name) > 1]:
        raise InputError(f"metrics names {twice[0]} twice")
    keys = _keys(entries)
    conditions = _conditions(entries)
    bases = {spelling: parse_policy(spelling) for spelling in texts(entries, "policies")}
    # The number of runs is bounded before any is made.
    count = len(conditions) * len(bases)
    for values in keys.values():
        count *= len(values)
    if count > MOST_RUNS:
        raise InputError(f"{count:,} runs are more than {MOST_RUNS:,}")
    runs = tuple(
        PlannedRun(under, spelling, policy)
        for under in conditions
        for spelling, base in bases.items()
        for policy in _with_keys(_reacting(base, under), keys)
    )
    title, source, wants = (shown_line(entries, name) for name in ("title", "source", "wants"))
    against = text(entries, "against")
    if against and against not in bases:
        raise InputError(f"against is {against!r}, which is not one of the policies")
    values_of_keys = {
        name: tuple(KEY[name].format(KEY[name].parse(spelling)) for spelling in own)
        for name, own in keys.items()
    }
    offered = Offered(
        tuple(bases), metrics, tuple(conditions), values_of_keys, against, read_agreement(entries)
    )
    findings = tuple(read_finding(_as_written(table), offered) for table in tables(entries, "findings"))
    traces = tuple(texts(entries, "traces")) if "traces" in entries else ()
    paper = read_printed(entries, offered), read_logs(entries)
    figures = read_figures(entries, metrics)
    return StudyFile(
        title, source, wants, traces, metrics, against, runs, tuple(keys), findings, *paper, figures
    )


def _reacting(base: Policy, under: Conditions) -> Policy:
    """The policy with users who react, where they do under these conditions."""
    return replace(base, variant=replace(base.variant, react=True)) if under.react else base


def _with_keys(base: Policy, keys: Mapping[str, tuple[str, ...]]) -> Iterator[Policy]:
    for values in product(*keys.values()):
        yield base.with_keys(**dict(zip(keys, values, strict=True)))


def _keys(entries: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    for name, values in table(entries, "keys", "seed = [0, 1, 2]").items():
        if name not in KEY:
            raise InputError(f"policies have no key {name!r}{nearest(name, KEY)}")
        if not isinstance(values, list) or not values:
            raise InputError(f"keys.{name} should be a list of values that is not empty")
        keys[name] = tuple(map(format_toml, values))
    return keys


def _as_written(finding: Mapping[str, Any]) -> dict[str, Any]:
    """The finding with its machine formatted like the study's machines."""
    machine = text(finding, "machine")
    return {**finding, "machine": _machine(machine)} if machine else dict(finding)


def _conditions(entries: Mapping[str, Any]) -> list[Conditions]:
    """All combinations of the study's scalings of the trace, machines, shares, and users who react or not."""
    machines = [_machine(spelling) for spelling in _texts_or(entries, "machines", OWN)]
    shares = _texts_or(entries, "shares", FAIR)
    for share in shares:
        parse_share(share)
    factors = product(
        numbers(entries, "theta", [1.0]),
        numbers(entries, "rho", [1.0]),
        machines,
        shares,
        switches(entries, "react"),
    )
    return [
        Conditions(_scaling(theta, rho), machine, share, react)
        for theta, rho, machine, share, react in factors
    ]


def _machine(spelling: str) -> str:
    return OWN if spelling == OWN else parse_cluster(spelling).spelling


def _texts_or(entries: Mapping[str, Any], name: str, default: str) -> list[str]:
    return texts(entries, name) if name in entries else [default]


def _scaling(theta: float, rho: float) -> Scaling:
    return parse_scale(f"theta={format_number(theta)},rho={format_number(rho)}")
