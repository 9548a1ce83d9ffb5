"""What people and real Slurm printed with sacct, and what is right: the cases of cases.tsv, by their ids."""

import numpy as np
import pytest

from engine.logs.read import read_records
from engine.trace.records import Records
from engine.trace.wall_clock import in_zone
from tests.paths import SHARED, needs

CASES = SHARED / "cases"


def read(*names: str, zone: str = "") -> Records:
    """The records of some files of the cases, in a time zone."""
    first, *further = (CASES / name for name in names)
    records = read_records(first, further=further)
    return in_zone(records, zone) if zone else records


def spelled(records: Records, name: str) -> list[str]:
    names = getattr(records, name)
    return [names.names[code] for code in names.codes]


def values(records: Records, name: str) -> list[object]:
    """A column of the records, names as texts."""
    column = getattr(records, name)
    return column.tolist() if isinstance(column, np.ndarray) else spelled(records, name)


TEN = 1_704_103_200  # 10:00 on the 1st of January 2024, UTC

# id: files, time zone, the columns that are right
RIGHT: dict[str, tuple[tuple[str, ...], str, dict[str, list[object]]]] = {
    "B001": (
        ("files/s16-a.txt", "files/s16-b.txt"),
        "",
        {"job_id": [1, 2], "submit": [TEN, TEN + 86_400], "wait": [1800, 1800], "runtime": [1800, 1800]},
    ),
    "B009": (
        ("files/s08-epoch.txt",),
        "Europe/Paris",
        {"submit": [TEN, TEN + 60], "wait": [300, 300], "runtime": [3600, 3600]},
    ),
    "B012": (("files/s09-offset.txt",), "", {"submit": [TEN, 1_719_828_000], "runtime": [3600, 3600]}),
    "B012-zone": (("files/s09-offset.txt",), "Asia/Tokyo", {"submit": [TEN, 1_719_828_000]}),
    "B013": (
        ("files/x01-epoch-dst.txt",),
        "Europe/Berlin",
        {"submit": [1_729_981_800, 1_730_068_200], "wait": [600, 60], "runtime": [10_800, 3600]},
    ),
    "B014": (("files/s18-dst.txt",), "", {"runtime": [2700, 9000, 1800, 7200]}),
    "B015": (("files/s18-dst.txt",), "Europe/Berlin", {"runtime": [2700, 9000, 1800, 7200]}),
    "B017": (
        ("files/s05-comma-sacct-steps.csv",),
        "",
        {"job_id": [1, 2], "procs": [4, 4], "ram": [8192, 8192], "status": [1, 1], "user": ["u1", "u2"]},
    ),
    "B018": (("files/x05-tab.tsv",), "", {"job_id": [1, 2], "ram": [8192, 8192], "walltime": [7200, 7200]}),
    "B019": (("files/x05-semicolon.csv",), "", {"job_id": [1, 2], "ram": [8192, 8192], "procs": [4, 4]}),
    "B020": (
        ("files/s04-caret-delimiter.txt",),
        "",
        {"job_id": [1, 2], "user": ["u1", "u2"], "walltime": [7200, 7200], "ram": [8192, 8192]},
    ),
    "B021": (
        ("files/s01-pipe-in-name.txt",),
        "",
        {"job_id": [1, 2, 3], "executable": ["a", "crazy|name", "plain"], "user": ["u1", "u2", "u1"]},
    ),
    "B022": (
        ("files/ubccr-sacct_simple.log",),
        "",
        {
            "job_id": [1, 2, 3, 4],
            "executable": ["job_00001", "job_0||0002", "job_0|0003", "job_|00004"],
            "procs": [32, 32, 18, 18],
            "walltime": [259_200] * 4,
            "runtime": [84_805, 12_688, 2009, 2003],
        },
    ),
    "B025": (
        ("files/ubccr-sacct_submitline_multiline.log",),
        "",
        {
            "job_id": [9_067_954, 7_957_382],
            "user": ["tonykew", "user001"],
            "queue": ["general-compute", "partition001"],
            "walltime": [18_000, 86_400],
            "runtime": [9600, 56],
        },
    ),
    "B026": (
        ("files/ubccr-sacct_simple_formatted.log",),
        "",
        {
            "job_id": [1, 2, 3, 4],
            "walltime": [259_200] * 4,
            "runtime": [84_805, 12_688, 2009, 2003],
            "ram": [512_000, 187_000, 512_000, 512_000],
        },
    ),
    "B027": (
        ("files/s02-multiline-submitline.txt",),
        "",
        {"job_id": [101, 102], "user": ["u1", "u2"], "ram": [8192, 8192], "runtime": [3600, 3600]},
    ),
    "B028": (("files/s03-multiline-submitline-last.txt",), "", {"job_id": [101, 102], "procs": [4, 4]}),
    "B029": (
        ("files/s06-fixed-width.txt",),
        "",
        {
            "job_id": [74_057, 74_058],
            "procs": [16, 16],
            "queue": ["gpu", "gpu"],
            "group": ["acc01", "acc01"],
            "runtime": [3600, 600],
            "status": [1, 5],
        },
    ),
    "B030": (
        ("files/s14-arrays.txt",),
        "",
        {
            "job_id": ["123456_[9201-10000%500]", "123456_1", "123456_2", "778010", "900", "901_5"],
            "procs": [4, 4, 4, 4, 12, 8],
        },
    ),
    "B034": (
        ("files/x10-limit.txt",),
        "",
        {"job_id": [1, 2, 3, 4, 5, 6, 7, 8], "walltime": [0, -1, 1800, 31_536_000, -1, 129_600, 90, -1]},
    ),
    "B035": (
        ("files/x06-raw.txt",),
        "",
        {"walltime": [7200, -1], "runtime": [3600, 3600], "ram": [8192, 8192], "procs": [4, 4]},
    ),
    "B038": (
        ("files/s24-overlap-a.txt", "files/s24-overlap-b.txt"),
        "",
        {"job_id": [1, 2, 3], "status": [1, 1, 1]},
    ),
    "B043": (("files/s17-bom-crlf-latin1.txt",), "", {"job_id": [1, 2], "runtime": [3600, 3600]}),
    "B119": (("files/x12b-warn-first.txt",), "", {"job_id": [1, 2], "submit": [TEN, TEN]}),
    "B126": (("files/z11-reservation.txt",), "", {"job_id": [1, 2], "wait": [86_700, 300]}),
    "RS01-comma": (
        ("real-slurm/delim_comma.txt",),
        "",
        {
            "job_id": ["1", "5"],
            "user": ["alice", "dave"],
            "queue": ["batch", "batch"],
            "procs": [4, 1],
            "ram": [4000, 1000],
            "executable": ["wrap", "wrap"],
        },
    ),
    "RS01-semicolon": (
        ("real-slurm/delim_semi.txt",),
        "",
        {"job_id": ["1", "5"], "user": ["alice", "dave"], "procs": [4, 1], "ram": [4000, 1000]},
    ),
    "RS02": (
        ("real-slurm/submitline_wrap.txt",),
        "",
        {"walltime": [60], "group": ["physics"], "executable": ["wrap"], "runtime": [2]},
    ),
    "RS03": (
        ("real-slurm/submitline_pipe.txt",),
        "",
        {
            "job_id": [1, 50, 58, 59],
            "executable": ["wrap", "a|b|c", "|lead", "trail|"],
            "walltime": [60] * 4,
            "group": ["physics"] * 4,
            "priority": [5504, 1071, 1071, 1071],
            "procs": [4, 1, 1, 1],
        },
    ),
    "RS15-elapsed": (
        ("real-slurm/elapsedraw.txt",),
        "",
        {"job_id": ["1", "5", "7", "9", "11", "14"], "runtime": [3, 4, 4, 5, 6, 8]},
    ),
    "RS15-limit": (("real-slurm/timelimitraw.txt",), "", {"walltime": [60] * 6, "procs": [4, 5, 5, 5, 6, 1]}),
    "RS15-state": (("real-slurm/nostate.txt",), "", {"job_id": [1], "runtime": [3], "procs": [4]}),
}


