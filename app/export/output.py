"""The output of commands: tables as CSV or Parquet, JSON, and text."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.atomic import replaceable, write_atomically
from engine.errors import InputError
from engine.input import first_bytes
from engine.metrics.metric import Metric
from engine.metrics.metric_names import parse_metric
from engine.quantities import QUANTITIES, Jobs, Unit
from engine.quantities.job_table import Table, added_table, column_of
from engine.shown_text import in_a_line

if TYPE_CHECKING:
    from engine.metrics.evaluation import Evaluation
    from engine.metrics.phase_metrics import Ranges
    from engine.schedule.schedule import Schedule

Summary = Mapping[str, float | int | None]
"""Values by metric name."""

BY_CHANCE = "≈"
"""The sign of changes that phases of a site's loops explain."""

EXPLAINED = f"{BY_CHANCE} inside what the phases of slurmctld's loops change"
"""What the sign says."""


_BEGINNINGS = {
    ".parquet": "PAR1",
    ".png": "\x89PNG",
    ".jpg": "\xff\xd8\xff",
    ".jpeg": "\xff\xd8\xff",
    ".pdf": "%PDF-",
    ".svg": r"<\?xml[^>]*>\s*<!DOCTYPE svg",
}
"""How files of these formats begin that this program writes, as regular expressions over Latin-1."""

SWF_BEGINS = r"; Version: 2\.2\n(; Computer: none, [^\n]*\n)?; Conversion: (made by )?Batchscope"
"""How this program's own logs begin."""

_LOOKED_AT = 4096
"""Bytes of an existing file that are looked at."""


def check_output(path: Path | None, *suffixes: str, begins: str = "", force: bool = False) -> None:
    """Check before the work whether its result can be written, so that no other file is lost.

    A file that is there already must begin as this command's own output, or be empty: as `begins` says, a
    regular expression, or as all files of its format do. With `force` it may hold anything. Raises InputError
    for a file of none of these suffixes, or with another content, OSError where it may not be replaced.
    """
    if path is None:
        return
    if path.suffix not in suffixes:
        known = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise InputError(f"{path}: cannot write this format; name it {known}")
    replaceable(path)
    if not force:
        keep_others(path, begins)


def keep_others(path: Path, begins: str = "") -> None:
    """Raise InputError for an existing file that begins otherwise than this program writes it.

    `begins`: as in `check_output`.
    """
    held = first_bytes(path, _LOOKED_AT)
    if path.suffix == ".gz" and held:
        with suppress(OSError, EOFError, zlib.error):  # else it begins as nothing does that is written here
            held = gzip.GzipFile(fileobj=BytesIO(held)).read1(_LOOKED_AT)
    own = _BEGINNINGS.get(path.suffix.lower(), begins)
    if held and (not own or re.match(own, held.decode("latin-1")) is None):
        raise InputError(
            f"{path}: this file was not written by this command, as its beginning shows; --force replaces it"
        )


_BLOCK, _AT_ONCE = 2000, 20
"""Rows that are made ready, and that are written: meanwhile a thread keeps the interpreter to itself, and the
window, which asks for it many times a frame, waits."""


CellWords = Callable[[str], str]
"""How a word is written into a cell of a CSV."""


def as_it_is(word: str) -> str:
    """The word itself, for programs: what they read is the same."""
    return word


def write_table(table: Table, path: Path, words: CellWords = as_it_is, *, own_name: bool = False) -> None:
    """Write Parquet if the suffix says so, otherwise CSV; missing and NaN are empty. Raises OSError.

    Parquet has all words as they are, a CSV as `words` writes them: `escaped` for people, and
    `spreadsheet_text` for spreadsheets (`engine.shown_text`). With `own_name` the program chose the name of
    the file, and a link in its place is refused.
    """
    if path.suffix == ".parquet":
        write_atomically(path, lambda part: _write_parquet(table, part), own_name=own_name)
    else:
        write_atomically(path, lambda part: _write_csv(table, part, words), own_name=own_name)


