"""Fields of a dump of sacct that no line names: given, or guessed and shown."""

from pathlib import Path

import pytest

from engine.logs.read import read_trace
from engine.logs.sacct.prints.fields import LAYOUTS
from engine.logs.sample import dump_sample, table_sample
from engine.logs.tables.columns import ColumnsError
from engine.trace import Trace
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"
NAMES = "User,JobID,State,Submit,Start,End,NCPUS"
ODD = "".join(f"ann|{k}|COMPLETED|{clock(k)}|{clock(9)}|{clock(60)}|4\n" for k in range(1, 5))


def write(folder: Path, text: str) -> Path:
    path = folder / "dump.txt"
    path.write_text(text, "utf-8")
    return path


def rules(trace: Trace) -> set[str]:
    return {note.rule for note in trace.notes}


@pytest.mark.parametrize("names", [NAMES, NAMES.lower(), NAMES.replace(",", "|"), NAMES.replace(",", ", ")])
def test_given_fields(tmp_path: Path, names: str) -> None:
    path = write(tmp_path, ODD)
    trace = read_trace(path, fields=names)
    assert trace.job_id.tolist() == [1, 2, 3, 4]
    assert trace.user.names == ("ann",)
    assert trace.procs.tolist() == [4] * 4
    assert "fields_guessed" not in rules(trace)


def test_lines_may_end_in_a_bar(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path, ODD.replace("\n", "|\n")), fields=NAMES)
    assert trace.job_id.tolist() == [1, 2, 3, 4]


def test_given_fields_count_more_than_a_guess_or_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, f"{HEADER}\n{job()}\n")
    swapped = HEADER.replace("Submit|Eligible", "Eligible|Submit")
    trace = read_trace(path, fields=swapped.replace("|", ","))
    assert len(trace) == 1
    assert "fields_guessed" not in rules(trace)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("JobID,Submit,Start,End,NCPUS", "5 fields are given, and the first lines have 7"),
        ("User,JobID,State,Submit,Start,End,Other", "do not contain NCPUS"),
        ("User,JobID,JobID,Submit,Start,End,NCPUS", "the field JobID stands twice"),
        ("much", "do not contain JobID, Submit, Start, End, NCPUS"),
    ],
)
def test_fields_that_do_not_fit(tmp_path: Path, names: str, says: str) -> None:
    path = write(tmp_path, ODD)
    with pytest.raises(ColumnsError) as caught:
        read_trace(path, fields=names)
    assert str(caught.value).startswith(str(path))
    assert says in str(caught.value)


def test_fields_that_nobody_knows_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, ODD)
    with pytest.raises(ColumnsError, match="no line names the fields of this log"):
        read_trace(path)
    sample = dump_sample(path)
    assert sample is not None
    assert sample.fields == ()
    assert sample.rows[0] == ("ann", "1", "COMPLETED", clock(1), clock(9), clock(60), "4")
    assert table_sample(path) is None


@needs(SAMPLES / "slurm-sacct-no-header.log.gz")
def test_the_guess_is_shown() -> None:
    sample = dump_sample(SAMPLES / "slurm-sacct-no-header.log.gz")
    assert sample is not None
    assert sample.fields == LAYOUTS[0]
    assert all(len(row) == 26 for row in sample.rows)
    trace = read_trace(SAMPLES / "slurm-sacct-no-header.log.gz")
    confirmed = read_trace(SAMPLES / "slurm-sacct-no-header.log.gz", fields=",".join(sample.fields))
    assert rules(trace) - rules(confirmed) == {"fields_guessed"}
    assert (trace.submit == confirmed.submit).all()


@needs(SAMPLES / "slurm-sacct-header-steps.csv")
@pytest.mark.parametrize(
    "name", ["slurm-sacct-header-steps.csv", "pbs-accounting-few-lines.log", "lsf-acct.log"]
)
def test_other_logs_ask_for_no_fields(name: str) -> None:
    assert dump_sample(SAMPLES / name) is None
