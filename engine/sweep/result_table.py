"""The table of results that figures are composed of: runs with their parameters and measures.

It is read from what other commands wrote: the folder or the table of a study (`sweep -o`), the metrics of a
comparison (`compare -o`), or any table with a row for each run. Files are untrusted: their size is bounded,
and what is no number is a word.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.errors import InputError
from engine.input import read_text
from engine.metrics.metric_names import parse_metric
from engine.spelling import nearest
from engine.sweep.parameters import measure_of, numbers_of, ordered_values, parameter_of_metric

_LONGEST = 256 << 20
"""Bytes of a table of text."""

_MOST_ROWS = 5_000_000

JOINT = "+"
"""What joins the names of parameters whose values stand together."""

_NO_PARAMETERS = ("error", "seconds")
"""Columns of a study's table that tell how a run went."""


@dataclass(frozen=True)
class Observation:
    """A value of a measure, in its unit, the parameters of its run by name, and its row in the table."""

    at: Mapping[str, str]
    value: float
    row: int

    def value_of(self, names: Sequence[str]) -> str:
        """The values of these parameters, with commas between them; empty for those that it lacks."""
        return ", ".join(self.at.get(name, "") for name in names)


@dataclass(frozen=True, eq=False)
class ResultTable:
    """Rows of results: `words` has the parameters of each row, `measures` a value per row, NaN without one.

    A measure with a number in its name, such as `value:delta=5`, is one of a family: the family's name is the
    measure, the number a parameter. With `against` values are in % of the runs of this policy. `spellings`
    has the policy of each row where it is known. A row is a run, or what `counted` says.
    """

    source: str
    words: tuple[Mapping[str, str], ...]
    measures: Mapping[str, Floats]
    against: str = ""
    spellings: tuple[str, ...] = ()
    counted: str = "run"

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The measures by name, each with the columns that hold it."""
        families: dict[str, tuple[str, ...]] = {}
        for column in self.measures:
            name = measure_of(column)
            families[name] = (*families.get(name, ()), column)
        return families

    @cached_property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """The parameters, each with its values: numbers ascend, words come as in the table."""
        return self._parameters_of(self.measures)

    def parameters_of(self, measure: str) -> dict[str, tuple[str, ...]]:
        """The parameters that values of a measure have. Raises InputError for an unknown one."""
        self.check_measure(measure)
        return self._parameters_of(self.families[measure])

    def _parameters_of(self, columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
        values: dict[str, dict[str, None]] = {}
        for row in self.words:
            for name, text in row.items():
                values.setdefault(name, {})[text] = None
        for column in columns:
            for name, text in parameter_of_metric(column).items():
                values.setdefault(name, {})[text] = None
        return {name: ordered_values(name, tuple(texts)) for name, texts in values.items()}

    def parts_of(self, name: str) -> tuple[str, ...]:
        """The parameters that a name names: `rho+sigma` are two, whose values stand together.

        Raises InputError for unknown ones.
        """
        parts = (name,) if name in self.parameters else tuple(part.strip() for part in name.split(JOINT))
        for part in parts:
            self.check_parameter(part)
        return parts

    def observations(self, measure: str) -> list[Observation]:
        """The values of a measure with the parameters of their runs. Raises InputError for unknown names."""
        self.check_measure(measure)
        observations = []
        for column in self.families[measure]:
            number = parameter_of_metric(column)
            for row, value in enumerate(self.measures[column].tolist()):
                if math.isfinite(value):
                    observations.append(Observation({**self.words[row], **number}, value, row))
        return observations

    def check_measure(self, name: str) -> None:
        """Raise InputError, which names near measures, where the table has none of this name."""
        if name not in self.families:
            raise InputError(
                f"{self.source} has no measure {name!r}{nearest(name, self.families) or _list(self.families)}"
            )

    def check_parameter(self, name: str) -> None:
        """Raise InputError, which names near parameters, where the table has none of this name."""
        if name not in self.parameters:
            hint = nearest(name, self.parameters) or _list(self.parameters)
            raise InputError(f"{self.source} has no parameter {name!r}{hint}")


RESULTS = "results.parquet"
"""The table of all runs in the folder of a study's results."""


