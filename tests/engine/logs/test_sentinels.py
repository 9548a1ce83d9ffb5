"""Numbers that mean "no value", in every field of every format: as if the field were missing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.logs.text.clock_times import clock_time
from engine.logs.text.json_document import number_of, set_value, text_of
from engine.logs.text.lengths import seconds_of
from engine.logs.text.slurm_words import count_of, mebibytes_of
from engine.trace.sentinels import NO_VALUES, without_no_values
from engine.trace.trace import MISSING, Trace
from tests.engine.logs.lines import FIELDS, counts, line, read_lines
from tests.engine.logs.sacct import documents as sacct_json
from tests.engine.logs.sacct import dumps as sacct

NUMBERS = sorted(NO_VALUES - {1 << 64})


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_and_texts(number: int) -> None:
    assert number_of(number) == number_of(str(number)) == number_of(float(number)) == MISSING
    assert text_of(number) == ""
    assert text_of(set_value({"set": True, "number": number})) == ""
    assert count_of(str(number)) == MISSING
    assert mebibytes_of(f"{number}M") == mebibytes_of(f"{number}") == (0, "")
    assert seconds_of(str(number)) is seconds_of(str(number), alone=1) is None
    assert clock_time(str(number)) == (MISSING, False)


def test_their_neighbours_are_numbers() -> None:
    assert number_of(2**32 - 3) == 2**32 - 3
    assert text_of(2**32) == "4294967296"
    assert count_of("4294967293") == 2**32 - 3


def test_columns() -> None:
    values = np.array([1, 2**32 - 3, 2**32 - 2, 2**32 - 1, 2**32])
    assert without_no_values(values).tolist() == [1, 2**32 - 3, MISSING, MISSING, 2**32]
    assert without_no_values(np.array([1.5, 2.0**64, 2.0**32 - 1])).tolist() == [1.5, MISSING, MISSING]
    few = np.array([1, 2])
    assert without_no_values(few) is few


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("field", [name for name in FIELDS if name not in ("job", "submit")])
def test_each_field_of_the_standard_format(tmp_path: Path, field: str, number: int) -> None:
    """As submissions have a rule of their own; job numbers are names."""
    kept = ("; MaxProcs: 64", line(job=7))
    unset, missing = (
        read_lines(tmp_path, *kept, line(**{field: value}), clean=dict.fromkeys(("drop_no_runtime",), False))
        for value in (number, -1)
    )
    assert _contents(unset) == _contents(missing)
    assert counts(unset) == counts(missing)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "field", sorted({"AllocCPUS", "NCPUS", "NNodes", "ReqMem", "Timelimit", "Start", "End"} & {*sacct.FIELDS})
)
def test_fields_of_sacct(tmp_path: Path, field: str, number: int) -> None:
    unset, missing = (
        _read(tmp_path, "\n".join([sacct.HEADER, sacct.job(JobID=1), sacct.job(JobID=2, **{field: value})]))
        for value in (number, "")
    )
    assert _contents(unset) == _contents(missing)


@pytest.mark.parametrize("number", NUMBERS)
def test_fields_of_json(tmp_path: Path, number: int) -> None:
    def read(value: Any) -> Trace:
        odd = sacct_json.job(job_id=2, allocation_nodes=value, priority=value)
        odd["required"] = {"CPUs": value, "memory_per_cpu": value, "memory_per_node": value}
        odd["time"] |= {"eligible": value, "limit": value, "suspended": value}
        odd["tres"] = {"allocated": sacct_json.tres(("cpu", "", 4), ("mem", "", value)), "requested": []}
        odd["array"], odd["het"] = {"job_id": value, "task_id": value}, {"job_id": value, "job_offset": value}
        return _read(tmp_path, sacct_json.document(sacct_json.job(job_id=1), odd))

    assert _contents(read(number)) == _contents(read(None))


@pytest.mark.parametrize("number", NUMBERS)
def test_cells_of_tables_and_jobs_of_flux(tmp_path: Path, number: int) -> None:
    head = "job_id,submit,start,runtime,procs,walltime,ram,gpus"
    rows = ("1,1700000000,1700000005,60,4,100,5,0", "2,1700000001,{0},60,4,{0},{0},{0}")
    unset, missing = (
        _read(tmp_path, "\n".join([head, *(row.format(value) for row in rows)])) for value in (number, "")
    )
    assert _contents(unset) == _contents(missing)
    job = {"id": "f1", "t_submit": 1.7e9, "t_run": 1.7e9 + 5, "t_cleanup": 1.7e9 + 65, "ncores": 4}
    unset, missing = (
        _read(tmp_path, json.dumps({"jobs": [job, {**job, "id": "f2", **odd}]}))
        for odd in ({"duration": number, "nnodes": number, "ntasks": number}, {})
    )
    assert _contents(unset) == _contents(missing)


def _read(folder: Path, text: str) -> Trace:
    path = folder / "log.txt"
    path.write_text(text + "\n", encoding="utf-8")
    return read_trace(path)


def _contents(trace: Trace) -> list[list[object]]:
    columns = ("job_id", "submit", "wait", "runtime", "walltime", "procs", "recorded_procs", "ram", "status")
    names = (trace.user, trace.group, trace.queue, trace.executable)
    numbers = [getattr(trace, name).tolist() for name in (*columns, "preceding", "think_time")]
    return numbers + [[column.names[code] for code in column.codes] for column in names]
