"""Tables of groups of jobs: for people, for spreadsheets, and as facts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.export.output import aligned, file_unit, with_unit
from engine.errors import InputError
from engine.metrics.metric import NO_VALUE
from engine.quantities import Missing, Quantity, Unit, offered
from engine.quantities.job_table import Table
from engine.shown_text import format_name
from engine.spelling import nearest

if TYPE_CHECKING:
    from engine.metrics.groups import GroupTable


@dataclass(frozen=True)
class ChosenGroups:
    """The rows and columns of tables of groups, in their order; empty: all."""

    groups: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    def check(self, tables: Sequence[GroupTable]) -> None:
        """Raise InputError for a name that none of the tables has, with a near one."""
        known = [name for table in tables for name in table.names]
        for option, names, there in (
            ("--groups", self.groups, known),
            ("--values", self.values, list(offered("groups", tables[0].of.trace))),
        ):
            if lacking := [name for name in names if name not in there]:
                raise InputError(f"{option}: there is no {lacking[0]!r}{nearest(lacking[0], there)}")

    def columns(self, table: GroupTable) -> dict[str, Quantity]:
        """The quantities that are the columns of a table, by name."""
        columns = offered("groups", table.of.trace)
        return {name: columns[name] for name in self.values} if self.values else dict(columns)


ALL_GROUPS = ChosenGroups()


def group_lines(table: GroupTable, by: str, chosen: ChosenGroups = ALL_GROUPS) -> list[str]:
    """A text table: a line for each group that has a measured job."""
    columns = chosen.columns(table)
    titles = (_heading(column.offer("groups").title, column.unit) for column in columns.values())
    rows = [["", "Jobs", *titles]]
    for entry in group_facts(table, chosen):
        cells = (
            NO_VALUE if _is_nothing(entry[name]) else format(entry[name], _FORMATS.get(column.unit, ",.0f"))
            for name, column in columns.items()
        )
        rows.append([format_name(by, entry["name"]), format(entry["jobs"], ",d"), *cells])
    return aligned(rows)


def group_rows(
    names: Sequence[str], tables: Sequence[GroupTable], by: str, chosen: ChosenGroups = ALL_GROUPS
) -> tuple[list[str], list[list[str]]]:
    """The titles, and a row for each run and group that has a measured job, rounded for people."""
    columns = chosen.columns(tables[0])
    titles = (_heading(column.offer("groups").title, column.unit) for column in columns.values())
    rows = []
    for name, table in zip(names, tables, strict=True):
        for entry in group_facts(table, chosen):
            cells = (
                NO_VALUE if _is_nothing(entry[key]) else format(entry[key], _FORMATS.get(column.unit, ",.0f"))
                for key, column in columns.items()
            )
            rows.append([name, format_name(by, entry["name"]), format(entry["jobs"], ",d"), *cells])
    return ["Run", by.capitalize(), "Jobs", *titles], rows


def group_columns(
    names: Sequence[str], tables: Sequence[GroupTable], by: str, chosen: ChosenGroups = ALL_GROUPS
) -> Table:
    """The same for programs: bare numbers, with their units in the names of columns."""
    columns = chosen.columns(tables[0])
    entries = [
        (name, entry)
        for name, table in zip(names, tables, strict=True)
        for entry in group_facts(table, chosen)
    ]
    found: list[tuple[str, Any]] = [
        ("run", [name for name, _ in entries]),
        (by, [entry["name"] for _, entry in entries]),
        ("jobs", [entry["jobs"] for _, entry in entries]),
    ]
    for key, column in columns.items():
        values = [np.nan if _is_nothing(entry[key]) else float(entry[key]) for _, entry in entries]
        found.append((with_unit(key, file_unit(column.unit)), np.array(values, np.float64)))
    return found


def group_facts(table: GroupTable, chosen: ChosenGroups = ALL_GROUPS) -> list[dict[str, Any]]:
    """The name and the metrics of each group that has a measured job, None where there is none."""
    columns = [(name, quantity, table.column(name)) for name, quantity in chosen.columns(table).items()]
    places = {name: place for place, name in enumerate(table.names)}
    wanted = (
        [places[name] for name in chosen.groups if name in places] if chosen.groups else range(len(places))
    )
    return [
        {
            "name": table.names[group],
            "jobs": int(table.jobs[group]),
            **{
                name: None if isinstance(values, Missing) else _plain_number(quantity, values[group])
                for name, quantity, values in columns
            },
        }
        for group in wanted
        if table.active[group]
    ]


def _plain_number(quantity: Quantity, value: float) -> float | int:
    """A group's value; sums that are whole without a fraction."""
    whole = quantity.combine == "sum" and float(value).is_integer()
    return int(value) if whole else float(value)


def _is_nothing(value: float | None) -> bool:
    return value is None or math.isnan(value)


_FORMATS: dict[Unit, str] = {"%": ".1f", "% used": ".1f", "ratio": ",.2f", "s/processor-s": ",.3g"}
"""How numbers in text tables are written; others without decimals."""


def _heading(title: str, unit: Unit) -> str:
    return title if unit in ("ratio", "count") else f"{title}, {unit}"