def read_results(path: Path) -> ResultTable:
    """The results in the folder of a study, or in a table of runs. Raises InputError, OSError."""
    file = path / RESULTS if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        raise InputError(f"{path}: this folder has no {RESULTS}, which `batchscope sweep -o` writes")
    reader = {".parquet": _parquet_columns, ".csv": _csv_columns, ".json": _json_columns}.get(file.suffix)
    if reader is None:
        raise InputError(f"{file}: results are a folder of a study, or a table .parquet, .csv or .json")
    columns = reader(file)
    if not columns or not next(iter(columns.values())):
        raise InputError(f"{file}: this table has no rows")
    if list(columns)[:2] == ["metric", "unit"]:
        columns = _turned(columns)
    return _table(path.name, columns)


def _table(source: str, columns: Mapping[str, Sequence[Any]]) -> ResultTable:
    """The table of these columns: metrics are measures, and other columns of numbers are both."""
    measures: dict[str, Floats] = {}
    names: list[str] = []
    for name, column in columns.items():
        numbers = _numbers(column)
        if numbers is not None and np.isfinite(numbers).any():
            measures[name] = numbers
        # A column of numbers may be a parameter as well as a measure: runs may be told apart by it.
        if name not in _NO_PARAMETERS and not (name in measures and _is_metric(name)):
            names.append(name)
    if not measures:
        raise InputError(f"{source}: no column of this table has numbers")
    texts = {name: [_text(value) for value in columns[name]] for name in names}
    rows = len(next(iter(columns.values())))
    return ResultTable(
        source, tuple({name: texts[name][row] for name in names} for row in range(rows)), measures
    )


def _is_metric(name: str) -> bool:
    try:
        parse_metric(name)
    except InputError:
        return False
    return True


def _numbers(column: Sequence[Any]) -> Floats | None:
    """The values as numbers, NaN where there is none; None where one of them is a word."""
    values = np.full(len(column), np.nan)
    for place, value in enumerate(column):
        if value is None or value == "":
            continue
        try:
            values[place] = float(value)
        except (TypeError, ValueError):
            return None
    return values


def _text(value: Any) -> str:
    """A value as a word: whole numbers without a fraction, whether they come as numbers or as text."""
    if isinstance(value, str):
        return re.sub(r"(?<=\d)\.0+", "", value) if re.fullmatch(r"-?\d+\.0+", value) else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value)


