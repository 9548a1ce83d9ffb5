"""The tables that a paper prints, in a study file: its numbers by policy and log, to be put beside ours.

Tables `printed` have a `title`, of which several are the parts of one table, each with its name in `part`,
a `metric`, the `logs` of the columns, and a table `numbers` with a list for
each policy, `-` where the paper has no number. Numbers are changes in % `against` a policy (by default the
study's; `nothing`: values of the metric itself, in a `unit` that is `per` of the metric's), at values of
`keys`. Tables `logs` are what the paper prints of a log: its `name`, and of `cpus`, `jobs`, `users`, `load`
(%), `months` and `phi` (%) what it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import InputError
from engine.metrics.metric_names import parse_metric
from engine.policy.keys import KEY
from engine.sweep.finding import NOTHING, Offered
from engine.sweep.paper_claim import decimals
from engine.sweep.toml_values import (
    format_toml,
    is_number,
    refuse_unknown,
    shown_line,
    table,
    tables,
    text,
    texts,
)

_KNOWN = ("title", "part", "metric", "against", "keys", "logs", "numbers", "unit", "per")
_OF_LOGS = ("cpus", "jobs", "users", "load", "months", "phi")
_NONE = "-"


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper: `numbers` has a policy and its numbers, one a log, None where there is none.

    They are changes in % against a policy, or, if that is empty, values in `unit`, which is `per` of the
    metric's own. `keys` are the values of keys at which the table is.
    """

    title: str
    metric: str
    against: str
    keys: tuple[tuple[str, str], ...]
    logs: tuple[str, ...]
    numbers: tuple[tuple[str, tuple[float | None, ...]], ...]
    unit: str
    per: float
    digits: int
    part: str = ""  # what tells it from other parts of the table of its title

    def column(self, log: str) -> int | None:
        """The column of the log of that name, which may go on after the paper's; None: it has none."""
        columns = [k for k, name in enumerate(self.logs) if log.casefold().startswith(name.casefold())]
        return columns[0] if columns else None


@dataclass(frozen=True)
class PrintedLog:
    """What a paper prints of a log, with the names of `_OF_LOGS`; what is left out is unknown."""

    name: str
    facts: tuple[tuple[str, float], ...]


def read_printed(entries: Mapping[str, Any], study: Offered) -> tuple[PrintedTable, ...]:
    """The tables `printed` of a study. Raises InputError."""
    return tuple(_table(table, study) for table in tables(entries, "printed"))


def read_logs(entries: Mapping[str, Any]) -> tuple[PrintedLog, ...]:
    """The tables `logs` of a study. Raises InputError."""
    logs = []
    for entry in tables(entries, "logs"):
        refuse_unknown(entry, ("name", *_OF_LOGS), "a log")
        if not text(entry, "name"):
            raise InputError("a table logs needs the name of its log")
        facts = [(name, entry[name]) for name in _OF_LOGS if name in entry]
        if wrong := [name for name, value in facts if not is_number(value)]:
            raise InputError(f"{wrong[0]} of a log should be a number")
        logs.append(PrintedLog(text(entry, "name"), tuple((name, float(value)) for name, value in facts)))
    return tuple(logs)


def _numbers(entries: Mapping[str, Any], study: Offered, logs: int) -> dict[str, tuple[float | None, ...]]:
    """The numbers of each policy, one for each log. Raises InputError."""
    rows = table(entries, "numbers", 'easy = [1.5, "-"]')
    for policy, values in rows.items():
        if policy not in study.policies:
            raise InputError(f"a printed table has {policy!r}, which is not one of the policies")
        if not isinstance(values, list) or len(values) != logs:
            raise InputError(f"a printed table needs a number of {policy} for each of its {logs} logs")
        if not all(is_number(value) or value == _NONE for value in values):
            raise InputError(f"numbers of {policy} in a printed table are numbers, or {_NONE!r}")
    # A dash in the paper is a number that it does not have.
    return {
        policy: tuple(None if value == _NONE else value for value in values)
        for policy, values in rows.items()
    }


def _table(entries: Mapping[str, Any], study: Offered) -> PrintedTable:
    refuse_unknown(entries, _KNOWN, "a printed table")
    title, metric = shown_line(entries, "title"), parse_metric(text(entries, "metric")).name
    if metric not in study.metrics:
        raise InputError(f"a printed table is of {metric}, which is not one of the metrics")
    against = text(entries, "against") or study.against
    if against not in (*study.policies, NOTHING, ""):
        raise InputError(f"a printed table is against {against!r}, which is not one of the policies")
    logs = tuple(texts(entries, "logs"))
    rows = _numbers(entries, study, len(logs))
    per = entries.get("per", 1)
    if not is_number(per) or per <= 0:
        raise InputError("per of a printed table should be a number above 0")
    return PrintedTable(
        title,
        metric,
        "" if against == NOTHING else against,
        _keys(entries, study),
        logs,
        tuple(rows.items()),
        shown_line(entries, "unit"),
        float(per),
        decimals(*(value for row in rows.values() for value in row if value is not None)),
        shown_line(entries, "part"),
    )


def _keys(entries: Mapping[str, Any], study: Offered) -> tuple[tuple[str, str], ...]:
    keys = []
    for name, value in table(entries, "keys", 'estimate = "actual"').items():
        if name not in study.keys:
            raise InputError(f"a printed table names the key {name}, which the study does not change")
        value_text = KEY[name].format(KEY[name].parse(format_toml(value)))
        if value_text not in study.keys[name]:
            raise InputError(f"a printed table is at {name}={value_text}, which is not in the study")
        keys.append((name, value_text))
    return tuple(keys)
