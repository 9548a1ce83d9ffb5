import pytest

from engine.logs.formats.swf import leading_number, parse_header
from engine.machine.cluster import Cluster
from tests.engine.logs.lines import counts, line, read_lines, text_of, where


def test_a_record_fills_every_column(tmp_path):
    trace = read_lines(
        tmp_path,
        "; MaxProcs: 100",
        "; UnixStartTime: 843480031",
        "7 100 20 300 8 299 1024 10 600 2048 5 12 13 14 15 16 6 60",
    )
    assert trace.job_id.tolist() == [7]
    assert trace.job_id.dtype == trace.submit.dtype == "int64"
    assert trace.submit.tolist() == [100]
    assert trace.wait.tolist() == [20]
    assert trace.runtime.tolist() == trace.recorded_runtime.tolist() == [300]
    assert trace.walltime.tolist() == [600]
    assert trace.procs.tolist() == [10]
    assert trace.recorded_procs.tolist() == [8]
    assert trace.ram.tolist() == [20]
    assert trace.status.tolist() == [5]
    assert (trace.user.names, trace.group.names) == (("12",), ("13",))
    assert (trace.executable.names, trace.queue.names) == (("14",), ("15",))
    assert trace.preceding.tolist() == [6]
    assert trace.think_time.tolist() == [60]
    assert {k: v.tolist() for k, v in trace.tasks.columns.items()} == {"count": [10], "cpus": [1], "ram": [2]}
    assert trace.tasks.offset.tolist() == [0, 1]
    assert trace.recorded_nodes is None
    assert trace.cluster == Cluster.pool(100)
    assert trace.notes == ()


def test_missing_values_stay_missing(tmp_path):
    trace = read_lines(tmp_path, line(wait=-1, user=-1, allocated=-1))
    assert trace.wait.tolist() == trace.ram.tolist() == [-1]
    assert trace.preceding.tolist() == trace.think_time.tolist() == [-1]
    assert trace.user.names == trace.queue.names == ("-1",)
    assert trace.tasks["ram"].tolist() == [0]
    assert trace.recorded_procs.tolist() == [1]


def test_processors_are_those_requested_else_those_allocated(tmp_path):
    trace = read_lines(tmp_path, line(procs=4, allocated=6), line(procs=-1, allocated=6))
    assert trace.procs.tolist() == [4, 6]
    assert trace.recorded_procs.tolist() == [6, 6]


@pytest.mark.parametrize(
    ("ram", "used", "procs", "share"),
    [(1024, 5000, 3, 1), (1025, -1, 3, 2), (-1, 2048, 3, 2), (0, 1, 3, 1), (-1, -1, 3, 0), (0.5, -1, 3, 1)],
)
def test_ram_is_requested_else_used_kilobytes_a_processor_rounded_up(tmp_path, ram, used, procs, share):
    trace = read_lines(tmp_path, line(ram=ram, used_ram=used, procs=procs))
    assert trace.tasks["ram"].tolist() == [share]
    assert trace.ram.tolist() == [share * procs or -1]


def test_absurd_ram_does_not_overflow(tmp_path):
    trace = read_lines(tmp_path, line(ram="9" * 15, procs=10**8))
    assert 0 < trace.ram[0] < 1 << 62


def test_fractional_times_round_and_are_counted(tmp_path):
    trace = read_lines(
        tmp_path,
        line(submit=1.9, wait=2.9, runtime=3.1, walltime=4.1),
        line(submit="2.0", runtime=3, cpu_time=2.5),
        line(submit=3, runtime=3.5),
    )
    assert trace.submit.tolist() == [1, 2, 3]
    assert trace.wait.tolist() == [2, 0, 0]
    assert trace.runtime.tolist() == [4, 3, 4]
    assert trace.walltime.tolist() == [5, 20, 20]
    assert where(trace, "fractional") == (2, (1, 3))


def test_identifiers_are_spelled_as_in_the_log(tmp_path):
    trace = read_lines(
        tmp_path, line(user=30, queue=0), line(user=-1, queue=7), line(user=10**12), line(user=2)
    )
    assert [trace.user.names[code] for code in trace.user.codes] == ["30", "-1", "1000000000000", "2"]
    assert [trace.queue.names[code] for code in trace.queue.codes] == ["0", "7", "-1", "-1"]
    assert trace.user.codes.dtype == "int32"


