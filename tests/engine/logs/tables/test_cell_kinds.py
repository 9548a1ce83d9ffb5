"""What cells of tables hold, in texts and in Parquet's types: dates, numbers, units, words, names."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.logs.tables.columns import ColumnsError
from engine.logs.tables.parquet import read_parquet_columns
from engine.logs.tables.unit_doubts import UnitsError
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace.trace import Trace
from tests.engine.logs.lines import counts

DAY = 86_400
NEW_YEAR = 1_704_067_200  # 2024-01-01 00:00:00 UTC


def read(path: Path, text: str | bytes, columns: str = "", timezone: str = "") -> Trace:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_log_as(path, Reading(columns=columns, timezone=timezone)).trace


def parquet(path: Path, timezone: str = "", columns: str = "", **table: Any) -> Trace:
    n = len(next(iter(table.values())))
    table = {"submit": [0] * n, "runtime": [60] * n, "procs": [1] * n} | table
    pq.write_table(pa.table(table), path)
    return read_log_as(path, Reading(timezone=timezone, columns=columns)).trace


def submits(trace: Trace) -> list[int]:
    return (trace.submit + trace.zero).tolist()


def names(trace: Trace, role: str = "user") -> list[str]:
    column = getattr(trace, role)
    return [column.names[code] for code in column.codes.tolist()]


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def odd(trace: Trace) -> list[str]:
    return [note.text for note in trace.notes if note.rule == "unreadable_cell"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("31/01/2024 10:00", "01/02/2024 10:00", ["2024-01-31 10:00", "2024-02-01 10:00"]),
        ("01/31/2024 10:00", "02/01/2024 10:00", ["2024-01-31 10:00", "2024-02-01 10:00"]),
        ("1/31/24 9:05 PM", "2/1/24 12:30 AM", ["2024-01-31 21:05", "2024-02-01 00:30"]),
        ("31-01-2024 10:00:30", "01-02-2024 10:00", ["2024-01-31 10:00:30", "2024-02-01 10:00"]),
        ("1.2.2024 10:00", "2.2.2024 10:00", ["2024-02-01 10:00", "2024-02-02 10:00"]),
        ("2024/1/5 9:05", "2024/1/5 10:00", ["2024-01-05 09:05", "2024-01-05 10:00"]),
        ("5 Jan 2024 10:00", "5 January 2024 11:00", ["2024-01-05 10:00", "2024-01-05 11:00"]),
        ("Jan 5, 2024 10:00 AM", "Jan 5, 2024 12:00 PM", ["2024-01-05 10:00", "2024-01-05 12:00"]),
        ("Fri Jan  5 10:00:00 2024", "Sat Jan  6 10:00:00 2024", ["2024-01-05 10:00", "2024-01-06 10:00"]),
        ("05-Jan-24 10:00:00", "05-JAN-24 10:00:01", ["2024-01-05 10:00", "2024-01-05 10:00:01"]),
        ("20240105100000", "20240105100001", ["2024-01-05 10:00", "2024-01-05 10:00:01"]),
        ("20240105", "20240106", ["2024-01-05", "2024-01-06"]),
        ("05/05/2024", "06/06/2024", ["2024-05-05", "2024-06-06"]),
    ],
)
@pytest.mark.parametrize("many", [1, 100])
def test_dates_as_people_write_them(tmp_path, first, second, expected, many):
    """Many of them are read in parts, few one by one."""
    rows = "".join(f'"{first}",1,1\n"{second}",1,1\n' for _ in range(many))
    more = "".join(f"2024-03-01 10:00:{k:02},1,1\n" for k in range(60)) if many > 1 else ""
    trace = read(tmp_path / "t.csv", f"submit,runtime,procs\n{rows}", timezone="")
    assert submits(trace) == sorted([seconds(text) for text in expected] * many)
    assert counts(trace)["time_zone"] == 1
    if more and first.isdigit():
        return
    assert len(read(tmp_path / "m.csv", f"submit,runtime,procs\n{rows}{more}")) == 2 * many + (
        60 if more else 0
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-05 10:00:00 UTC", "2024-01-05 10:00"),
        ("2024-01-05 10:00:00 CET", "2024-01-05 09:00"),
        ("2024-01-05 10:00:00+0100", "2024-01-05 09:00"),
        ("2024-01-05T10:00:00.5-07", "2024-01-05 17:00"),
        ("Fri, 05 Jan 2024 10:00:00 GMT", "2024-01-05 10:00"),
        ("Fri Jan  5 10:00:00 EST 2024", "2024-01-05 15:00"),
        ("2024-01-05T10:00:00+01:00[Europe/Berlin]", "2024-01-05 09:00"),
    ],
)
def test_dates_that_name_their_zone_are_not_shifted(tmp_path, text, expected):
    trace = read(tmp_path / "t.csv", f'submit,runtime,procs\n"{text}",1,1\n', timezone="America/Denver")
    assert submits(trace) == [seconds(expected)]


def test_the_order_of_days_and_months_is_that_of_all_moments_and_files(tmp_path):
    text = "submit,start,end,procs\n01/02/2024 10:00,01/02/2024 10:05,02/02/2024 10:05,1\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text(
        "end,procs,start,submit\n03/02/2024 11:00,1,31/01/2024 11:00,31/01/2024 10:00\n"
    )
    trace = read_log_as(tmp_path / "a.csv", Reading(further=("b.csv",))).trace
    assert submits(trace) == [seconds("2024-01-31 10:00"), seconds("2024-02-01 10:00")]
    with pytest.raises(ColumnsError, match=r"a.csv:1: dates of 'submit' like '01/02/2024' do not show"):
        read_log_as(tmp_path / "a.csv", Reading())


def test_days_and_months_that_contradict_each_other_are_asked_for(tmp_path):
    text = "submit,runtime,procs\n31/01/2024,1,1\n01/31/2024,1,1\n"
    with pytest.raises(ColumnsError, match="different orders, as 01/31/2024 and 31/01/2024; say"):
        read(tmp_path / "t.csv", text)
    trace = read(tmp_path / "t.csv", text, columns='dates = "mdy"')
    assert submits(trace) == [seconds("2024-01-31")]
    assert odd(trace) == ["cells of 'submit' that cannot be read, as '31/01/2024': each counts as missing"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("submit;runtime;procs\n0;100,5;1\n10,25;1.024,5;1\n", [101, 1025]),
        ("submit;runtime;procs\n0;1,024;1\n1;3.5;1\n", [1024, 4]),
        ("submit;runtime;procs\n0;1,024,000;1\n1;1,024;1\n", [1_024_000, 1024]),
        ("submit;runtime;procs\n0;0,125;1\n1;1,024;1\n", [1, 2]),
        ('submit,runtime,procs\n0,"1,024",1\n1,"100",1\n', [1024, 100]),
        ('submit,runtime,procs\n0,"100,5",1\n1,"1,024",1\n', [101, 2]),
        ("submit;runtime;procs\n0;10 000;1\n1;1'024;1\n", [10_000, 1024]),
        ("submit\truntime\tprocs\n0\t1e3\t1\n1\t2,5 h\t1\n", [1000, 9000]),
    ],
)
def test_decimals_and_thousands(tmp_path, text, expected):
    assert read(tmp_path / "t.csv", text).recorded_runtime.tolist() == expected


def test_a_comma_that_may_be_either_is_asked_for(tmp_path):
    text = "submit;runtime;procs\n0;1,024;1\n"
    with pytest.raises(
        ColumnsError, match="'1,024' in 'runtime' may have either mark of decimals and thousands"
    ):
        read(tmp_path / "t.csv", text)
    assert read(tmp_path / "t.csv", text, columns='decimal = ","').recorded_runtime.tolist() == [2]
    assert read(tmp_path / "t.csv", text, columns='decimal = "."').recorded_runtime.tolist() == [1024]
    with pytest.raises(ColumnsError, match="have different marks of decimals"):
        read(tmp_path / "t.csv", "submit;runtime;walltime;procs\n0;100,5;1,024.5;1\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("1-02:03:04", 93_784), ("1 day, 0:00:00", 86_400), ("3 days 02:00:00", 266_400), ("60 min", 3600)),
        *(("1h", 3600), ("1h 30m", 5400), ("2 hours and 5 minutes", 7500), ("PT1H30M", 5400), ("90 s", 90)),
        *(("1.5 h", 5400), ("0 days 00:01:00.5", 61), ("2d", 172_800), ("00:10:00", 600), ("1500 ms", 2)),
    ],
)
def test_lengths_with_units(tmp_path, text, expected):
    trace = read(tmp_path / "t.csv", f'submit,runtime,walltime,procs\n0,"{text}","{text}",1\n')
    assert (trace.recorded_runtime.tolist(), trace.walltime.tolist()) == ([expected], [expected])
    in_minutes = 'submit = "submit"\nruntime = "runtime"\nprocs = "procs"\n[units]\nruntime = "min"\n'
    assert (
        read(tmp_path / "t.csv", f'submit,runtime,procs\n0,"{text}",1\n', in_minutes).runtime[0] == expected
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            ("16G", 16_384),
            ("16384 MB", 16_384),
            ("16GiB", 16_384),
            ("1e3", 1000),
            ("1.5", 2),
            ("1 TB", 1 << 20),
        ),
        *(
            ("524288K", 512),
            ("1073741824 B", 1024),
            ("1073741824 bytes", 1024),
            ("2000Mc", 8000),
            ("4Gn", 8192),
        ),
        *(("2 gib", 2048), ("unlimited", -1), ("", -1), ("0", -1)),
    ],
)
def test_amounts_of_memory(tmp_path, text, expected):
    trace = read(tmp_path / "t.csv", f"submit,runtime,procs,nodes,mem\n0,1,4,2,{text}\n")
    assert trace.ram.tolist() == [expected]


@pytest.mark.parametrize(
    ("header", "text", "expected"),
    [
        *(("procs", "4 cores", 4), ("procs", " 4 ", 4), ("procs", "1e2", 100), ("procs", "2.5", 3)),
        *(("procs", "4000m", 4), ("cpu_milli", "4500", 5), ("CPU (milli)", "500", 1), ("procs", "0.1", 1)),
        *(("numCpus", "7", 7), ("procs", "3.0000000001", 3)),
    ],
)
def test_counts_of_processors(tmp_path, header, text, expected):
    trace = read(tmp_path / "t.csv", f"submit,runtime,{header}\n0,1,{text}\n")
    assert trace.procs.tolist() == [expected]


def test_units_of_processors_may_be_named(tmp_path):
    columns = (
        'submit = "t"\nruntime = "r"\nprocs = "c"\ngpus = "g"\n[units]\nprocs = "percent"\ngpus = "milli"\n'
    )
    trace = read(tmp_path / "t.csv", "t,r,c,g\n0,1,250,1500\n", columns)
    assert (trace.procs.tolist(), trace.gpus.tolist()) == ([3], [2])
    assert [note.text for note in trace.notes if note.rule == "parts"] == [
        "fractions in 'c' were rounded up to whole ones",
        "fractions in 'g' were rounded up to whole ones",
    ]


def test_columns_with_their_units_in_their_names(tmp_path):
    trace = read(tmp_path / "t.csv", "Submit (ms),runtime_min,walltime_h,mem_gb,cpus\n5000,2,3,4,1\n")
    assert (submits(trace), trace.runtime.tolist(), trace.walltime.tolist()) == ([5], [120], [10_800])
    assert trace.ram.tolist() == [4096]


@pytest.mark.parametrize(
    "limit",
    [
        *(
            "UNLIMITED",
            "infinite",
            "inf",
            "1e400",
            "Partition_Limit",
            "4294967295",
            "4294967294",
            "NaN",
            "-1",
        ),
        *("9223372036854775807", "2147483647", "99999999999", "", "n/a", "null", "None", "9999999-00:00:00"),
    ],
)
def test_an_infinite_or_absent_limit_drops_no_job(tmp_path, limit):
    trace = read(tmp_path / "t.csv", f"submit,runtime,procs,walltime\n0,60,1,{limit}\n1,60,1,90\n")
    assert trace.walltime.tolist() == [60, 90]
    assert "too_large" not in counts(trace)
    for kind in (pa.float64(), pa.string()):
        if kind == pa.float64() and not limit.lower().lstrip("-").replace("e", "").isdigit():
            continue
        column = pa.array([limit, "90"]).cast(kind)
        assert parquet(tmp_path / "t", walltime=column).walltime.tolist() == [60, 90]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["COMPLETED", "FAILED", "CANCELLED by 7", "RUNNING"], [1, 0, 5, -1]),
        (["True", "False", "TRUE", "no"], [1, 0, 1, 0]),
        (["success", "error", "killed", "Timed out"], [1, 0, 5, 0]),
        (["1", "0", "5", "-1"], [1, 0, 5, -1]),
        (["TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PENDING"], [0, 0, 0, -1]),
    ],
)
def test_how_jobs_ended_in_words(tmp_path, words, expected):
    rows = "".join(f"{k},60,1,{word}\n" for k, word in enumerate(words))
    assert read(tmp_path / "t.csv", f"submit,runtime,procs,status\n{rows}").status.tolist() == expected
    assert parquet(tmp_path / "t", status=words).status.tolist() == expected


def test_exit_codes_are_no_statuses(tmp_path):
    columns = 'submit = "submit"\nruntime = "runtime"\nprocs = "procs"\nstatus = "EXIT_STATUS"\n'
    text = "submit,runtime,procs,EXIT_STATUS\n0,1,1,0\n1,1,1,143\n2,1,1,0:0\n3,1,1,0:9\n4,1,1,-11\n5,1,1,\n"
    assert read(tmp_path / "t.csv", text, columns).status.tolist() == [1, 0, 1, 0, 0, -1]


def test_a_note_names_the_column_and_the_first_bad_text(tmp_path):
    text = "submit,Run Time,procs,mem,state\n0,soon,1,5 apples,odd\n1,60,1,6 pears,COMPLETED\n2,60,x,,\n"
    trace = read(tmp_path / "t.csv", text)
    assert [note.lines for note in trace.notes if note.rule == "unreadable_cell"] == [
        (2,),
        (4,),
        (2, 3),
        (2,),
    ]
    assert odd(trace) == [
        f"cells of {name!r} that cannot be read, as {text!r}: each counts as missing"
        for name, text in (("Run Time", "soon"), ("procs", "x"), ("mem", "5 apples"), ("state", "odd"))
    ]
    with pytest.raises(InputError, match=r"no usable job .* cells of 'procs' that cannot be read, as 'many'"):
        read(tmp_path / "t.csv", "submit,runtime,procs\n0,1,many\n")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_names_that_are_no_utf_8(tmp_path, kind):
    users = [b"caf\xe9", b"caf\xe8", b"caf\xe9", "caf\u00e9".encode(), b"  ann ", b"ann"]
    if kind == "csv":
        rows = b"".join(b"%d,1,1,%s\n" % (k, user) for k, user in enumerate(users))
        trace = read(tmp_path / "t.csv", b"submit,runtime,procs,user\n" + rows)
    else:
        trace = parquet(tmp_path / "t", submit=range(6), user=pa.array(users, pa.binary()))
    assert names(trace) == ["caf\\xe9", "caf\\xe8", "caf\\xe9", "caf\u00e9", "ann", "ann"]
    chosen = read_log_as(tmp_path / ("t.csv" if kind == "csv" else "t"), Reading(users="caf\\xe9")).trace
    assert chosen.submit.tolist() == [0, 2]


def test_elapsed_wins_over_end_less_start(tmp_path):
    text = "submit,start,end,runtime,procs\n" + "".join(
        f"2024-01-01 10:00:00,2024-01-01 10:00:00,2024-01-01 11:00:00,{runtime},1\n"
        for runtime in ("1800", "", "3600")
    )
    trace = read(tmp_path / "t.csv", text)
    assert trace.recorded_runtime.tolist() == [1800, 3600, 3600]
    (note,) = (note for note in trace.notes if note.rule == "elapsed")
    assert (note.count, note.lines) == (1, (2,))


@pytest.mark.parametrize("none", ["0", "-1", "", "None", "NaT", "1970-01-01 00:00:00", "4294967295"])
def test_what_stands_for_no_start_is_none(tmp_path, none):
    text = f"submit,start,end,runtime,procs\n1700000000,{none},1700000100,50,1\n1700000000,1700000010,,50,1\n"
    trace = read(tmp_path / "t.csv", text)
    assert trace.wait.tolist() == [-1, 10]
    assert trace.recorded_runtime.tolist() == [50, 50]


def test_a_log_whose_zero_is_its_own_may_start_at_zero(tmp_path):
    trace = read(tmp_path / "t.csv", "submit,start,end,procs\n0,0,10,1\n5,7,9,1\n")
    assert (trace.wait.tolist(), trace.recorded_runtime.tolist()) == ([0, 2], [10, 2])
    assert "time_zone" not in counts(trace)


@pytest.mark.parametrize(
    ("scale", "kind"), [(10**3, "milliseconds"), (10**6, "microseconds"), (10**9, "nanoseconds")]
)
def test_moments_in_fractions_of_seconds(tmp_path, scale, kind):
    text = (
        f"submit,start,end,procs\n{NEW_YEAR * scale},{(NEW_YEAR + 5) * scale},{(NEW_YEAR + 65) * scale},1\n"
    )
    trace = read(tmp_path / "t.csv", text, timezone="Asia/Tokyo")
    assert (submits(trace), trace.wait.tolist(), trace.recorded_runtime.tolist()) == ([NEW_YEAR], [5], [60])
    assert f"numbers in 'submit' were taken for {kind} since 1970" in {note.text for note in trace.notes}


MOMENT = datetime(2024, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_timestamps_of_parquet(tmp_path, unit, zone):
    moment = MOMENT if zone else MOMENT.replace(tzinfo=None)
    column = pa.array([moment, None], pa.timestamp(unit, zone))
    length = pa.array([timedelta(minutes=1)] * 2, pa.duration(unit))
    shifted = parquet(tmp_path / "t", timezone="America/Denver", submit=column, runtime=length)
    assert submits(shifted) == [int(MOMENT.timestamp()) + (0 if zone else 6 * 3600)]
    assert shifted.recorded_runtime.tolist() == [60]
    assert submits(parquet(tmp_path / "t", submit=column)) == [int(MOMENT.timestamp())]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([timedelta(days=1, seconds=1), timedelta(0, 1, 500_000)], pa.duration("us")), [86_401, 2]),
        (pa.array([Decimal("60.00"), Decimal("1.25")], pa.decimal128(10, 2)), [60, 2]),
        (pa.array([60, 7], pa.time32("s")), [60, 7]),
        (pa.array([60_000_000_000, 7_000_000_000], pa.time64("ns")), [60, 7]),
        (pa.array([60.0, 6.5], pa.float32()), [60, 7]),
        (pa.array([60, 7], pa.uint16()), [60, 7]),
        (pa.array(["60", "1 day, 0:00:01"], pa.large_string()), [60, 86_401]),
        (pa.array([b"60", b"00:00:07"], pa.binary()), [60, 7]),
        (pa.array(["60 s", "7"]).dictionary_encode(), [60, 7]),
        (pa.array([60, 7]).dictionary_encode(), [60, 7]),
        (pa.array([60, 7], pa.int64()).cast(pa.decimal128(38, 0)), [60, 7]),
    ],
)
def test_lengths_in_the_types_of_parquet(tmp_path, column, expected):
    assert parquet(tmp_path / "t", submit=[0, 1], runtime=column).recorded_runtime.tolist() == expected
    rows = parquet(tmp_path / "t", submit=[0, 1], runtime=[1, 1], walltime=column)
    assert rows.walltime.tolist() == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array(["x", None]), ["x", ""]),
        (pa.array([b"x", b"\xff"], pa.binary()), ["x", "\\xff"]),
        (pa.array([b"xx", b"yy"], pa.binary(2)), ["xx", "yy"]),
        (pa.array(["x", "x"], pa.large_string()), ["x", "x"]),
        (pa.array(["x", None]).dictionary_encode(), ["x", ""]),
        (pa.array([12, None]), ["12", ""]),
        (pa.array([12.0, float("nan")]), ["12", ""]),
        (pa.array([Decimal("12"), Decimal("1.5")]), ["12", "1.5"]),
        (pa.array([["x", "y"], []]), ["x", ""]),
        (pa.array([True, False]), ["True", "False"]),
        (pa.nulls(2), ["", ""]),
    ],
)
def test_names_in_the_types_of_parquet(tmp_path, column, expected):
    trace = parquet(tmp_path / "t", submit=[0, 1], user=column, job_name=column)
    assert names(trace) == expected
    assert names(trace, "executable") == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([7, 8]), [7, 8]),
        (pa.array([7.0, 8.0]), [7, 8]),
        (pa.array(["7", "8_1"]), ["7", "8_1"]),
        (pa.array([b"7", b"8"], pa.binary()), [7, 8]),
        (pa.array(["7", None]).dictionary_encode(), [7, 2]),
        (pa.array([Decimal("7"), Decimal("8")]), [7, 8]),
    ],
)
def test_ids_in_the_types_of_parquet(tmp_path, column, expected):
    assert parquet(tmp_path / "t", submit=[0, 1], job_id=column).job_id.tolist() == expected


def test_other_kinds_of_parquet(tmp_path):
    trace = parquet(
        tmp_path / "t",
        submit=pa.array([date_of(1), date_of(2), date_of(3)], pa.date32()),
        procs=[4, 4, 4],
        nodes=[["a", "b"], ["a"], None],
        success=[True, False, None],
        gpus=pa.array([Decimal("1.00"), None, Decimal("0")]),
        wait=[{"a": 1}] * 3,
    )
    assert submits(trace) == [NEW_YEAR, NEW_YEAR + DAY, NEW_YEAR + 2 * DAY]
    assert trace.status.tolist() == [1, 0, -1]
    assert trace.tasks["count"].tolist() == [1, 1, 1, 4]  # with a GPU, two nodes, one, and as many CPUs
    assert odd(trace) == ["cells of 'wait' that cannot be read, as \"{'a': 1}\": each counts as missing"]


def test_no_damaged_byte_of_a_parquet_footer_ends_the_process(tmp_path: Path) -> None:
    """The library ends the process where a damaged entry of a column is asked for by itself."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"submit": [1], "nodes": [["a"]]}), path, store_schema=False)
    whole = path.read_bytes()
    footer = range(len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"), len(whole) - 8)
    refused = 0
    for at in footer:
        for by in (1, 255):
            damaged = bytearray(whole)
            damaged[at] = (damaged[at] + by) % 256
            path.write_bytes(damaged)
            try:
                read_parquet_columns(path, ["submit", "nodes"])
            except InputError:
                refused += 1
    assert refused > len(footer) / 2


def test_fields_inside_columns_of_parquet_can_be_named(tmp_path):
    times = pa.array([{"asked": NEW_YEAR, "ran": {"begin": NEW_YEAR + 60, "end": None}}, None])
    columns = 'submit = "times.{}"\nstart = "times.ran.begin"\nruntime = "runtime"\nprocs = "procs"\n'
    trace = parquet(tmp_path / "t", submit=[7, 7], times=times, columns=columns.format("asked"))
    assert submits(trace) == [NEW_YEAR]
    assert trace.wait.tolist() == [60]
    with pytest.raises(InputError, match=r"no column 'times.gone'.* times\.asked, times\.ran"):
        parquet(tmp_path / "t", times=times, columns=columns.format("gone"))


def date_of(day: int) -> Any:
    return datetime(2024, 1, day, tzinfo=UTC).date()


def test_times_of_clocks_beside_absolute_ones_ask_for_the_zone(tmp_path):
    rows = "1704103200,2024-01-01 11:05:00,1704107100,1\n1704103200,1704103500,1704107100,1\n"
    text = f"submit,start,end,procs\n{rows}"
    trace = read(tmp_path / "t.csv", text)
    assert [note.lines for note in trace.notes if note.rule == "mixed_times"] == [(2,)]
    zoned = read(tmp_path / "t.csv", text, timezone="Europe/Berlin")
    assert (zoned.wait.tolist(), zoned.recorded_runtime.tolist()) == ([300, 300], [3600, 3600])
    assert not {"mixed_times", "time_zone"} & set(counts(zoned))


def test_an_elapsed_time_that_a_zone_explains_is_not_noted(tmp_path):
    text = "submit,start,end,runtime,procs\n2024-03-31 01:00,2024-03-31 01:30,2024-03-31 04:30,7200,1\n"
    assert counts(read(tmp_path / "t.csv", text))["elapsed"] == 1
    assert "elapsed" not in counts(read(tmp_path / "t.csv", text, timezone="Europe/Berlin"))


def test_what_may_mean_something_else_is_noted(tmp_path):
    text = "submit,runtime,procs\n45,1:30,1\n52,2:00,1\n"
    notes = {note.rule: note.text for note in read(tmp_path / "t.csv", text).notes}
    assert notes["short_lengths"] == "lengths in 'runtime' like 1:30 were read as minutes and seconds"


SERIALS = "submit,start,end,procs\n45292.4166667,45292.420,45292.5,1\n45474.4166667,45474.420,45474.5,1\n"


def test_dates_of_a_spreadsheet_are_asked_for(tmp_path):
    with pytest.raises(UnitsError) as caught:
        read(tmp_path / "t.csv", SERIALS)
    assert str(caught.value).partition(": ")[2] == (
        "numbers in 'submit', 'start', 'end' may be days since 1900, as spreadsheets write dates; say their "
        "units with --units submit=serial,start=serial,end=serial, or submit=s,start=s,end=s"
    )


def test_dates_of_a_spreadsheet_are_read_in_the_zone_of_its_clock(tmp_path):
    serial = Reading(units="submit=serial,start=serial,end=serial", timezone="Europe/Prague")
    (tmp_path / "t.csv").write_text(SERIALS)
    trace = read_log_as(tmp_path / "t.csv", serial).trace
    summer = 182 * DAY - 3600  # 1 July, an hour earlier by UTC than in winter
    assert submits(trace) == [NEW_YEAR + 9 * 3600, NEW_YEAR + 9 * 3600 + summer]  # 10:00 in Prague
    assert (trace.wait.tolist(), trace.recorded_runtime.tolist()) == ([288, 288], [6912, 6912])
    seconds = Reading(units="submit=s,start=s,end=s")
    assert read_log_as(tmp_path / "t.csv", seconds).trace.submit.tolist() == [45_292, 45_474]


def test_cells_with_parts_are_not_read(tmp_path):
    trace = parquet(tmp_path / "t", user=[{"name": "ann"}])
    (note,) = (note for note in trace.notes if note.rule == "unread_column")
    assert note.text == "columns that are not read, since cells have parts: 'user' (struct)"


def test_moments_that_no_calendar_has(tmp_path):
    far = pa.array([1 << 62, 60_000], pa.timestamp("ms"))
    assert submits(parquet(tmp_path / "t", submit=far, user=far)) == [60]
