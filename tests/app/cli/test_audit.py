from pathlib import Path

import pandas as pd
import pytest

from engine.logs.read import read_trace
from tests.app.cli.commands import Commands, small_log
from tests.paths import SHARED, needs

ALEA = SHARED / "reference/alea"
HPC2N = SHARED / "other-formats/alea-hpc2n.swf.gz"
BATSIM = SHARED / "other-formats/batsim-workload.json"


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".swf"])
@pytest.mark.parametrize("policy", ["fcfs", "easy", "saf-easy", "fairshare-easy"])
def test_own_schedules_are_clean(
    cli: Commands, small: Path, tmp_path: Path, policy: str, suffix: str
) -> None:
    path = tmp_path / f"out{suffix}"
    cli.done("simulate", small, "-p", policy, "-o", path)
    found = cli.done("audit", small, path, "--policy", policy).out.splitlines()
    assert found[0] == f"{path}: 12 of 12 jobs of small run on 8c"
    assert found[-1] == "nothing is broken"
    checked = " ".join(found)
    assert ("not checked  promises of fairshare-easy" in checked) is (policy == "fairshare-easy")


def test_refused_jobs_are_no_fault(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("simulate", small, "--cluster", "4c", "-o", tmp_path / "out.csv")
    output = cli.done("audit", small, tmp_path / "out.csv", "--cluster", "4c", "-p", "easy").out
    assert output.splitlines()[0].endswith("8 of 12 jobs of small run on 4c, 4 too large for the machine")
    assert cli("audit", small, tmp_path / "out.csv").status == 1


def test_gpus_are_checked_or_named(cli: Commands, tmp_path: Path) -> None:
    log, out = tmp_path / "log.csv", tmp_path / "out.csv"
    log.write_text("job_id,submit,start,end,procs,gpus\n1,0,0,9,2,2\n2,0,0,9,2,1\n")
    out.write_text("job_id,start,end\n1,0,9\n2,0,9\n")
    said = cli.done("audit", log, out, "--cluster", "4c").out
    assert "not checked  GPUs of 2 jobs: 4c has none" in said
    said = cli("audit", log, out, "--cluster", "1x4c2gpu").out
    assert "processors in use and GPUs" in said
    assert "1 time at which more GPUs were in use than there are" in said


def test_the_logs_own_schedule(cli: Commands, small: Path, tmp_path: Path) -> None:
    outcome = cli("audit", small, "recorded")
    assert outcome.status == 1
    assert outcome.out.startswith("recorded: 12 of 12 jobs of small run on 8c\n")
    assert "times at which more processors were in use than there are" in outcome.out
    assert cli.done("audit", small, "recorded", "--cluster", "80c").out.endswith("nothing is broken\n")
    bare = small_log(tmp_path, "bare.swf", waits=False)
    assert "there is no recorded schedule" in cli("audit", bare, "recorded").complaint


def test_a_simulated_schedule_is_checked_with_its_reasons(cli: Commands, small: Path) -> None:
    lines = cli.done("audit", small, "simulated", "-p", "easy").out.splitlines()
    assert lines[0] == "easy: 12 of 12 jobs of small run on 8c"
    assert lines[-1] == "nothing is broken"
    assert any("reasons of waits" in line for line in lines)
    assert "name the policy to simulate" in cli("audit", small, "simulated").complaint
    assert "name the policy to simulate" in cli("audit", small, "simulated", "-p", "recorded").complaint


def test_a_written_recorded_schedule_is_judged_by_the_logs_runtimes(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    log.write_text(log.read_text().replace(" 180 7 -1 -1 7 340 ", " 900 7 -1 -1 7 340 "))
    assert (read_trace(log).recorded_runtime > read_trace(log).runtime).any()
    cli.done("simulate", log, "-p", "recorded", "-o", tmp_path / "out.csv")
    wide = ("--cluster", "80c")
    assert "1 job that ran for another time" in cli("audit", log, tmp_path / "out.csv", *wide).out
    cli.done("audit", log, tmp_path / "out.csv", *wide, "--policy", "recorded")


def test_faults_are_reported_with_job_date_and_seconds(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("simulate", small, "-o", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv")
    table.loc[5, ["start", "end"]] -= 90_000
    table = pd.concat([table.drop(index=3), table.tail(1).assign(job_id="other")])
    table.to_csv(tmp_path / "bad.csv", index=False)
    outcome = cli("audit", small, tmp_path / "bad.csv")
    assert outcome.status == 1
    assert outcome.err == ""
    assert "          1 job that was not run\n" in outcome.out
    assert "job 3 2001-09-09 01:50:50 (250 s): submitted then" in outcome.out
    assert "job that is not in the trace (or dropped from it)\n            job other\n" in outcome.out
    assert "1 job that started before the submission; at worst by " in outcome.out
    assert "(1.0 days)" in outcome.out


def test_json(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("simulate", small, "-p", "aggressive", "-o", tmp_path / "out.csv")
    clean = cli.done("audit", small, tmp_path / "out.csv", "--json").document
    assert clean["clean"] is True
    assert clean["findings"] == []
    assert (clean["trace"], clean["cluster"], clean["jobs"], clean["ran"]) == ("small", "8c", 12, 12)
    assert clean["offset"] == 0
    outcome = cli("audit", small, tmp_path / "out.csv", "-p", "fcfs", "--json")
    assert outcome.status == 1
    broken = outcome.document
    assert broken["clean"] is False
    assert broken["policy"] == "fcfs"
    (order,) = (finding for finding in broken["findings"] if finding["kind"] == "order")
    assert order["count"] >= len(order["cases"]) > 0
    case = order["cases"][0]
    assert case["job"] in map(str, range(12))
    assert case["date"].startswith("2001-09-09 ")
    assert {"made", "kept", "broken", "excused", "lapsed"} == set(broken["guarantees"])


def test_an_offset_is_reported(cli: Commands, small: Path, tmp_path: Path) -> None:
    cli.done("simulate", small, "-o", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv")
    table[["submit", "start", "end"]] += 17
    table.to_csv(tmp_path / "moved.csv", index=False)
    output = cli.done("audit", small, tmp_path / "moved.csv", "-p", "easy").out
    assert "17 s ahead of the trace's (the submissions in both), taken off all times" in output


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("when,job_id\n1,2\n", "no column of starts or waits"),
        ("job,start\n1,x\n", "start 'x' is not a number"),
        ("", "this file is empty"),
    ],
)
def test_an_unusable_schedule(cli: Commands, small: Path, tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    outcome = cli("audit", small, path)
    assert outcome.status == 2
    assert complaint in outcome.complaint
    assert str(path) in outcome.complaint


def test_wrong_usage(cli: Commands, small: Path, tmp_path: Path) -> None:
    assert cli("audit", small).status == 2
    assert "no such file" in cli("audit", small, tmp_path / "absent.csv").complaint
    assert "is not 0 to 86400 seconds" in cli("audit", small, "recorded", "--tolerance", "nan").err
    assert "unknown policy" in cli("audit", small, "recorded", "-p", "eazy").complaint


@needs(HPC2N)
@needs(ALEA)
def test_a_schedule_of_another_simulator(cli: Commands) -> None:
    """Alea adds a second to each runtime and counts processors of some jobs by their node specification."""
    path = ALEA / "hpc2n_fcfs.csv.gz"
    found = {finding["kind"]: finding for finding in cli("audit", HPC2N, path, "--json").document["findings"]}
    assert {kind: match["count"] for kind, match in found.items()} == {"duration": 3145, "processors": 213}
    assert found["duration"]["worst"] == 1
    document = cli("audit", HPC2N, path, "-p", "fcfs", "--tolerance", "1", "--json").document
    assert [finding["kind"] for finding in document["findings"]] == ["processors"]
    assert document["offset"] == 17


@needs(BATSIM)
@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_schedules_with_fractions_of_seconds_break_nothing(cli: Commands, policy: str) -> None:
    document = cli("audit", BATSIM, BATSIM.with_name(f"batsim-{policy}-out_jobs.csv"), "--json").document
    assert document["findings"] == []
