"""Which rows a table has: below several headers, in several files, with odd quotes and numbers of cells."""

import csv
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.logs.tables import rows as table_rows
from engine.logs.tables.rows import read_rows
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace.trace import Trace
from tests.engine.logs.lines import counts, where

FIRST = "id,submit,start,runtime,procs,user\n1,100,110,10,4,ann\n2,200,210,20,2,bob\n"
OTHER = "user;procs;start;submit;runtime;id\ncid;8;130;120;30;3\nann;1;240;220;40;4\n"


def folder(path: Path, **files: str | bytes) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows(trace: Trace) -> list[tuple[object, ...]]:
    users = [trace.user.names[code] for code in trace.user.codes.tolist()]
    columns = (trace.submit + trace.zero, trace.wait, trace.recorded_runtime, trace.procs)
    return list(zip(trace.job_id.tolist(), *(column.tolist() for column in columns), users, strict=True))


JOINED = [
    (1, 100, 10, 10, 4, "ann"),
    (3, 120, 10, 30, 8, "cid"),
    (2, 200, 10, 20, 2, "bob"),
    (4, 220, 20, 40, 1, "ann"),
]


def test_a_further_file_has_its_own_columns_in_its_own_order(tmp_path):
    logs = folder(tmp_path / "log", a=FIRST, b=OTHER)
    assert rows(read_trace(logs)) == JOINED
    assert rows(read_log_as(logs / "a", Reading(further=("b",))).trace) == JOINED
    assert rows(read_log_as(logs / "b", Reading(further=("a",))).trace) == JOINED
    note = next(note.text for note in read_trace(logs).notes if note.rule == "columns")
    assert note == (
        "the columns were taken for job_id: id, submit: submit, start: start, runtime: runtime, "
        "procs: procs, user: user"
    )


@pytest.mark.parametrize("block", [16, 1 << 16])
def test_a_header_may_stand_anywhere_in_a_file(tmp_path, monkeypatch, block):
    monkeypatch.setattr(table_rows, "FIRST_BLOCK", block)
    monkeypatch.setattr(table_rows, "BLOCK", block)
    text = FIRST + "# joined by hand\n\n" + OTHER + FIRST.replace("1,", "5,").replace("2,", "6,")
    (tmp_path / "t").write_text(text)
    trace = read_trace(tmp_path / "t")
    assert sorted(trace.job_id.tolist()) == [1, 2, 3, 4, 5, 6]
    assert [row for row in rows(trace) if row[0] < 5] == JOINED
    assert not {"unreadable_line", "unreadable_cell"} & set(counts(trace))


def test_fewer_and_further_columns_below_another_header(tmp_path):
    text = FIRST + "submit,runtime,cores,mem,queue\n300,5,1,1G,q\n# end\n"
    (tmp_path / "t").write_text(text)
    trace = read_trace(tmp_path / "t")
    assert rows(trace)[2] == (5, 300, -1, 5, 1, "")
    assert trace.ram.tolist() == [-1, -1, 1024]
    assert [trace.queue.names[code] for code in trace.queue.codes] == ["", "", "q"]
    note = next(note.text for note in trace.notes if note.rule == "columns")
    assert note.endswith("; those below 1 further header are others")


def test_a_file_without_a_header_goes_on(tmp_path):
    logs = folder(tmp_path / "log", a=FIRST, b="3,300,300,1,1,eve\n")
    assert rows(read_trace(logs))[2] == (3, 300, 0, 1, 1, "eve")


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (
            "colour,weight,shape\nred,5,round\n",
            "b:1: no column holds submit, procs, runtime of jobs; there are: colour",
        ),
        (
            "# later\nid,submit,start,user\n9,1,2,x\n",
            "b:2: no column holds procs, runtime of jobs; there are: id",
        ),
        (
            "id,submit,start,end,procs\n9,2024-01-01,2024-01-02,2024-01-03,1\n",
            "b:1: times are dates, and those of ",
        ),
    ],
)
def test_what_cannot_be_joined_names_the_file(tmp_path, second, says):
    logs = folder(tmp_path / "log", a=FIRST, b=second)
    for name, reading in ((logs, Reading()), (logs / "a", Reading(further=("b",)))):
        with pytest.raises(InputError) as caught:
            read_log_as(name, reading)
        assert str(caught.value).startswith(str(logs / says))