def test_dropped_jobs_leave_no_names_behind(tmp_path):
    trace = read_lines(
        tmp_path, line(user=1, runtime=0), line(user=2), line(user=3, runtime=-1), line(user=4)
    )
    assert trace.user.names == ("2", "4")
    assert trace.user.codes.tolist() == [0, 1]


def test_unreadable_lines_are_counted_with_their_numbers(tmp_path):
    trace = read_lines(tmp_path, "; Version: 2.2", line(), "1 2 x", "", line(), "12 13", *["?"] * 9)
    assert where(trace, "unreadable_line") == (11, (3, 6, 7, 8, 9))
    assert "field 3 is not a number" in text_of(trace, "unreadable_line")
    assert len(trace) == 2


def test_short_lines_are_read_and_counted(tmp_path):
    trace = read_lines(tmp_path, "1 0 0 10 1 -1 -1 1 20 -1 1", line())
    assert trace.user.names == ("-1", "1")
    assert where(trace, "short_line") == (1, (1,))


@pytest.mark.parametrize(
    "values",
    [
        {"submit": 1_400_000_000_000},
        {"runtime": 10**11},
        {"wait": 10**11},
        {"procs": 10**9},
    ],
)
def test_values_larger_than_any_log_are_left_out(tmp_path, values):
    trace = read_lines(tmp_path, line(), line(**values))
    assert len(trace) == 1
    assert where(trace, "too_large") == (1, (2,))


def test_a_limit_longer_than_any_log_is_none(tmp_path):
    trace = read_lines(tmp_path, line(), line(walltime=10**12))
    assert trace.walltime.tolist() == [20, 10]
    assert where(trace, "no_walltime") == (1, (2,))


def test_a_few_extra_columns_are_ignored_and_counted(tmp_path):
    trace = read_lines(tmp_path, line(), line("; a remark"), line())
    assert counts(trace)["extra_columns"] == 1


@pytest.mark.parametrize(
    ("header", "cpus"),
    [
        (["; MaxProcs: 64", "; MaxNodes: 32"], 64),
        (["; MaxNodes: 338 (batch partition; 512 total)"], 338),
        (["; MaxProcs: -1", "; MaxNodes: 32"], 32),
        (["; MaxProcs: unknown", "; MaxNodes: 32"], 32),
        ([";MaxProcs:16"], 16),
    ],
)
def test_the_machine_is_that_of_the_header(tmp_path, header, cpus):
    trace = read_lines(tmp_path, *header, line())
    assert trace.cluster == Cluster.pool(cpus)
    assert "machine_guessed" not in counts(trace)


def test_the_clock_of_the_log_is_kept(tmp_path):
    header = ("; UnixStartTime: 843480031", "; TimeZoneString: Europe/Stockholm")
    trace = read_lines(tmp_path, *header, line(submit=100))
    assert (trace.zero, trace.timezone, trace.submit[0]) == (843_480_031, "Europe/Stockholm", 100)


def test_submit_times_that_are_unix_times_have_zero_in_1970(tmp_path):
    trace = read_lines(tmp_path, "; UnixStartTime: 1356996147", line(submit=1_356_996_147))
    assert (trace.zero, trace.submit[0]) == (0, 1_356_996_147)


@pytest.mark.parametrize(
    "name", ["Middle/Earth", "../../etc/passwd", "/etc/passwd", "Europe", "CET;", "/".join(["e"] * 999)]
)
def test_an_unknown_time_zone_is_a_note(tmp_path, name):
    trace = read_lines(tmp_path, f"; TimeZoneString: {name}", line())
    assert trace.timezone == "UTC"
    assert counts(trace)["time_zone"] == 1


def test_headers_are_kept_wherever_they_are(tmp_path):
    trace = read_lines(
        tmp_path,
        "; Queue:  1 DSI",
        ";   free text",
        line(),
        "; Queue:  2 astro",
        ";    http://a.b/c",
        "; Note: x: y",
    )
    assert trace.header == {"Queue": "1 DSI\n2 astro", "Note": "x: y"}


def test_header_lines():
    assert parse_header([" MaxProcs: 100 ", "MaxNodes:50", " Queues: a; b", "", " no label"]) == {
        "MaxProcs": "100",
        "MaxNodes": "50",
        "Queues": "a; b",
    }


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("338 (batch partition; 512 total)", 338),
        (" -1", -1),
        ("", None),
        (None, None),
        ("x 5", None),
        ("9" * 20, None),
    ],
)
def test_numeric_header_fields_take_the_leading_integer(text, number):
    assert leading_number(text) == number
