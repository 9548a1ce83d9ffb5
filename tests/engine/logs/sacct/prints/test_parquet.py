"""What sacct prints, and slurmdbd's job table, as Parquet files of pandas and databases."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.logs.read import read_records
from engine.logs.sample import dump_sample, table_sample
from engine.trace.records import Records
from engine.trace.wall_clock import in_zone

NOON = 1_577_880_000
BEGIN = datetime(2020, 1, 1, 12)


def write(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def job_columns(submit: object, start: object, end: object) -> dict[str, object]:
    """Two jobs and a step of the first."""
    return {
        "JobID": ["1", "1.batch", "2"],
        "User": ["ann", "", "bob"],
        "Submit": submit,
        "Start": start,
        "End": end,
        "State": ["COMPLETED", "COMPLETED", "CANCELLED by 7"],
        "NCPUS": pa.array([4, 3, None], pa.float64()),
        "ReqCPUS": [4, 3, 2],
        "Timelimit": ["1-00:00:00", None, "UNLIMITED"],
        "ReqMem": ["2G", None, "4000Mn"],
    }


def check(records: Records) -> None:
    assert records.job_id.tolist() == [1, 2]
    assert records.submit.tolist() == [NOON, NOON]
    assert records.wait.tolist() == [10, -1]
    assert records.runtime.tolist()[0] == 60
    assert records.procs.tolist() == [4, 2]
    assert records.walltime.tolist() == [86_400, -1]
    assert records.ram.tolist()[0] == 2048
    assert [records.user.names[code] for code in records.user.codes] == ["ann", "bob"]
    assert {note.rule: note.count for note in records.notes}["steps"] == 1


def moments(zone: object = None) -> list[list[datetime | None]]:
    """Submissions, starts and ends; the second job has no start."""
    begin = BEGIN.replace(tzinfo=zone)  # type: ignore[arg-type]
    ten, minute = timedelta(seconds=10), timedelta(seconds=70)
    return [[begin] * 3, [begin + ten, begin + ten, None], [begin + minute] * 3]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_without_a_zone_are_those_of_clocks(tmp_path: Path, unit: str) -> None:
    columns = [pa.array(values, pa.timestamp(unit)) for values in moments()]
    records = read_records(write(tmp_path / "jobs.parquet", **job_columns(*columns)))
    check(records)
    assert in_zone(records, "Europe/Paris").submit.tolist() == [NOON - 3600] * 2


def test_times_with_a_zone_are_absolute(tmp_path: Path) -> None:
    columns = [pa.array(values, pa.timestamp("us", "UTC")) for values in moments(UTC)]
    records = read_records(write(tmp_path / "jobs.parquet", **job_columns(*columns)))
    check(records)
    assert in_zone(records, "Europe/Paris").submit.tolist() == [NOON] * 2


def test_texts_and_seconds(tmp_path: Path) -> None:
    texts = [[moment.isoformat() if moment else "Unknown" for moment in column] for column in moments()]
    check(read_records(write(tmp_path / "a.parquet", **job_columns(*texts))))
    coded = [pa.array(column).dictionary_encode() for column in texts]
    check(read_records(write(tmp_path / "b.parquet", **job_columns(*coded))))
    seconds = [[NOON] * 3, [NOON + 10, NOON + 10, 0], [NOON + 70] * 3]
    check(read_records(write(tmp_path / "c.parquet", **job_columns(*seconds))))


def test_lengths_of_time_are_lengths(tmp_path: Path) -> None:
    columns = [pa.array(values, pa.timestamp("s")) for values in moments()]
    lengths = pa.array([timedelta(seconds=40), None, timedelta(0)], pa.duration("ns"))
    limits = pa.array([timedelta(hours=2), None, timedelta(days=1)], pa.duration("ns"))
    names = {**job_columns(*columns), "Elapsed": lengths, "Timelimit": limits}
    records = read_records(write(tmp_path / "jobs.parquet", **names))
    assert records.runtime.tolist()[0] == 40
    assert records.walltime.tolist() == [7200, 86_400]


def test_the_job_table(tmp_path: Path) -> None:
    path = write(
        tmp_path / "jobs.parquet",
        id_job=[12, 13],
        id_array_job=[0, 20],
        id_array_task=[4_294_967_294, 3],
        id_user=[1001, 1002],
        state=[3, 4],
        timelimit=[60, 4_294_967_295],
        cpus_req=[4, 2],
        time_submit=[NOON, NOON],
        time_start=[NOON + 10, 0],
        time_end=[NOON + 70, NOON + 80],
        tres_alloc=["1=4,2=2000,4=1", ""],
        mem_req=pa.array([1 << 63 | 500, 1000], pa.uint64()),
    )
    records = read_records(path)
    assert records.job_id.tolist() == ["12", "20_3"]
    assert records.wait.tolist() == [10, -1]
    assert records.status.tolist() == [1, 5]
    assert records.walltime.tolist() == [3600, -1]
    assert records.ram.tolist()[0] == 2000


def test_nobody_is_asked_for_the_columns_of_sacct(tmp_path: Path) -> None:
    """With named columns its steps would be jobs."""
    path = write(tmp_path / "jobs.parquet", **job_columns(*moments()))
    assert table_sample(path) is None
    assert dump_sample(path) is None
    columns = pa.table({"submit": [5], "runtime": [10], "procs": [4]})
    pq.write_table(columns, tmp_path / "table.parquet")
    assert table_sample(tmp_path / "table.parquet") is not None


def test_other_tables_stay_tables(tmp_path: Path) -> None:
    path = write(
        tmp_path / "jobs.parquet", job_id=[1], submit=[5], start=[10], end=[70], procs=[4], user=["ann"]
    )
    assert "columns" in {note.rule for note in read_records(path).notes}