def with_added(table: Table, schedule: Schedule, **of_each: object) -> Table:
    """The rows of a table of a schedule's jobs, then one for each run of a job that the workload adds.

    `of_each` are cells that all of the latter have, by their columns.
    """
    rows = len(schedule.added)
    if not rows:
        return table
    # Ids of added jobs are texts, so all are: a column of a file has a single type.
    texts = {"job_id": lambda ids: np.array([str(name) for name in ids.tolist()], object)}
    own = [(name, texts[name](column) if name in texts else column) for name, column in table]
    same = [(name, np.array([cell] * rows)) for name, cell in of_each.items()]
    return stacked([own, [*added_table(schedule), *same]])


def stacked(tables: Sequence[Table]) -> Table:
    """The rows of several tables as a single table, in the order of the tables.

    It has every column that any table has. Rows of a table without such a column have a masked cell there.
    """
    kinds = {name: np.asarray(column).dtype for table in tables for name, column in table}
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in kinds}
    for table in tables:
        columns, rows = dict(table), len(table[0][1])
        for name, kind in kinds.items():
            # Runs differ in what is said of them: only a site's policy has an accuracy.
            parts[name].append(
                columns[name] if name in columns else np.ma.array(np.zeros(rows, kind), mask=True)
            )
    return [(name, _in_sequence(columns)) for name, columns in parts.items()]


