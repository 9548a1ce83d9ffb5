"""The first rows of tables, and what their columns may mean."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.logs.sample import table_sample
from engine.logs.tables.columns import ColumnMap, ColumnsError
from tests.engine.logs.lines import line, write_log

ODD = """# exported
When queued;Ran (min);Cores asked;Who;Weight
2024-01-02 10:00:00;60;4;ann;7
2024-01-02 10:05:00;90;8;bob;7
"""


@pytest.mark.parametrize("packed", [False, True])
def test_the_columns_of_a_table_are_guessed_by_the_words_in_their_names(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "odd"
    path.write_bytes(gzip.compress(ODD.encode()) if packed else ODD.encode())
    sample = table_sample(path)
    assert sample is not None
    assert sample.header == ("When queued", "Ran (min)", "Cores asked", "Who", "Weight")
    guess = sample.guess()
    assert guess.columns == {
        "submit": "When queued",
        "runtime": "Ran (min)",
        "procs": "Cores asked",
        "user": "Who",
    }
    assert guess.units == {"runtime": "min"}
    jobs = sample.jobs(guess)
    assert [(job.runtime, job.procs, job.user) for job in jobs] == [(3600, 4, "ann"), (5400, 8, "bob")]
    trace = read_trace(path, columns=guess)
    assert trace.runtime.tolist() == [3600, 5400]
    assert trace.submit.tolist() == [job.submit for job in jobs]


def test_a_column_whose_cells_do_not_fit_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("queued by,run,cpus\nann,fast,4\nbob,slow,8\n", "utf-8")
    sample = table_sample(tmp_path / "t")
    assert sample is not None
    assert sample.guess().columns == {"procs": "cpus"}


def test_usual_names_count_more_than_words_in_others(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("submitted by,submit,runtime,procs\nann,5,10,2\n", "utf-8")
    sample = table_sample(tmp_path / "t")
    assert sample is not None
    assert sample.guess().columns["submit"] == "submit"


def test_a_parquet_file_has_a_sample_too(tmp_path: Path) -> None:
    table = pa.table({"when queued": [3, 4], "cores": [1, 2], "hours run": [1, None]})
    pq.write_table(table, tmp_path / "t")
    sample = table_sample(tmp_path / "t")
    assert sample is not None
    assert [cells for _, cells in sample.rows] == [("3", "1", "1"), ("4", "2", "")]
    assert sample.key == "when_queued,cores,hours_run"
    assert sample.jobs(ColumnMap({"procs": "cores", "user": "gone"}))[1].procs == 2


def test_other_logs_are_no_tables(tmp_path: Path) -> None:
    assert table_sample(write_log(tmp_path / "log.swf", line(1))) is None
    (tmp_path / "a").write_text("04/01/2024 00:00:01;E;1.x;user=a\n", "utf-8")
    assert table_sample(tmp_path / "a") is None
    with pytest.raises(InputError, match="no such file"):
        table_sample(tmp_path / "gone")


def test_a_table_whose_columns_say_nothing_is_distinguished_from_what_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(ODD, "utf-8")
    with pytest.raises(ColumnsError, match="no column holds submit, procs, runtime of jobs; there are: When"):
        read_trace(tmp_path / "t")
    (tmp_path / "no").write_text("some words\nwithout sense\n", "utf-8")
    with pytest.raises(InputError, match="this is not a trace"):
        read_trace(tmp_path / "no")
