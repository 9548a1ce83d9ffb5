"""Damaged tables of jobs: texts, Parquet of any types, further files, mappings of columns, first rows."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.logs.sample import table_sample
from engine.logs.tables.columns import NAMES, ColumnMap, format_mapping, read_mapping
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from tests.fuzz import samples
from tests.fuzz.fuzzer import REFUSED
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of
from tests.fuzz.traces import look_at

_PEOPLE = (
    b"Submit;start;End;cores;walltime;mem_gb;State;User\n"
    b"31/01/2024 10:00;31/01/2024 10:05;31/01/2024 11:05;4;1 day, 0:00:00;1,5;COMPLETED;caf\xe9\n"
    b"01/02/2024 1:00 PM;01/02/2024 14:00;01/02/2024 15:00 CET;1.024;UNLIMITED;16;True;caf\xe8\n"
    b'"Feb 2, 2024 10:00 AM";1706868000;2024-02-02T12:00:00Z;2 cores;90 min;0,5;FAILED;"a\nb"\n'
)
_WIDE = b"procs,submit,runtime\n4,1706868000,60\nend,start,submit,cpu_milli,user\n9,8,7,4500,x\n"
TEXTS = (samples.TABLE, _PEOPLE, _WIDE)
"""Sound tables, and one whose rows are of two kinds."""

WORDS = (
    *(",", ";", "\t", "|", '"', "submit", "1-02:03:04", "2020-01-01", "1e999", "nan", "'", "\n\n", "#", "\r"),
    *("[units]", "=", "ms", "Queued at", "mem (GB)", "submit ms", "dates = 'mdy'\n", "decimal = ','\n"),
    *("13/01/2024", "1/13/24 10:00 PM", "1.2.2024", "20240131", "1706868000000", "1,024", "1.024,5", '""'),
    *("16G", "4Gc", "500m", "PT1H", "3 days 02:00:00", "UNLIMITED", "4294967295", "None", "0:9", "60 min"),
    *("submit,runtime,procs\n", "user;submit;cores;run_time\n", "2024-10-27 02:30:00", "10:00:00 CST"),
)
"""Words that are hostile in tables."""

_ZONES = ("", "", "Europe/Berlin", "America/St_Johns")


def try_table(chance: random.Random, folder: Path) -> str:
    """A table of jobs, maybe with a further file, and maybe a mapping of its columns; each may be damaged."""
    log, mapping = folder / "jobs", folder / "columns.toml"
    log.write_bytes(_table(chance))
    further = ()
    if chance.random() < 0.2:
        (folder / "more").write_bytes(_table(chance))
        further = ("more",)
    timezone = chance.choice(_ZONES)
    if chance.random() < 0.6:
        reading = Reading(further=further, timezone=timezone)
        return outcome_of(lambda: look_at(read_log_as(log, reading).trace), f"{folder}/")
    mapping.write_bytes(mutate(chance, [samples.MAPPING], WORDS))
    columns: list[ColumnMap] = []
    # A mapping that is refused is a case of its own; one that is read must survive being written.
    if outcome_of(lambda: columns.append(read_mapping(mapping)), str(mapping)) == REFUSED:
        return REFUSED
    path = folder / "again.toml"
    path.write_text(format_mapping(columns[0]), "utf-8", newline="\n")
    assert read_mapping(path) == columns[0]
    reading = Reading(further=further, timezone=timezone, columns=format_mapping(columns[0]))
    return outcome_of(lambda: look_at(read_log_as(log, reading).trace), f"{folder}/")


def try_sample(chance: random.Random, folder: Path) -> str:
    """The first rows of a damaged table, what its columns may mean, and its rows as jobs by that."""
    path = folder / "jobs"
    path.write_bytes(_table(chance))
    return outcome_of(lambda: _look_at_sample(path), str(path))


def _look_at_sample(path: Path) -> None:
    sample = table_sample(path)
    if sample is None:
        return
    assert all(len(cells) >= len(sample.header) for _, cells in sample.rows)
    guess = sample.guess()
    assert set(guess.columns.values()) <= set(sample.header)
    assert len(sample.jobs(guess)) == len(sample.rows)
    assert isinstance(sample.key, str)


def _table(chance: random.Random) -> bytes:
    """A table, mostly damaged."""
    data = _parquet(chance) if chance.random() < 0.3 else chance.choice(TEXTS)
    return mutate(chance, [data], WORDS) if chance.random() < 0.8 else data


def _parquet(chance: random.Random) -> bytes:
    """A Parquet file of three jobs whose columns have any types."""
    n = chance.choice((0, 1, 3, 3, 3))
    needed = ("submit", "runtime", "procs", *(("job_id",) if chance.random() < 0.5 else ()))
    others = chance.sample(sorted(set(NAMES) - set(needed)), chance.randrange(6))
    table = {}
    for role in (*needed, *others):
        make = chance.choice(_USUAL if role in needed and chance.random() < 0.6 else _COLUMNS)
        column = make(chance)[:n]
        table[chance.choice(NAMES[role])] = column if chance.random() < 0.8 else pa.nulls(n)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(table), sink, row_group_size=chance.choice((1, 2, 100)))
    return bytes(sink.getvalue())


def _numbers(chance: random.Random) -> list[int]:
    return [chance.choice((0, -1, 1, 7, 60, 1 << 31, (1 << 32) - 1, 1_700_000_000)) for _ in range(3)]


def _texts(chance: random.Random) -> list[str]:
    return [chance.choice((*WORDS, "7", "60", "")) for _ in range(3)]


_USUAL: Sequence[Callable[[random.Random], Any]] = (
    lambda chance: pa.array(_numbers(chance)),
    lambda chance: pa.array([float(number) for number in _numbers(chance)]),
    lambda chance: pa.array([str(number) for number in _numbers(chance)]),
)
_COLUMNS: Sequence[Callable[[random.Random], Any]] = (
    *_USUAL,
    lambda chance: pa.array(_texts(chance)),
    lambda chance: pa.array([text.encode() + b"\xff" for text in _texts(chance)], pa.binary()),
    lambda chance: pa.array(_texts(chance), pa.large_string()).dictionary_encode(),
    lambda chance: pa.array(_numbers(chance)).dictionary_encode(),
    lambda chance: pa.array([Decimal(number) for number in _numbers(chance)], pa.decimal128(20, 2)),
    lambda chance: pa.array(_numbers(chance)).cast(pa.timestamp(chance.choice(("s", "ms", "us", "ns")))),
    lambda chance: pa.array(_numbers(chance)).cast(pa.timestamp("s", chance.choice(("UTC", "Asia/Tokyo")))),
    lambda chance: pa.array([timedelta(seconds=abs(number) % 9999) for number in _numbers(chance)]),
    lambda chance: pa.array([1 << 62, -(1 << 62), None], pa.duration(chance.choice(("s", "ns")))),
    lambda chance: pa.array([0, 19_000, -5], pa.date32()),
    lambda chance: pa.array([0, 86_399, None], pa.time32("s")),
    lambda chance: pa.array([True, False, None]),
    lambda chance: pa.array([float("nan"), float("inf"), -float("inf")]),
    lambda chance: pa.array([[1, 2], [], None]),
    lambda chance: pa.array([["a"], ["b", "c"], None]),
    lambda chance: pa.array([{"set": True, "number": 6}] * 3),
    lambda chance: pa.array([b"abcd", b"efgh", None], pa.binary(4)),
    lambda chance: pa.array([1, 1 << 63, None], pa.uint64()),
    lambda chance: pa.nulls(3),
)
