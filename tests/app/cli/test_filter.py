"""Metrics of the jobs that match a filter."""

from pathlib import Path

import pytest

from tests.app.cli.commands import Commands


def test_metrics_are_of_the_matching_jobs_and_all_are_simulated(cli: Commands, small: Path) -> None:
    command = ("compare", small, "-p", "fcfs", "-p", "easy", "--json")
    whole, part = cli.done(*command).document, cli.done(*command, "--filter", "user = 2").document
    assert whole["filter"] is None
    assert part["filter"] == "user = 2"
    for all_jobs, own in zip(whole["runs"], part["runs"], strict=True):
        assert (all_jobs["metrics"]["jobs"], own["metrics"]["jobs"]) == (12, 4)
        assert own["metrics"]["ran"] == 12
        assert own["metrics"]["users"] == 1
    alone = cli.done("compare", small, "-p", "fcfs", "--users", "2", "--json").document
    assert alone["runs"][0]["metrics"]["wait_mean"] != part["runs"][0]["metrics"]["wait_mean"]


def test_all_runs_are_measured_on_the_jobs_that_match_in_one_of_them(cli: Commands, small: Path) -> None:
    def jobs(*policies: str) -> list[int]:
        named = [word for policy in policies for word in ("-p", policy)]
        outcome = cli("compare", small, *named, "--filter", "wait > 2m", "--json")
        return [run["metrics"]["jobs"] for run in outcome.document["runs"]] if outcome.status == 0 else [0]

    alone = [*jobs("recorded"), *jobs("easy")]
    both = jobs("recorded", "easy")
    assert both[0] == both[1] >= max(alone)
    assert min(alone) < both[0]


def test_the_filter_is_reported(cli: Commands, small: Path) -> None:
    for command in (("simulate",), ("compare", "-p", "easy"), ("eet",)):
        output = cli.done(command[0], small, *command[1:], "--filter", "procs > 1").out
        assert "8 jobs under the filter procs > 1" in output, command
    assert "bounded_slowdown" in cli.done("policies").out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("proc > 1", "at character 1: there is no field 'proc'; did you mean 'procs'?"),
        ("user = 7", "small has no user '7'"),
        ("late > 1h", "`simulate` judges no expected ends"),
    ],
)
def test_wrong_filters(cli: Commands, small: Path, text: str, message: str) -> None:
    outcome = cli("simulate", small, "--filter", text)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