@needs(CASES / "cases.tsv")
@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right_is_read(case: str) -> None:
    files, zone, right = RIGHT[case]
    records = read(*files, zone=zone)
    assert {name: values(records, name) for name in right} == right


# id: files, rule of the note, how many, the first lines
NOTED: dict[str, tuple[tuple[str, ...], str, int, tuple[int, ...]]] = {
    "B014": (("files/s18-dst.txt",), "unreadable_line", 0, ()),
    "B014-clocks": (("files/s18-dst.txt",), "clock_change", 3, (2, 3, 4)),
    "RS15": (("real-slurm/nostate.txt",), "no_state", 1, ()),
    "RS15-words": (("real-slurm/nostate.txt",), "unknown_state", 0, ()),
    "B017": (("files/s05-comma-sacct-steps.csv",), "steps", 4, ()),
    "B025": (("files/ubccr-sacct_submitline_multiline.log",), "steps", 7, ()),
    "B025-lines": (
        ("files/ubccr-sacct_submitline_multiline.log",),
        "joined_line",
        4,
        (9, 10, 11, 12),
    ),
    "B025-left-out": (("files/ubccr-sacct_submitline_multiline.log",), "unreadable_line", 0, ()),
    "B027": (("files/s02-multiline-submitline.txt",), "joined_line", 1, (3,)),
    "B029": (("files/s06-fixed-width.txt",), "cut_value", 1, (5,)),
    "B012": (("files/s09-offset.txt",), "time_zone", 0, ()),
    "B119": (("files/x12b-warn-first.txt",), "messages", 1, (1,)),
    "RS01": (("real-slurm/delim_comma.txt",), "steps", 5, ()),
}


@needs(CASES / "cases.tsv")
@pytest.mark.parametrize("case", NOTED)
def test_what_was_done_is_noted(case: str) -> None:
    files, rule, count, lines = NOTED[case]
    notes = [(note.count, note.lines) for note in read(*files).notes if note.rule == rule]
    assert (notes or [(0, ())]) == [(count, lines)]


@needs(CASES / "cases.tsv")
@pytest.mark.parametrize(
    ("case", "names"),
    [
        ("files/s04-caret-delimiter.txt", "fields parted by '^|^'"),
        ("files/x05-tab.tsv", "fields parted by tabs"),
        ("files/s06-fixed-width.txt", "columns of fixed width"),
        ("files/ubccr-sacct_simple_formatted.log", "fields parted by bars, with quotes"),
    ],
)
def test_what_a_file_is_taken_for_is_noted(case: str, names: str) -> None:
    texts = [note.text for note in read(case).notes if note.rule == "sacct"]
    assert texts == [f"read as what sacct prints: {names}"]


@needs(CASES / "cases.tsv")
def test_files_of_all_kinds_are_one_log() -> None:
    records = read(
        "files/s02-multiline-submitline.txt",
        "files/s06-fixed-width.txt",
        "files/ubccr-sacct_submitline_multiline.log",
        "real-slurm/uneven.txt",
        "files/x05-tab.tsv",
        "files/s08-epoch.txt",
    )
    ids = [101, 102, 74_057, 74_058, 9_067_954, 7_957_382, 182, 195, 1, 2, 2]  # a job 1 of u1 comes twice
    assert sorted(records.job_id.tolist()) == sorted(ids)
    assert values(records, "procs")[:6] == [4, 4, 16, 16, 16, 1]