def _turned(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """A table of a comparison, which has a row for each metric, with a row for each run."""
    runs = [name for name in columns if name not in ("metric", "unit")]
    turned: dict[str, list[Any]] = {"run": list(runs)}
    for row, metric in enumerate(columns["metric"]):
        turned[str(metric)] = [columns[run][row] for run in runs]
    return turned


def _parquet_columns(file: Path) -> dict[str, list[Any]]:
    from pyarrow import ArrowException, parquet

    try:
        # `parquet.read_table` would import pandas, which takes longer than reading the rows of a study.
        with parquet.ParquetFile(file) as opened:
            # The number of rows is known before any is read.
            if (rows := opened.metadata.num_rows) > _MOST_ROWS:
                raise InputError(f"{file}: {rows:,} rows are more than {_MOST_ROWS:,}")
            read: dict[str, list[Any]] = opened.read().to_pydict()
    except ArrowException as error:
        raise InputError(f"{file}: {error}") from None
    return read


def _csv_columns(file: Path) -> dict[str, list[Any]]:
    try:
        rows = list(csv.reader(io.StringIO(read_text(file, _LONGEST))))
    except csv.Error as error:
        raise InputError(f"{file}: {error}") from None
    if not rows:
        return {}
    head, *body = rows
    if wrong := next((k for k, row in enumerate(body, 2) if len(row) != len(head)), None):
        raise InputError(f"{file}: line {wrong} has another number of fields than the first")
    return {name: [row[place] for row in body] for place, name in enumerate(head)}


def _json_columns(file: Path) -> dict[str, list[Any]]:
    """Rows of a list, or of `rows` in an object, as `figure --data` writes them."""
    try:
        read = json.loads(read_text(file, _LONGEST))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: {error}") from None
    rows = read.get("rows") if isinstance(read, dict) else read
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{file}: results are a list of objects, a run each")
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


@dataclass(frozen=True)
class Condition:
    """A condition on a parameter: one of `values`, or a number from `low` to `high`."""

    name: str
    values: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf


def parse_condition(text: str) -> Condition:
    """A condition spelled `NAME=a|b` or `NAME=low..high`. Raises InputError."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not name or not values:
        raise InputError(f"{text!r} is not a condition; spell it like delta=1|5 or theta=0.5..1")
    low, dots, high = values.partition("..")
    if dots:
        try:
            return Condition(name, low=float(low), high=float(high))
        except ValueError:
            raise InputError(f"{text!r}: {values} are not two numbers") from None
    return Condition(name, tuple(part.strip() for part in values.split("|")))


def chosen_rows(
    table: ResultTable, observations: Sequence[Observation], conditions: Sequence[Condition]
) -> list[Observation]:
    """The observations that meet all conditions. Raises InputError for unknown names and values."""
    for condition in conditions:
        table.check_parameter(condition.name)
        known = table.parameters[condition.name]
        if unknown := [value for value in condition.values if value not in known]:
            hint = nearest(unknown[0], known) or _list(known)
            raise InputError(f"{condition.name} has no value {unknown[0]!r}{hint}")
    kept = [observation for observation in observations if all(_meets(observation, c) for c in conditions)]
    if not kept:
        raise InputError("no run meets all conditions" if conditions else "no run has such a value")
    return kept


def _meets(observation: Observation, condition: Condition) -> bool:
    text = observation.at.get(condition.name)
    if text is None:
        return False
    if condition.values:
        return text in condition.values
    numbers = numbers_of(condition.name, (text,))
    return numbers is not None and condition.low <= numbers[0] <= condition.high


def in_percent_of(observations: Sequence[Observation], baseline: Condition) -> list[Observation]:
    """The observations in % of the run with the baseline's value and the same other parameters.

    Without such a run, or where its value is 0, an observation is left out. Raises InputError where no
    baseline is there at all, or several runs differ in nothing.
    """
    (value,) = baseline.values if len(baseline.values) == 1 else ("",)
    if not value:
        raise InputError(f"the baseline is a single value of {baseline.name}")
    # The baseline's run with the same other parameters, of which there must be exactly one, is the base.
    bases: dict[tuple[tuple[str, str], ...], float] = {}
    for observation in observations:
        if observation.at.get(baseline.name) == value:
            key = _others(observation, baseline.name)
            if key in bases:
                raise InputError(f"several runs have {baseline.name}={value} and the same other parameters")
            bases[key] = observation.value
    if not bases:
        raise InputError(f"no run has {baseline.name}={value}")
    values = []
    for observation in observations:
        base = bases.get(_others(observation, baseline.name))
        if base:  # none, or 0: nothing is a part of it
            values.append(replace(observation, value=100 * observation.value / base))
    return values


def _others(observation: Observation, name: str) -> tuple[tuple[str, str], ...]:
    """The parameters of an observation without that of the baseline, as a key."""
    return tuple(sorted((key, text) for key, text in observation.at.items() if key != name))


def _list(names: Sequence[str] | Mapping[str, Any]) -> str:
    """What there is, as the end of a sentence; a long list is cut."""
    shown = list(names)[:20]
    return f"; there are {', '.join(shown)}{', ...' if len(names) > len(shown) else ''}"