def test_a_mapping_is_one_of_all_files(tmp_path):
    columns = 'submit = "when"\nruntime = "long"\nprocs = "wide"\n'
    logs = folder(tmp_path / "log", a="when,long,wide\n1,10,2\n", b="wide,who,long,when\n4,x,20,2\n")
    trace = read_log_as(logs, Reading(columns=columns)).trace
    assert (trace.submit.tolist(), trace.runtime.tolist(), trace.procs.tolist()) == ([1, 2], [10, 20], [2, 4])
    (logs / "c").write_text("when,length,wide\n1,10,2\n")
    with pytest.raises(
        InputError, match=r"log/c:1: there is no column 'long' for runtime; there are: when, length"
    ):
        read_log_as(logs, Reading(columns=columns))


def write(path: Path, **table: object) -> Path:
    pq.write_table(pa.table(table), path)
    return path


def test_several_files_of_parquet_are_one_log(tmp_path):
    logs = folder(tmp_path / "log", _SUCCESS="")
    columns = {
        "id": [1, 2],
        "submit": [100, 200],
        "runtime": [10, 20],
        "procs": [4, 2],
        "user": ["ann", "bob"],
    }
    write(logs / "part-0.parquet", **columns)
    two = {
        "user": pa.array([b"cid"], pa.binary()),
        "cores": [8.0],
        "start": [130],
        "submit": [120],
        "end": [160],
    }
    write(logs / "part-1.parquet", **two)
    write(
        logs / "part-2.parquet", **{name: pa.array([], pa.int64()) for name in ("submit", "runtime", "procs")}
    )
    expected = [(1, 100, -1, 10, 4, "ann"), (3, 120, 10, 30, 8, "cid"), (2, 200, -1, 20, 2, "bob")]
    assert rows(read_trace(logs)) == expected
    further = Reading(further=("part-1.parquet",))
    assert rows(read_log_as(logs / "part-0.parquet", further).trace) == expected
    # What does not belong to the log is told by its file and the reason.
    write(logs / "part-3.parquet", submit=[1], colour=["red"])
    with pytest.raises(
        InputError, match=r"part-3.parquet: no column holds procs, runtime of jobs; there are: submit"
    ):
        read_trace(logs)
    write(
        logs / "part-3.parquet", submit=pa.array([1_700_000_000], pa.timestamp("s")), runtime=[1], procs=[1]
    )
    with pytest.raises(
        InputError, match=r"part-3.parquet: times are dates, and those of .*part-0.parquet seconds"
    ):
        read_trace(logs)
    (logs / "part-3.parquet").write_text("submit,runtime,procs\n1,2,3\n")
    with pytest.raises(
        InputError, match=r"part-3.parquet: this is no Parquet file, and .*part-0.parquet of the same"
    ):
        read_trace(logs)


def test_folders_of_parquet_in_parts_have_the_columns_in_their_names(tmp_path):
    for name, submit in (("year=2023/queue=gpu%20a", 1), ("year=2024/queue=cpu", 2)):
        (tmp_path / "log" / name).mkdir(parents=True)
        write(tmp_path / "log" / name / "part-0.parquet", submit=[submit], runtime=[5], procs=[1])
    (tmp_path / "log" / "_SUCCESS").touch()
    trace = read_trace(tmp_path / "log")
    assert trace.submit.tolist() == [1, 2]
    assert [trace.queue.names[code] for code in trace.queue.codes] == ["gpu a", "cpu"]


def test_rows_of_another_width_in_a_text_that_is_no_utf_8(tmp_path, capfd):
    (tmp_path / "t").write_bytes(b"submit,runtime,procs,user\n1,10,1,caf\xe9\n2,20,caf\xe8\n3,30,1,caf\xe8\n")
    trace = read_trace(tmp_path / "t")
    assert [row[5] for row in rows(trace)] == ["caf\\xe9", "caf\\xe8"]
    assert where(trace, "unreadable_line") == (1, (3,))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_breaks_of_all_systems(tmp_path, end):
    text = FIRST.replace("bob", '"bo\nb"').replace("\n", end)
    (tmp_path / "t").write_bytes(text.encode())
    trace = read_trace(tmp_path / "t")
    assert [row[:5] for row in rows(trace)] == [(1, 100, 10, 10, 4), (2, 200, 10, 20, 2)]
    assert rows(trace)[1][5].split() == ["bo", "b"]