def _in_sequence(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """One column with the cells of several columns in a row; masked cells stay masked."""
    cells = np.concatenate([np.ma.getdata(column) for column in columns])
    mask = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    return np.ma.array(cells, mask=mask)


class _Lines:
    """A file in which the rows of a CSV end with a line feed alone.

    For `csv` they end with a carriage return too, so that it quotes cells with either.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: str) -> int:
        """Write a row."""
        return self._file.write(f"{row[:-2]}\n")


def _write_csv(table: Table, path: Path, words: CellWords) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        write_rows(table, file, words)


def write_rows(table: Table, file: IO[str], words: CellWords = as_it_is) -> None:
    """Write the table as CSV into an open file."""
    rows = csv.writer(_Lines(file), lineterminator="\r\n")
    rows.writerow([words(name) for name, _ in table])
    for block in _blocks(table):
        lines = zip(*(_cells(column[block], words) for _, column in table), strict=True)
        for _ in range(block.start, block.stop, _AT_ONCE):
            rows.writerows(islice(lines, _AT_ONCE))


def _blocks(table: Table) -> Iterator[slice]:
    """The rows in parts: between two of them a thread that writes hands the interpreter on to the window."""
    rows = max((len(column) for _, column in table), default=0)
    return (slice(first, first + _BLOCK) for first in range(0, rows, _BLOCK))


def _cells(column: Any, words: CellWords) -> Iterable[Any]:
    """The cells of a part of a column, as `csv` writes them."""
    if not isinstance(column, np.ndarray):
        return _worded(column, words)
    cells: list[Any] = column.tolist()  # None where it is masked
    if column.dtype.kind == "f":
        return [None if cell != cell else cell for cell in cells]
    return cells if column.dtype.kind in "iub" else _worded(cells, words)


def _worded(cells: Iterable[Any], words: CellWords) -> Iterable[Any]:
    if words is as_it_is:
        return cells
    return (words(cell) if isinstance(cell, str) else cell for cell in cells)


def _write_parquet(table: Table, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    # Columns of Python's objects go block by block, so that memory is needed for a block alone.
    def arrow(column: Any) -> Any:
        if isinstance(column, np.ndarray) and column.dtype.kind != "O":
            return pa.array(column, from_pandas=True)
        kind = pa.infer_type(column[:1])
        return pa.chunked_array([pa.array(column[block], kind) for block in _blocks([("", column)])], kind)

    arrays = [arrow(column) for _, column in table]
    parquet.write_table(pa.Table.from_arrays(arrays, [name for name, _ in table]), path)


def eet_table(evaluation: Evaluation) -> Table:
    """One row per job: its expected and its real end, and by how much it missed."""
    schedule, violations = evaluation.schedule, evaluation.violations
    jobs = Jobs(schedule.trace, schedule, violations.tardiness)
    return [
        ("job_id", column_of(QUANTITIES["job"], jobs)),
        ("user", column_of(QUANTITIES["user"], jobs)),
        ("eet", np.ma.array(violations.eet, mask=~schedule.ran)),
        ("end", column_of(QUANTITIES["end"], jobs)),
        ("tardiness", column_of(QUANTITIES["tardiness"], jobs)),
    ]


def metrics_lines(
    summaries: Sequence[Summary], names: Sequence[str], baseline: int, ranges: Sequence[Ranges] = ()
) -> list[str]:
    """A text table: a line for each metric, a column for each run, and changes against the baseline in %.

    A metric that was not asked for by name and that no run has is left out. With the `ranges` of each run
    over phases of a site's loops, changes that these explain have a sign, which a line below explains.
    """
    from engine.metrics.catalog import METRICS
    from engine.metrics.metric_names import parse_metric

    rows = [["", *names]]
    for metric in map(parse_metric, summaries[baseline]):
        values = [summary[metric.name] for summary in summaries]
        # A metric that was asked for by name is shown even if no run has it.
        if metric.name in METRICS and all(value is None for value in values):
            continue
        changes = changes_of(metric.name, summaries, baseline, ranges)
        cells = [f"{metric.show(value)}{text}" for value, text in zip(values, changes, strict=True)]
        rows.append([f"{metric.label}{f', {metric.unit}' if metric.unit else ''}", *cells])
    by_chance = any(BY_CHANCE in cell for row in rows[1:] for cell in row[1:])
    return [*aligned(rows), *([EXPLAINED] if by_chance else [])]


def changes_of(
    name: str, summaries: Sequence[Summary], baseline: int, ranges: Sequence[Ranges] = ()
) -> list[str]:
    """The changes of a metric against the baseline in %, in brackets; empty where there is none.

    With the `ranges` of each run over phases of a site's loops, those that these explain have BY_CHANCE.
    """
    from engine.metrics.compare import change
    from engine.metrics.phase_metrics import is_explained

    base, texts = summaries[baseline][name], []
    for place, summary in enumerate(summaries):
        percent = None if place == baseline else change(summary[name], base)
        own, other = (ranges[each].get(name) if ranges else None for each in (place, baseline))
        sign = f"{BY_CHANCE} " if is_explained(summary[name], base, own, other) else ""
        texts.append("" if percent is None else f" ({sign}{percent:+,.1f} %)")
    return texts


def aligned(rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> list[str]:
    """The rows of a table as text: each row is a single line, even if a cell contains a line break.

    Columns are aligned right, except those whose indices are in `left`.
    """
    lines = [[in_a_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in lines
    ]


def write_metrics(summaries: Sequence[Summary], names: Sequence[str], path: Path) -> None:
    """A CSV as `metrics_table` has it. Raises OSError."""
    write_table(metrics_table(summaries, names), path)


def metrics_table(summaries: Sequence[Summary], names: Sequence[str]) -> Table:
    """Rows of a table: a metric, its unit, and its value in each run; a missing value is empty.

    Parts of a whole are in %, like all else that is in %.
    """
    metrics = [parse_metric(name) for name in (summaries[0] if summaries else ())]
    units = ["%" if metric.share else metric.unit for metric in metrics]
    runs = [[_in_percent(metric, summary[metric.name]) for metric in metrics] for summary in summaries]
    return [
        ("metric", [metric.name for metric in metrics]),
        ("unit", units),
        *zip(names, runs, strict=True),
    ]


def _in_percent(metric: Metric, value: float | int | None) -> float | int | None:
    return 100 * value if metric.share and value is not None else value


def with_unit(name: str, unit: str) -> str:
    """The heading of a column: its name, and its unit if it has one: `wait_mean (s)`."""
    return f"{name} ({unit})" if unit else name


_FILE_UNITS: dict[Unit, str] = {"count": "", "ratio": "", "name": "", "value": "", "time": "s", "% used": "%"}
"""The names of units in files, if they differ from the unit itself."""


def file_unit(unit: Unit) -> str:
    """The unit of a quantity as files have it; empty: it has none."""
    return _FILE_UNITS.get(unit, unit)


def print_json(document: Mapping[str, Any]) -> None:
    """Print a single JSON document on standard output; NaN and infinities become null."""
    print(json_lines(document))


def json_lines(document: Mapping[str, Any]) -> str:
    """A JSON document as it is printed."""
    return json.dumps(plain(document), indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """A value as JSON has it: no arrays, no numbers of numpy, no NaN."""
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
