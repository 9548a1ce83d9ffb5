"""Values of sacct that other programs write, and fields that stand in for others."""

from pathlib import Path

import pytest

from engine.logs.read import read_records
from engine.logs.text.slurm_words import format_tasks
from engine.trace.records import Records
from tests.engine.logs.sacct.dumps import NOON, clock


def read(folder: Path, header: str, *lines: str) -> Records:
    path = folder / "dump.txt"
    path.write_text("".join(f"{line}\n" for line in (header, *lines)))
    return read_records(path)


def notes(records: Records) -> dict[str, tuple[int, ...]]:
    return {note.rule: note.lines for note in records.notes if note.count}


FIELDS = "JobID|Submit|Start|End|Elapsed|Suspended|State|NCPUS"


def job(start: str, end: str, elapsed: str, suspended: str = "", state: str = "COMPLETED") -> str:
    return f"1|{clock(0)}|{start}|{end}|{elapsed}|{suspended}|{state}|4"


@pytest.mark.parametrize(
    ("elapsed", "suspended", "runtime", "rules"),
    [
        ("00:01:00", "00:00:00", 60, set()),
        ("00:00:40", "00:00:20", 40, {"suspended"}),
        ("00:00:40", "", 40, {"suspended"}),
        ("00:00:59", "", 59, set()),
        ("", "", 60, set()),
        ("01:01:00", "", 3660, {"clock_change"}),
        ("0 days 00:00:40", "", 40, {"suspended"}),
    ],
)
def test_what_elapsed_wins_over_clocks(
    tmp_path: Path, elapsed: str, suspended: str, runtime: int, rules: set[str]
) -> None:
    records = read(tmp_path, FIELDS, job(clock(10), clock(70), elapsed, suspended))
    assert records.runtime.tolist() == [runtime]
    assert set(notes(records)) & {"suspended", "clock_change"} == rules


@pytest.mark.parametrize(
    "start", ["Unknown", "None", "0", "", "None assigned", "NULL", "nan", "NaT", "1970-01-01T00:00:00",
              "1970-01-01T01:00:00", "1970-01-01 00:00:00+00:00", "4294967295", "4294967294"]
)  # fmt: skip
def test_what_stands_for_no_start(tmp_path: Path, start: str) -> None:
    records = read(tmp_path, FIELDS, job(start, clock(70), "00:00:00", state="CANCELLED"))
    assert records.wait.tolist() == [-1]
    assert records.runtime.tolist() in ([-1], [0])
    assert "unreadable_time" not in notes(records)


def test_a_log_of_1970_keeps_its_times(tmp_path: Path) -> None:
    line = "1|1970-01-01T01:00:00|1970-01-01T01:05:00|1970-01-01T02:05:00|||COMPLETED|4"
    records = read(tmp_path, FIELDS, line)
    assert (records.submit.tolist(), records.wait.tolist()) == ([3600], [300])


@pytest.mark.parametrize("limit", ["4294967295", "4294967294", "UNLIMITED", "Partition_Limit", "INVALID", ""])
def test_limits_that_are_none(tmp_path: Path, limit: str) -> None:
    line = f"1|{clock(0)}|{clock(10)}|{clock(70)}|{limit}|4"
    assert read(tmp_path, "JobID|Submit|Start|End|TimelimitRaw|NCPUS", line).walltime.tolist() == [-1]


@pytest.mark.parametrize(("cpu", "elapsed"), [("CPUTimeRAW", "ElapsedRaw"), ("CPUTime", "Elapsed")])
def test_processors_follow_from_cpu_times(tmp_path: Path, cpu: str, elapsed: str) -> None:
    header = f"JobID|Submit|Start|End|{elapsed}|{cpu}"
    values = ("60|480", "0|0") if cpu == "CPUTimeRAW" else ("00:01:00|00:08:00", "00:00:00|00:00:00")
    lines = (f"{k}|{clock(0)}|{clock(10)}|{clock(70)}|{value}" for k, value in enumerate(values, 1))
    assert read(tmp_path, header, *lines).procs.tolist()[0] == 8


