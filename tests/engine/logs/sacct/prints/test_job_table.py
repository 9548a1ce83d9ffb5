"""slurmdbd's job table, as a database client, pandas or a spreadsheet writes it."""

from pathlib import Path

import pyarrow as pa
import pytest

from engine.logs.read import read_records
from engine.logs.sacct.prints.job_table import sacct_columns
from engine.trace.records import Records

NONE, INFINITE = 4_294_967_294, 4_294_967_295
NOON = 1_577_880_000
PER_CPU = 1 << 63

ROW: dict[str, object] = {
    "job_db_inx": 1,
    "mod_time": NOON,
    "deleted": 0,
    "account": "phys",
    "array_task_str": "NULL",
    "cpus_req": 4,
    "exit_code": 0,
    "job_name": "run",
    "id_array_job": 0,
    "id_array_task": NONE,
    "id_job": 12,
    "id_qos": 1,
    "id_user": 1001,
    "id_group": 100,
    "het_job_id": 0,
    "het_job_offset": NONE,
    "mem_req": 1000,
    "nodelist": "n[1-2]",
    "nodes_alloc": 2,
    "partition": "batch",
    "priority": 100,
    "state": 3,
    "timelimit": 60,
    "time_submit": NOON,
    "time_eligible": NOON,
    "time_start": NOON + 10,
    "time_end": NOON + 70,
    "time_suspended": 0,
    "tres_alloc": "1=4,2=2000,4=2,5=4",
    "tres_req": "1=4,2=2000,4=2",
}


def read(folder: Path, *rows: dict[str, object], delimiter: str = "\t") -> Records:
    """The records of rows as mysql prints them, between tabs."""
    lines = [ROW, *({**ROW, **row} for row in rows)]
    cells = [ROW.keys(), *(line.values() for line in lines[1:])]
    path = folder / "job_table.tsv"
    path.write_text("".join(delimiter.join(map(str, line)) + "\n" for line in cells))
    return read_records(path)


def spelled(records: Records, name: str) -> list[str]:
    names = getattr(records, name)
    return [names.names[code] for code in names.codes]


def notes(records: Records) -> dict[str, int]:
    return {note.rule: note.count for note in records.notes if note.count}


def test_a_row_is_a_job(tmp_path: Path) -> None:
    records = read(tmp_path, {}, {"id_job": 13, "state": 6, "timelimit": INFINITE, "nodelist": "n1"})
    assert records.job_id.tolist() == [12, 13]
    assert records.submit.tolist() == [NOON] * 2
    assert records.wait.tolist() == [10, 10]
    assert records.runtime.tolist() == [60, 60]
    assert records.walltime.tolist() == [3600, -1]
    assert records.procs.tolist() == [4, 4]
    assert records.ram.tolist() == [2000, 2000]
    assert records.status.tolist() == [1, 0]
    assert spelled(records, "user") == ["1001"] * 2
    assert spelled(records, "group") == ["phys"] * 2
    assert spelled(records, "queue") == ["batch"] * 2
    assert spelled(records, "executable") == ["run"] * 2
    assert records.wall_clock is None
    assert "time_zone" not in notes(records)
    assert notes(records)["sacct"] == 1


@pytest.mark.parametrize(
    ("row", "job_id"),
    [
        ({"id_array_job": 20, "id_array_task": 3}, "20_3"),
        ({"id_array_job": 20, "id_array_task": 0}, "20_0"),
        ({"id_array_job": 20, "array_task_str": "4-9%2"}, "20_[4-9%2]"),
        ({"id_array_job": 20, "array_task_str": "0xE"}, "20_[1-3]"),
        ({"id_job": 30, "het_job_id": 30, "het_job_offset": 0}, "30"),
    ],
)
def test_ids_are_those_that_sacct_prints(tmp_path: Path, row: dict[str, object], job_id: str) -> None:
    assert read(tmp_path, row).job_id.tolist() in ([job_id], [int(job_id)] if job_id.isdecimal() else [])


def test_parts_of_a_heterogeneous_job_are_one(tmp_path: Path) -> None:
    parts = ({"id_job": 30 + k, "het_job_id": 30, "het_job_offset": k, "nodelist": f"n{k}"} for k in (0, 1))
    records = read(tmp_path, *parts)
    assert records.job_id.tolist() == ["30"]
    assert records.procs.tolist() == [8]


@pytest.mark.parametrize(
    ("state", "status"),
    [(0, -1), (1, -1), (3, 1), (4, 5), (5, 0), (6, 0), (7, 0), (8, 0), (11, 0), (0x400, 5), ("COMPLETED", 1)],
)
def test_states_are_numbers(tmp_path: Path, state: object, status: int) -> None:
    assert read(tmp_path, {"state": state}).status.tolist() == [status]


def test_zero_is_no_start(tmp_path: Path) -> None:
    waits = {"time_start": 0, "time_end": 0, "state": 0, "tres_alloc": "", "nodelist": "None assigned"}
    gone = {**waits, "id_job": 13, "time_end": NOON + 99, "state": 4}
    later = {"id_job": 14, "time_eligible": INFINITE}
    records = read(tmp_path, waits, gone, later)
    assert records.wait.tolist() == [-1, -1, 10]
    assert records.runtime.tolist() == [-1, -1, 60]
    assert records.eligible is not None
    assert records.eligible.tolist()[2] == -1


@pytest.mark.parametrize(
    ("memory", "ram"),
    [
        (1000, 2000),  # of each of 2 nodes
        (PER_CPU + 500, 2000),  # of each of 4 CPUs
        (PER_CPU + 500 - (1 << 64), 2000),  # the same as a signed number
        ((1 << 31) + 500, 2000),  # of a database of old
        (0, -1),
        ((1 << 64) - 2, -1),
        (NONE, -1),
        ("9.223372036854777e+18", -1),
    ],
)
def test_memory_is_of_a_node_or_of_a_cpu(tmp_path: Path, memory: object, ram: int) -> None:
    row = {"mem_req": memory, "tres_alloc": "1=4,4=2", "tres_req": "1=4,4=2"}
    assert read(tmp_path, row).ram.tolist() == [ram]


def test_what_jobs_were_suspended_for_is_no_runtime(tmp_path: Path) -> None:
    records = read(tmp_path, {"time_suspended": 20}, {"id_job": 13, "time_suspended": NOON})
    assert records.runtime.tolist() == [40, 60]
    assert notes(records)["suspended"] == 1


def test_resources_that_the_table_does_not_name_are_noted(tmp_path: Path) -> None:
    records = read(tmp_path, {"tres_alloc": "1=4,2=2000,4=2,1001=2"}, {"id_job": 13})
    assert notes(records)["unnamed_resources"] == 1
    assert [note.lines for note in records.notes if note.rule == "unnamed_resources"] == [(2,)]


@pytest.mark.parametrize("prefix", ["job.", "t1."])
def test_names_may_have_their_table_in_front(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "jobs.csv"
    header = ";".join(f"{prefix}{name.upper()}" for name in ROW)
    path.write_text(f"{header}\n{';'.join(map(str, ROW.values()))}\n")
    assert read_records(path).runtime.tolist() == [60]


def test_null_is_nothing() -> None:
    def coded(*values: bytes) -> pa.Array:
        return pa.array(values, pa.binary()).dictionary_encode()

    found = sacct_columns({"JobID": pa.array([b"1", b"2.0"], pa.binary()), "Account": coded(b"NULL", b"a")})
    assert found["Account"].to_pylist() == [b"", b"a"]
    assert found["JobID"].to_pylist() == [b"1", b"2"]
