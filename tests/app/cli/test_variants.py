"""Runs with a workload of their own in commands."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.logs.read import read_trace
from tests.app.cli.commands import Commands

CAPPED = "easy with walltime_cap=1m"


def test_a_cap_stands_beside_what_is(cli: Commands, small: Path) -> None:
    whole = cli.done("compare", small, "--walltime-cap", "1m", "-p", "easy", "--json").document["runs"]
    outcome = cli.done("compare", small, "-p", "easy", "-p", CAPPED, "--json")
    plain, capped = outcome.document["runs"]
    assert [plain["policy"], capped["policy"]] == ["easy", CAPPED]
    assert capped["metrics"]["wait_mean"] == whole[0]["metrics"]["wait_mean"] != plain["metrics"]["wait_mean"]
    assert f"{CAPPED}: " in outcome.err
    assert "jobs with a walltime over 1m, which was cut to that" in outcome.err


def test_a_cap_of_all_runs_says_how_many_jobs_run_longer(cli: Commands, small: Path) -> None:
    said = "jobs that run longer than 40: "
    told = [line for line in cli.done("info", small, "--walltime-cap", "40").out.splitlines() if said in line]
    outcome = cli.done("compare", small, "--walltime-cap", "40", "-p", "easy", "-p", "fcfs")
    lines = [line for line in outcome.err.splitlines() if said in line]
    assert [" ".join(line.split()) for line in told] == [line.partition(": ")[2] for line in lines]
    assert len(lines) == 1  # of both runs, which have these jobs
    assert not cli.done("compare", small, "--walltime-cap", "40", "-p", "easy", "--quiet").err
    assert said not in cli.done("compare", small, "-p", "easy").err


def test_jobs_left_out_of_one_run_are_measured_in_none(cli: Commands, small: Path) -> None:
    outcome = cli.done("compare", small, "-p", "easy", "-p", "easy with users=-1")
    assert outcome.out.splitlines()[0].endswith("jobs that no run leaves out")
    plain, without = cli.done(
        "compare", small, "-p", "easy", "-p", "easy with users=-1", "--json", "--quiet"
    ).document["runs"]
    assert plain["metrics"]["jobs"] == without["metrics"]["jobs"] < plain["metrics"]["ran"]
    assert without["metrics"]["refused"] == 0


def test_added_jobs_are_measured_in_no_run(cli: Commands, small: Path) -> None:
    outcome = cli.done("compare", small, "-p", "easy", "-p", "easy with users=+1")
    assert outcome.out.splitlines()[0].endswith("jobs, without those that a run adds")
    plain, more = cli.done("compare", small, "-p", "easy", "-p", "easy with users=+1", "--json").document[
        "runs"
    ]
    assert plain["metrics"]["ran"] == more["metrics"]["ran"]
    assert plain["metrics"]["wait_mean"] < more["metrics"]["wait_mean"]
    assert "jobs that are added to this run" in outcome.err


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".swf"])
def test_added_jobs_are_rows_of_a_written_schedule(
    cli: Commands, small: Path, tmp_path: Path, suffix: str
) -> None:
    file, plain = tmp_path / f"more{suffix}", tmp_path / f"plain{suffix}"
    cli.done("simulate", small, "-p", "easy with users=+1", "-o", file)
    cli.done("simulate", small, "-p", "easy with users=-2", "-o", plain)
    trace = read_trace(small)
    own = [str(job) for job in trace.job_id[trace.user.codes == trace.user.names.index("1")]]
    if suffix == ".swf":  # numbers are all that it has
        written = read_trace(file)
        assert len(written) == len(trace) + len(own) > len(read_trace(plain))
        assert len({*written.job_id.tolist()}) == len(written)
        like = written.submit[written.job_id > trace.job_id.max()]
        assert sorted(like) == sorted(trace.submit[np.isin(trace.job_id.astype(str), own)])
        assert (written.wait >= 0).all()
        return
    jobs = pd.read_csv(file) if suffix == ".csv" else pd.read_parquet(file)
    more = jobs[len(trace) :]
    assert more.job_id.tolist() == [f"{job}+" for job in own]
    assert jobs.job_id[: len(trace)].astype(str).tolist() == trace.job_id.astype(str).tolist()
    assert (more.user.astype(str) == "1").all()
    assert (more.end - more.start == more.runtime).all()
    assert (more.wait == more.start - more.submit).all()
    outcome = cli("audit", small, file)
    assert f"rows of jobs that a workload added, which are not looked at: {len(own)}" in outcome.out
    assert "not in the trace" not in outcome.out


def test_the_difference_is_of_the_same_jobs(cli: Commands, small: Path) -> None:
    document = cli.done("difference", small, "-p", "easy", "-p", CAPPED, "--json").document
    assert (document["first"], document["second"]) == ("easy", CAPPED)
    assert document["jobs"] == 12


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("easy with walltime=1m", "did you mean 'walltime_cap'"),
        ("easy with users=-nobody", "there is no user 'nobody'"),
        ("recorded with theta=0.5", "a schedule that is read has the jobs that it has"),
    ],
)
def test_a_wrong_variant_is_one_line(cli: Commands, small: Path, policy: str, says: str) -> None:
    outcome = cli("compare", small, "-p", policy)
    assert outcome.status != 0
    assert says in outcome.complaint


def test_an_audit_is_of_the_jobs_as_logged(cli: Commands, small: Path) -> None:
    outcome = cli("audit", small, small, "--policy", CAPPED)
    assert outcome.status != 0
    assert "audited against the jobs as logged" in outcome.complaint