def test_memory_in_bytes_is_known_by_its_size(tmp_path: Path) -> None:
    lines = (
        f"{k}|{clock(0)}|{clock(10)}|{clock(70)}|4|{memory}"
        for k, memory in ((1, 536_870_912_000), (2, 8000))
    )
    records = read(tmp_path, "JobID|Submit|Start|End|NCPUS|ReqMem", *lines)
    assert records.ram.tolist() == [512_000, 8000]
    assert notes(records)["bytes"] == (2,)


def test_a_log_without_states_says_so(tmp_path: Path) -> None:
    records = read(tmp_path, "JobID|Submit|Start|End|NCPUS", f"1|{clock(0)}|{clock(10)}|{clock(70)}|4")
    assert "no_state" in notes(records)
    assert "unknown_state" not in notes(records)
    assert records.submit.tolist() == [NOON]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("0xE", "[1-3]"),
        ("0xF", "[0-3]"),
        ("0x8E", "[1-3,7]"),
        ("0x280", "[7,9]"),
        ("0x2A8", "[3-9:2]"),
        ("0x0000000000000001", "[0]"),
        ("0xE%2", "[1-3%2]"),
        ("3-9", "[3-9]"),
        ("[3-9%4]", "[3-9%4]"),
        ("0x", "[0x]"),
    ],
)
def test_tasks_that_are_left_of_an_array(text: str, spelled: str) -> None:
    assert format_tasks(text) == spelled


def test_columns_between_bars_as_clients_of_databases_print_them(tmp_path: Path) -> None:
    """MySQL puts bars and dashes around a table, PostgreSQL between its columns alone."""
    names = ("JobID", "User", "Submit", "Start", "End", "State", "NCPUS", "JobName")
    rows = [
        ("1", "ann", clock(0), clock(10), clock(70), "COMPLETED", "4", "a  b"),
        ("1.batch", "", clock(0), clock(10), clock(70), "COMPLETED", "4", "batch"),
        ("2", "bob", clock(0), "Unknown", clock(80), "CANCELLED by 7", "2", ""),
    ]
    for border, end in (("| ", " |"), (" ", "")):
        lines = [border + " | ".join(f"{cell:<19}" for cell in row) + end for row in (names, *rows)]
        dashes = "+" + "+".join(["-" * 21] * len(names)) + "+"
        text = [dashes, lines[0], dashes, *lines[1:], dashes] if end else [lines[0], dashes[1:-1], *lines[1:]]
        path = tmp_path / "table.txt"
        path.write_text("".join(f"{line}\n" for line in text))
        records = read_records(path)
        assert records.job_id.tolist() == [1, 2]
        assert [records.user.names[code] for code in records.user.codes] == ["ann", "bob"]
        assert [records.executable.names[code] for code in records.executable.codes] == ["a  b", ""]
        assert (records.wait.tolist(), records.procs.tolist()) == ([10, -1], [4, 2])
        assert notes(records)["steps"] == ()
        parts = [note.text for note in records.notes if note.rule == "sacct"]
        assert parts in ([], ["read as what sacct prints: fields parted by bars, in columns of a width"])


def test_lines_of_hundreds_of_bars_do_not_take_for_ever(tmp_path: Path) -> None:
    """Each takes a part of a second, so that after some of them the rest is left out and counted."""
    header = "JobID|JobName|Comment|AdminComment|WorkDir|SubmitLine|Submit|Start|End|State|NCPUS|Extra"
    times = f"{clock(0)}|{clock(10)}|{clock(70)}"
    odd = [f"{k}|a{'|' * 195}|c|d|/w|sbatch x|{times}|COMPLETED|4|e{'|' * 195}" for k in range(60)]
    few = [f"{k}|a{'|x' * 20}|c|d|/w|sbatch x|{times}|COMPLETED|4|e" for k in range(60, 300)]
    records = read(tmp_path, header, *few, *odd)
    assert len(records) == len(few)
    assert "too_many_odd" in notes(records)
