from pathlib import Path

import pandas as pd
import pytest

from engine.logs.read import read_trace
from engine.policy.policy import PRESETS, parse_policy
from engine.simulation.run import simulate
from tests.app.cli.commands import Commands, plain_numbers, small_log

FIRST_COLUMNS = ["job_id", "user", "queue", "submit", "start", "end", "procs"]


def expected_starts(log: Path, policy: str) -> list[int]:
    trace = read_trace(log)
    starts: list[int] = simulate(trace, trace.cluster, parse_policy(policy)).start.tolist()
    return starts


def test_what_it_says(cli: Commands, small: Path) -> None:
    first, second = cli.done("simulate", small, "-p", "fcfs").out.splitlines()
    assert first.startswith("fcfs: 12 jobs run (")
    assert second.startswith("mean wait ")
    assert second.endswith(", of 12 jobs")


def test_easy_unless_told_otherwise(cli: Commands, small: Path) -> None:
    assert cli.done("simulate", small).out.startswith("easy: ")


def test_a_file_has_the_same_columns_with_json_and_without(
    cli: Commands, small: Path, tmp_path: Path
) -> None:
    cli.done("simulate", small, "-p", "conservative", "-o", tmp_path / "plain.csv")
    cli.done("simulate", small, "-p", "conservative", "--json", "-o", tmp_path / "json.csv")
    assert (tmp_path / "plain.csv").read_text("utf-8") == (tmp_path / "json.csv").read_text("utf-8")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("policy", PRESETS)
