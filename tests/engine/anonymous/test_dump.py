"""Damaged prints of sacct under other names: what cannot be read stays such, and what can is read."""

from pathlib import Path

import pytest

from engine.anonymous.export import anonymize
from engine.errors import InputError
from engine.logs.read import read_records
from tests.engine.anonymous.test_accounting import check_same_jobs
from tests.engine.logs.sacct.prints import jobcomps

HEAD = "JobID|User|Submit|Start|End|State|NCPUS|ReqCPUS|Timelimit"
USUAL = {
    **{"JobID": "2", "User": "zann", "Submit": "2020-01-01T12:00:00", "Start": "2020-01-01T12:00:10"},
    **{"End": "2020-01-01T12:01:10", "State": "COMPLETED", "NCPUS": "4", "ReqCPUS": "4"},
    "Timelimit": "01:00:00",
}


def row(**fields: str) -> str:
    """A line of a dump, with these fields and otherwise usual ones."""
    return "|".join((USUAL | fields).values())


def check(folder: Path, *lines: str) -> None:
    """The log of these lines has the same jobs under other names."""
    log = folder / "log"
    log.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    done = anonymize(log, [], None, folder / "out", None)
    check_same_jobs(read_records(log), read_records(done.log))


@pytest.mark.parametrize(
    "damaged",
    [
        {"JobID": "9+1", "NCPUS": "\u2028 4"},  # blank, but no space: read as 4
        {"Timelimit": "00:10::"},
        {"End": "2020-01-01T\ufeff12:01:10"},  # read as no time
        {"Start": "-1267650600228229401496703205375-01-01T12:00:10"},
    ],
)
def test_damaged_fields_are_read_as_before(damaged: dict[str, str], tmp_path: Path) -> None:
    check(tmp_path, HEAD, row(JobID="1"), row(JobID="9+0"), row(**damaged), row(JobID="4"))


def test_a_job_with_a_damaged_id_stays_one(tmp_path: Path) -> None:
    damaged = jobcomps.record(8, ArrayJobId="7Time=2020-01-01", ArrayTaskId=1)
    check(tmp_path, jobcomps.record(1), damaged, jobcomps.record(2))


def test_of_a_resource_the_first_amount_counts_though_it_cannot_be_read(tmp_path: Path) -> None:
    damaged = jobcomps.record(2, Tres="cpu=4,mem=2=4,mem=2G,node=1")
    check(tmp_path, jobcomps.record(1), damaged)


def test_parts_of_any_numbers_stay_parts_of_their_job(tmp_path: Path) -> None:
    parts = (jobcomps.record(9 + k, HetJobId="9", HetJobOffset=str(k << 30)) for k in range(2))
    check(tmp_path, jobcomps.record(1), *parts)


def test_a_dump_that_would_be_read_as_another_table_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log"
    none = row(Submit="Unknown", Start="Unknown", End="Unknown", State="-")
    log.write_text("\n".join([HEAD, *[none] * 40, row()]))
    with pytest.raises(InputError, match="no times"):
        anonymize(log, [], None, tmp_path / "out", None)
    assert not (tmp_path / "out").exists()
