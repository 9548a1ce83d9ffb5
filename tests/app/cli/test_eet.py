from pathlib import Path

import pandas as pd
import pytest

from tests.app.cli.commands import Commands, plain_numbers, small_log
from tests.paths import SHARED, needs

WAGAP = SHARED / "traces/alea-wagap-2013.swf.gz"
COLUMNS = ["job_id", "user", "eet", "end", "tardiness"]


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_row_a_job(cli: Commands, small: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"eet{suffix}"
    cli.done("eet", small, "--share", "8c", "-o", path)
    table = read(path)
    assert list(table.columns) == COLUMNS
    assert table["job_id"].tolist() == list(range(12))
    assert (table["tardiness"] == (table["end"] - table["eet"]).clip(lower=0)).all()


def test_a_share_of_all_that_a_user_wants_is_met_without_a_wait(
    cli: Commands, tmp_path: Path, small: Path
) -> None:
    cli.done("eet", small, "-p", "recorded", "--share", "1000c", "-o", tmp_path / "eet.csv")
    table = read(tmp_path / "eet.csv")
    waits = [10 * number for number in range(12)]
    assert table["tardiness"].tolist() == waits


def test_what_it_says(cli: Commands, small: Path) -> None:
    first, *worst = cli.done("eet", small, "--share", "1c").out.splitlines()
    assert first.startswith("recorded, share 1c: ")
    assert " of 12 jobs ended late; median user " in first
    assert all(row.startswith("  user ") for row in worst)


def test_recorded_unless_the_log_has_none(cli: Commands, tmp_path: Path) -> None:
    with_waits, without = small_log(tmp_path), small_log(tmp_path, "bare.swf", waits=False)
    assert cli.done("eet", with_waits).out.startswith("recorded, share fair: ")
    assert cli.done("eet", without).out.startswith("easy, share fair: ")
    assert cli.done("eet", with_waits, "-p", "fcfs").out.startswith("fcfs, share fair: ")


def test_json(cli: Commands, small: Path) -> None:
    document = cli.done("eet", small, "-p", "easy", "--share", "1/4", "--json").document
    assert document["share"] == "1/4"
    (run,) = document["runs"]
    assert run["policy"] == "easy"
    assert run["metrics"]["violated_jobs"] > 0
    assert run["metrics"]["backfilled"] > 0
    assert plain_numbers(run["metrics"])


def test_shares_of_single_users(cli: Commands, small: Path, tmp_path: Path) -> None:
    users = tmp_path / "users.csv"
    users.write_text("user,share\n1,1000c\n2,1c\n3,1/1\n")
    cli.done("eet", small, "--share", users, "-o", tmp_path / "eet.csv")
    table = read(tmp_path / "eet.csv")
    tardiness = table["tardiness"][table["user"] == 1]
    assert tardiness.tolist() == [10 * number for number in range(0, 12, 3)]
    assert (table["tardiness"][table["user"] == 2] == 0).all(), "one processor: it ends far later"


def test_a_refused_job_has_no_expected_end(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("eet", small, "-p", "easy", "--cluster", "4c", "-o", tmp_path / "eet.csv")
    rows = (tmp_path / "eet.csv").read_text().splitlines()
    assert "2,3,,," in rows
    assert "nan" not in "".join(rows).lower()


@needs(WAGAP)
@pytest.mark.parametrize(
    ("share", "reference", "violated"),
    [("64c", "wagap-eet-c64", 8029), ("64c262144m", "wagap-eet-c64-ram262144", 7597)],
)
def test_every_expected_end_of_wagap(
    cli: Commands, tmp_path: Path, share: str, reference: str, violated: int
) -> None:
    outcome = cli.done("eet", WAGAP, "--share", share, "-o", tmp_path / "eet.csv")
    expected = pd.read_csv(SHARED / f"reference/{reference}.csv.gz")
    table = read(tmp_path / "eet.csv")
    assert len(table) == len(expected) == 17_898
    for column in COLUMNS:
        assert table[column].tolist() == expected[column].tolist(), column
    assert (table["tardiness"] > 0).sum() == violated
    spelled = {"64c": "64c", "64c262144m": "64c256g"}[share]
    assert outcome.out.startswith(f"recorded, share {spelled}: {violated:,} of 17,898 jobs ended late")
