import os
from pathlib import Path

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.schedule.schedule import NOT_RUN
from engine.schedule.write import write_swf
from engine.shown_text import escaped
from tests.engine.logs.lines import counts, line, write_log
from tests.traces import make_schedule, make_trace

LOG = (
    "; UnixStartTime: 843480031",
    "; TimeZoneString: Europe/Stockholm",
    "; MaxProcs: 100",
    line(job=3, submit=5, wait=7, runtime=50, walltime=60, procs=4, allocated=4, ram=1500, user=7, queue=2),
    line(
        job=9,
        submit=6,
        wait=0,
        runtime=10,
        procs=2,
        allocated=2,
        user=-1,
        preceding=3,
        think_time=8,
        status=0,
    ),
)


def test_a_log_and_its_schedule_written_and_read_again(tmp_path):
    trace = read_trace(write_log(tmp_path / "log.swf", *LOG))
    schedule = make_schedule(trace, [105, 6])
    write_swf(schedule, tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert again.wait.tolist() == [100, 0]
    for name in (
        "job_id",
        "submit",
        "runtime",
        "walltime",
        "procs",
        "ram",
        "status",
        "preceding",
        "think_time",
    ):
        assert np.array_equal(getattr(again, name), getattr(trace, name)), name
    for name in ("user", "group", "queue", "executable"):
        column, copy = getattr(trace, name), getattr(again, name)
        assert (copy.names, copy.codes.tolist()) == (column.names, column.codes.tolist()), name
    assert {k: v.tolist() for k, v in again.tasks.columns.items()} == {
        k: v.tolist() for k, v in trace.tasks.columns.items()
    }
    assert (again.zero, again.timezone, again.cluster) == (trace.zero, trace.timezone, trace.cluster)
    assert again.notes == trace.notes == ()


def test_jobs_that_were_not_run_are_cancelled_records(tmp_path):
    write_swf(make_schedule(make_trace([0, 1], [10, 10]), [4, NOT_RUN]), tmp_path / "out.swf")
    records = [text.split() for text in (tmp_path / "out.swf").read_text().splitlines() if text[0] != ";"]
    assert records[0][:11] == ["1", "0", "4", "10", "1", "-1", "-1", "1", "10", "-1", "1"]
    assert records[1][:11] == ["2", "1", "-1", "-1", "-1", "-1", "-1", "1", "10", "-1", "5"]
    again = read_trace(tmp_path / "out.swf")
    assert again.job_id.tolist() == [1]
    assert counts(again) == {"drop_no_runtime": 1}


def test_names_that_are_no_numbers_are_numbered_in_the_header(tmp_path):
    trace = make_trace([0, 1, 2], [1] * 3, user=["anna", "ben", "anna"], queue=["1", "7", "-1"])
    write_swf(make_schedule(trace, [0, 1, 2]), tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert again.header["User"] == "1 anna\n2 ben"
    assert [again.user.names[code] for code in again.user.codes] == ["1", "2", "1"]
    assert [again.queue.names[code] for code in again.queue.codes] == ["1", "7", "-1"]
    assert "Queue" not in again.header


@pytest.mark.parametrize("name", ["01", "1.5", "٣", "-", "9" * 40, "a\nb"])
def test_a_name_that_the_format_would_spell_otherwise_is_numbered(tmp_path, name):
    write_swf(make_schedule(make_trace([0], [1], user=[name]), [0]), tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert again.user.names == ("1",)
    assert again.header["User"] == f"1 {escaped(name)}"
    assert again.notes == ()


def test_job_ids_that_are_no_numbers_become_positions(tmp_path):
    log = make_trace([0, 1], [1, 1])
    texts = type(log)(**{**vars(log), "job_id": np.array(["12[1]", "12[2]"])})
    write_swf(make_schedule(texts, [0, 1]), tmp_path / "out.swf")
    assert read_trace(tmp_path / "out.swf").job_id.tolist() == [1, 2]


def test_the_machine_of_the_run_is_in_the_header(tmp_path):
    schedule = make_schedule(make_trace([0], [1]), [0], cluster=parse_cluster("4x8c16g"))
    write_swf(schedule, tmp_path / "out.swf")
    header = read_trace(tmp_path / "out.swf").header
    assert (header["MaxNodes"], header["MaxProcs"]) == ("4", "32")
    assert header["Conversion"] == "Batchscope, test under easy"


def test_a_long_schedule_is_written_whole(tmp_path):
    n = 25_000
    trace = make_trace(range(n), [5] * n)
    write_swf(make_schedule(trace, range(1, n + 1)), tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert np.array_equal(again.job_id, trace.job_id)
    assert (again.wait == 1).all()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.swf"
    path.write_text("old")
    broken = make_schedule(make_trace([0], [1], user=["a"]), [0])
    object.__setattr__(broken, "procs", None)
    with pytest.raises(TypeError):
        write_swf(broken, path)
    assert path.read_text() == "old"
    write_swf(make_schedule(make_trace([0], [1]), [0]), path)
    assert path.read_text().startswith("; Version: 2.2\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.swf"]


@pytest.mark.parametrize("target", ["missing/out.swf", "folder"])
def test_where_nothing_can_be_written(tmp_path, target):
    (tmp_path / "folder").mkdir()
    path = tmp_path / target
    with pytest.raises(OSError, match=r"directory|does not exist") as caught:
        write_swf(make_schedule(make_trace([0], [1]), [0]), path)
    assert caught.value.filename == str(path)
    assert [entry.name for entry in Path(tmp_path).iterdir()] == ["folder"]


def test_a_name_that_is_no_text_can_be_written(tmp_path):
    log = tmp_path / os.fsdecode(b"gr\xfcn.swf")
    log.write_bytes(b"; Note: \xff\n" + "\n".join(LOG).encode())
    trace = read_trace(log)
    write_swf(make_schedule(trace, [105, 6]), tmp_path / "out.swf")
    assert read_trace(tmp_path / "out.swf").header["Conversion"] == r"Batchscope, gr\udcfcn under easy"