def test_a_quote_within_a_cell_is_a_letter(tmp_path):
    (tmp_path / "t").write_text(
        'submit,runtime,procs,user\n1,10,2,5" disk\n2,20,1,"a, ""b"""\n3,30,1,it"s\n4,5,1,x\n'
    )
    trace = read_trace(tmp_path / "t")
    assert [row[1:] for row in rows(trace)] == [
        (1, -1, 10, 2, '5" disk'),
        (2, -1, 20, 1, 'a, "b"'),
        (3, -1, 30, 1, 'it"s'),
        (4, -1, 5, 1, "x"),
    ]


@pytest.mark.parametrize(
    ("text", "left", "broken"),
    [
        ('1,10,2,"x\n2,20,1,y\n3,30,1,"z"\n4,40,1,w\n', [4], (2, 3, 4)),
        ('1,10,2,x\n2,20,1,"y\n3,30,1,z\n', [1], (3, 4)),
        ('1,10,2,"x\n2,20,1,y\n3,30,1,z"\n4,40,1,w\n', [4], (2, 3, 4)),
    ],
)
def test_rows_behind_a_quote_that_does_not_end_are_counted(tmp_path, text, left, broken):
    (tmp_path / "t").write_text(f"submit,runtime,procs,user\n{text}")
    trace = read_trace(tmp_path / "t")
    assert (trace.submit + trace.zero).tolist() == left
    assert where(trace, "broken_line") == (len(broken), broken)


def test_rows_with_other_numbers_of_cells(tmp_path):
    text = "submit,runtime,procs\n1,10,1\n2,20\n3,30,1,,\n4,40,1,x\n\n5,50,1\n# six\n   \n"
    (tmp_path / "t").write_text(text)
    trace = read_trace(tmp_path / "t")
    assert trace.submit.tolist() == [1, 3, 5]
    assert where(trace, "unreadable_line") == (1, (3,))
    assert where(trace, "long_line") == (1, (5,))


def test_rows_that_all_end_with_a_delimiter(tmp_path):
    (tmp_path / "t").write_text("submit,runtime,procs\n1,10,1,\n2,20,1,\n")
    trace = read_trace(tmp_path / "t")
    assert (trace.submit.tolist(), trace.runtime.tolist()) == ([1, 2], [10, 20])
    assert "row_names" not in counts(trace)


def test_names_of_rows_as_r_writes_them(tmp_path):
    (tmp_path / "t").write_text('"submit","runtime","procs"\n"a",1,10,1\n"b",2,20,4\n')
    trace = read_trace(tmp_path / "t")
    assert (trace.submit.tolist(), trace.runtime.tolist(), trace.procs.tolist()) == ([1, 2], [10, 20], [1, 4])
    assert counts(trace)["row_names"] == 2


_CELL = st.text(st.sampled_from('ab1,;"\n\r\t #é'), max_size=4)


@given(
    st.lists(st.lists(_CELL, min_size=3, max_size=3), max_size=12),
    st.sampled_from(",;\t"),
    st.integers(40, 90),
)
def test_rows_that_are_written_are_read(written, delimiter, block):
    """What Python's csv writes comes back, whatever the size of blocks; the twin is Python's csv."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["user", "submit", "runtime", "procs"])
    writer.writerows([cells[0], "1", "2", "3"] for cells in written)
    text = np.frombuffer(file.getvalue().encode(), np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_rows, "FIRST_BLOCK", block)
        patch.setattr(table_rows, "BLOCK", block)
        (table,) = read_rows("t", text, None)
    users = [user for chunk in table.cells["user"] for user in chunk.to_pylist()]
    expected = [cells[0].replace("\r\n", "\n").encode() for cells in written]
    assert users == expected
    assert not table.short
    assert not table.long
    numbers = np.concatenate([*table.line, np.empty(0, np.int64)]).tolist()
    breaks = [0, *np.cumsum([1 + cells[0].count("\n") for cells in written]).tolist()]
    assert numbers == [2 + lines for lines in breaks[:-1]]
