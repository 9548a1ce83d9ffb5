"""Rows of accounting by their fields: what is a job, what is a step, and what is kept of both."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.logs.sacct.rows import jobs_of, rows_of
from engine.logs.sacct.times import DateOrder
from engine.trace.names import Names


def texts(names: Names) -> list[str]:
    return [names.names[code] for code in names.codes]


def rows(*cells: tuple[str, str, str], line: int):
    """Rows of JobID, Submit and NCPUS, the first in this line."""
    ids, submit, cpus = (pa.array([cell[k].encode() for cell in cells], pa.binary()) for k in range(3))
    columns = {"JobID": ids, "Submit": submit, "NCPUS": cpus.dictionary_encode()}
    numbers = np.arange(line, line + len(cells))
    return rows_of(columns, numbers, 1.0)


def test_steps_are_kept_beside_their_jobs():
    noon = "2020-01-01T12:00:00"
    first = rows(("7", noon, "4"), ("7.batch", noon, "3"), ("8_1", "Unknown", "2"), line=2)
    second = rows(("7.0", noon, "1"), line=5)
    jobs = jobs_of([first, second], DateOrder(Path("log")))
    assert first.is_step.tolist() == [False, True, False]
    assert jobs.ids.to_pylist() == [b"7", b"8_1"]
    assert jobs.line.tolist() == [2, 4]
    assert jobs.time("Submit").tolist() == [1_577_880_000, -1]
    assert texts(jobs.text("NCPUS")) == ["4", "2"]
    assert jobs.steps is not None
    assert jobs.steps.ids.to_pylist() == [b"7.batch", b"7.0"]
    assert jobs.steps.row.tolist() == [1, 3]
    assert texts(jobs.steps.texts["NCPUS"]) == ["3", "1"]
    assert [(note.rule, note.count) for note in jobs.notes] == [("steps", 2)]


def test_no_rows_are_no_jobs():
    jobs = jobs_of([], DateOrder(Path("log")))
    assert (len(jobs), len(jobs.steps or ())) == (0, 0)


def test_a_block_without_any_text_in_a_column_is_joined_to_the_others():
    """As Arrow makes it of no texts: its dictionary has no type."""
    first = rows(("7", "2020-01-01T12:00:00", "4"), line=2)
    second = rows(("8", "2020-01-01T12:00:00", "2"), line=3)
    none = pa.DictionaryArray.from_arrays(pa.array([None], pa.int32()), pa.nulls(0))
    second.columns["NCPUS"] = none
    jobs = jobs_of([first, second], DateOrder(Path("log")))
    assert texts(jobs.text("NCPUS")) == ["4", ""]