def test_a_schedule_as_a_table(cli: Commands, small: Path, tmp_path: Path, policy: str, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    outcome = cli.done("simulate", small, "-p", policy, "-o", path)
    assert outcome.err == f"wrote {path}\n"
    table = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    assert list(table.columns)[:7] == FIRST_COLUMNS
    assert table["job_id"].tolist() == list(range(12))
    assert table["start"].tolist() == expected_starts(small, policy)
    assert ((table["end"] - table["start"]) == table["runtime"]).all()
    assert (table["wait"] == table["start"] - table["submit"]).all()
    assert table["user"].astype(str).tolist() == [str(1 + job % 3) for job in range(12)]


def test_a_schedule_as_a_log(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("simulate", small, "-p", "easy", "-o", tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert (again.submit + again.wait).tolist() == expected_starts(small, "easy")


def test_jobs_that_failures_stop_too_often_are_counted_and_listed(
    cli: Commands, small: Path, tmp_path: Path
) -> None:
    path, machine = tmp_path / "out.csv", ("--cluster", "8x1c~1h/10m")
    out = cli.done("simulate", small, *machine, "-p", "easy:max_restarts=0", "-o", path).out.splitlines()
    assert out[0].startswith("easy:max_restarts=0: 10 jobs run, 2 given up (")
    assert out[1] == "given up after 0 restarts: 3, 8"
    table = pd.read_csv(path)
    assert table["job_id"][table["start"].isna()].tolist() == [3, 8]
    assert table["job_id"][table["stopped"] > 0].tolist() == [3, 8]
    compared = cli.done("compare", small, *machine, "-p", "easy", "-p", "easy:max_restarts=0").out
    assert ["Jobs", "given", "up", "0", "2"] in [line.split()[:5] for line in compared.splitlines()]


def test_a_refused_job_has_no_start(cli: Commands, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    outcome = cli.done("simulate", small, "--cluster", "4c", "-o", path)
    assert "8 jobs run, 4 too large for the machine" in outcome.out
    assert outcome.out.splitlines()[1].endswith("of 8 jobs")
    text = path.read_text()
    assert "nan" not in text.lower()
    refused = [row.split(",") for row in text.splitlines() if row.split(",")[6] == "7"]
    assert len(refused) == 4
    assert all(row[4:6] == ["", ""] for row in refused)


def test_quiet_says_only_what_was_asked_for(cli: Commands, small: Path, tmp_path: Path) -> None:
    assert cli.done("simulate", small, "--quiet", "-o", tmp_path / "out.csv").err == ""


def test_json(cli: Commands, small: Path, tmp_path: Path) -> None:
    outcome = cli.done("simulate", small, "-p", "easy:order=sjf", "--json", "-o", tmp_path / "out.csv")
    document = outcome.document
    assert document["trace"]["jobs"] == 12
    assert document["cluster"] == {"spelling": "8c", "nodes": 1, "cpus": 8, "ram_mib": None, "outages": 0}
    (run,) = document["runs"]
    assert (run["policy"], run["estimate"]) == ("easy:order=sjf", "requested")
    assert run["seconds"] > 0
    assert run["metrics"]["jobs"] == 12
    assert plain_numbers(run["metrics"])
    assert run["metrics"]["backfilled"] > 0
    assert cli.done("simulate", small, "--metric", "backfilled").out.splitlines()[-1] != "Jobs backfilled –"


@pytest.mark.parametrize("estimate", ["last2", "hierarchy", "survival2", "linear", "scaled0.5"])
def test_estimates(cli: Commands, small: Path, estimate: str) -> None:
    (run,) = cli.done("simulate", small, "--estimate", estimate, "--json").document["runs"]
    assert (run["policy"], run["estimate"]) == ("easy", estimate)
    assert run["metrics"]["estimate_r2"] < 1
    assert (run["metrics"]["underestimated"] == 1) == (estimate == "scaled0.5")


def test_keys_that_contradict_each_other(cli: Commands, small: Path) -> None:
    outcome = cli("simulate", small, "-p", "conservative:order=sjf")
    assert outcome.status == 2
    assert "order=sjf comes too late; depth=all plans anew" in outcome.complaint


def test_nobody_waits_where_all_are_refused(cli: Commands, small: Path, tmp_path: Path) -> None:
    outcome = cli.done("simulate", small, "--cluster", "4c", "--jobs", "2:3")
    assert outcome.out.startswith("easy: 0 jobs run, 1 too large for the machine (")
    assert outcome.out.count("\n") == 1
    assert cli.done("simulate", small, "--cluster", "4c", "--jobs", "2:3", "--json").document


def test_what_was_written_before_is_replaced(cli: Commands, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    first = ",".join(FIRST_COLUMNS)
    path.write_text(f"{first}\nold")
    cli.done("simulate", small, "-o", path)
    assert path.read_text().startswith(first)
    assert "old" not in path.read_text()
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.is_file()) == ["out.csv", "small.swf"]


def test_equal_commands_write_equal_files(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path, "small.swf.gz")
    for name in ("a.csv", "b.csv"):
        cli.done("simulate", log, "-p", "fairshare-easy", "-o", tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("way", ["itself", "through a link", "under another name"])
def test_the_log_is_never_replaced_by_its_schedule(
    cli: Commands, small: Path, tmp_path: Path, way: str
) -> None:
    before, output = small.read_bytes(), tmp_path / "other.swf"
    if way == "itself":
        output = small
    elif way == "through a link":
        output.symlink_to(small)
    else:
        output.hardlink_to(small)
    outcome = cli("simulate", small, "-o", output, "--force")
    assert outcome.status == 2
    assert outcome.complaint == f"batchscope: {output}: this file is an input; write to another file"
    assert small.read_bytes() == before


def test_what_the_policy_and_the_shares_are_read_from_is_not_replaced(
    cli: Commands, small: Path, tmp_path: Path
) -> None:
    shares = tmp_path / "shares.csv"
    shares.write_text("user,share\n1,2\n")
    assert cli("simulate", small, "-p", f"fairshare-easy:shares={shares}", "-o", shares).status == 2
    shares.write_text("user,share\n1,1/2\n")
    assert cli("eet", small, "--share", shares, "-o", shares).status == 2
    assert shares.read_text() == "user,share\n1,1/2\n"


def test_output_that_cannot_be_written_is_known_before_the_work(
    cli: Commands, tmp_path: Path, small: Path
) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    path.chmod(0o444)
    absent = tmp_path / "absent.swf"
    assert cli("simulate", absent, "-o", path).complaint == f"batchscope: {path}: this file is read-only"
