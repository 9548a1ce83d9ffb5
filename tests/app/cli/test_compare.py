from pathlib import Path

import pytest

from engine.claims.words import LATE
from engine.metrics.catalog import METRICS
from engine.policy.baseline import CALIBRATION
from tests.app.cli.commands import Commands, plain_numbers, small_log

RUNS = ("-p", "recorded", "-p", "fcfs", "-p", "easy")


def columns(text: str, label: str) -> list[str]:
    """The cells of the table's row of that label."""
    (row,) = (line for line in text.splitlines() if line.startswith(label + "  "))
    return row[len(label) :].replace(" (", "(").replace(" %)", "%)").split()


def test_a_column_a_run_and_a_line_a_metric(cli: Commands, small: Path) -> None:
    text = cli.done("compare", small, *RUNS, "--all").out
    calibration, title, head, *rows = text.splitlines()
    *rows, gap, recorded, fcfs, easy, late = rows
    assert late == LATE
    assert calibration == CALIBRATION
    assert not gap
    for name, verdict in (("recorded", recorded), ("fcfs", fcfs), ("easy", easy)):
        assert verdict.startswith(f"{name}: ")
        assert "late" in verdict
    assert title == "small on 8c, 12 jobs"
    assert head.split() == ["recorded", "fcfs", "easy"]
    runs = [run["metrics"] for run in cli.done("compare", small, *RUNS, "--json").document["runs"]]
    known = [metric for name, metric in METRICS.items() if any(run[name] is not None for run in runs)]
    assert len(known) < len(METRICS)  # what no run has is left out
    assert [row.split("  ")[0] for row in rows] == [
        f"{metric.label}{f', {metric.unit}' if metric.unit else ''}" for metric in known
    ]
    assert "nan" not in text.lower().split()


def test_a_dozen_metrics_unless_all_are_asked_for(cli: Commands, small: Path) -> None:
    usual, whole = (cli.done("compare", small, *RUNS, *more).out.splitlines() for more in ((), ("--all",)))
    rows = usual[3 : usual.index("")]
    assert [row.split("  ")[0] for row in rows[:-1]] == [
        "Jobs measured",
        "Makespan, s",
        "Utilization",
        "Mean wait, s",
        "Median wait, s",
        "P95 wait, s",
        "Longest wait, s",
        "Mean bounded slowdown",
        "Median VEET, %",
        "Violated EETs",
        "Jain index of waits",
        "Jobs backfilled",
    ]
    assert rows[-1] == f"--all prints {whole.index('') - 3 - 12} further metrics"
    asked = ("--metric", "awf", "--fair-starts", "--cluster", "4c")
    more = cli.done("compare", small, *RUNS[2:], *asked).out
    for label in ("Area-weighted response, s", "Jobs refused", "Jobs treated unfairly"):
        assert f"\n{label}  " in more  # asked for by name, none of zero, and asked for by an option


@pytest.mark.parametrize(
    ("runs", "base"),
    [
        (RUNS, 2),
        (RUNS[:4], 1),  # the first simulated run, where none is EASY
        ((*RUNS, "--baseline", "recorded"), 0),
    ],
)
def test_changes_are_against_the_usual_baseline_or_that_asked_for(
    cli: Commands, small: Path, runs: tuple[str, ...], base: int
) -> None:
    cells = columns(cli.done("compare", small, *runs).out, "Mean wait, s")
    assert ["%" in cell for cell in cells] == [place != base for place in range(len(cells))]


def test_simulations_alone_are_not_called_a_real_machine(cli: Commands, small: Path) -> None:
    assert cli.done("compare", small, *RUNS[2:]).out.startswith("small on 8c")
    assert cli.done("compare", small, *RUNS[2:], "--json").document["calibration"] is None


def test_json(cli: Commands, small: Path) -> None:
    outcome = cli.done("compare", small, *RUNS, "--json")
    assert outcome.err == ""
    document = outcome.document
    assert list(document["trace"])[:4] == ["name", "jobs", "users", "queues"]
    assert document["cluster"]["spelling"] == "8c"
    assert document["share"] == "fair"
    assert document["baseline"] == "easy"
    assert document["calibration"] == CALIBRATION
    assert [run["policy"] for run in document["runs"]] == ["recorded", "fcfs", "easy"]
    assert [run["estimate"] for run in document["runs"]] == [None, "requested", "requested"]
    for run in document["runs"]:
        assert list(run) == ["policy", "estimate", "machine", "metrics", "seconds", "phases", "verdict"]
        assert list(run["metrics"]) == list(METRICS)
        assert plain_numbers(run["metrics"])
    assert document["runs"][0]["metrics"]["passes"] is None


def test_metrics_of_the_decision_log_are_there(cli: Commands, small: Path) -> None:
    backfilled = [
        row.removesuffix("%)") for row in columns(cli.done("compare", small, *RUNS).out, "Jobs backfilled")
    ]
    assert backfilled[0] == "–"
    recorded, fcfs, easy = cli.done("compare", small, *RUNS, "--json").document["runs"]
    assert recorded["metrics"]["backfilled"] is None
    assert fcfs["metrics"]["backfilled"] == 0
    assert easy["metrics"]["backfilled"] > 0


def test_policies_are_spelled_in_their_shortest_way(cli: Commands, small: Path) -> None:
    runs = ("-p", "easy", "-p", "easy:depth=1,order=saf", "--baseline", "easy: order=saf")
    document = cli.done("compare", small, *runs, "--json").document
    assert [run["policy"] for run in document["runs"]] == ["easy", "easy:order=saf"]
    assert document["baseline"] == "easy:order=saf"


def test_all_are_measured_on_the_jobs_that_all_ran(cli: Commands, small: Path) -> None:
    document = cli.done("compare", small, *RUNS, "--cluster", "4c", "--json").document
    metrics = [run["metrics"] for run in document["runs"]]
    assert [values["jobs"] for values in metrics] == [8, 8, 8]
    assert [values["ran"] for values in metrics] == [12, 8, 8]
    assert [values["refused"] for values in metrics] == [0, 4, 4]
    assert "\nsmall on 4c, 8 jobs\n" in cli.done("compare", small, *RUNS, "--cluster", "4c").out


@pytest.mark.parametrize("share", ["fair", "1/2", "1c", "8c4g"])
def test_shares(cli: Commands, small: Path, share: str) -> None:
    document = cli.done("compare", small, *RUNS, "--share", share, "--json").document
    assert document["share"] == share
    violated = [run["metrics"]["violated_jobs"] for run in document["runs"]]
    assert all(isinstance(count, int) for count in violated)


def test_a_log_without_waits_is_judged_by_easy(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path, waits=False)
    document = cli.done("compare", log, "-p", "fcfs", "--json").document
    assert document["trace"]["recorded"] is False
    assert document["runs"][0]["metrics"]["veet_mean"] is not None


def test_one_policy_alone_and_one_twice(cli: Commands, small: Path) -> None:
    assert len(cli.done("compare", small, "-p", "easy", "--json").document["runs"]) == 1
    first, second = cli.done("compare", small, "-p", "easy", "-p", "easy", "--json").document["runs"]
    assert first["metrics"] == second["metrics"]


def test_the_usual_estimate_and_its_seed_are_reported_beside_the_policy(cli: Commands, small: Path) -> None:
    usual = ("--estimate", "last2", "--seed", "7", "--json")
    policies = ("-p", "easy", "-p", "easy:estimate_once=on")
    plain, once = cli.done("compare", small, *policies, *usual).document["runs"]
    assert (plain["policy"], plain["estimate"]) == ("easy:seed=7", "last2")
    # estimate_once has an effect, and is printed, only with an estimate that learns.
    assert once["policy"] == "easy:estimate=last2,estimate_once=on,seed=7"


def test_by_price_and_with_other_values(cli: Commands, small: Path) -> None:
    priced = ("-p", "queues:n=2", "-p", "auction", "--by", "price")
    text = cli.done("compare", small, *priced).out
    assert "queues:n=2, by price, 12 jobs" in text
    assert "price 5,050" in text
    _, second = columns(text, "Value relative to the auction, %")
    assert second.startswith("100")
    assert columns(cli.done("compare", small, *priced, "--seed", "1").out, "Value") != columns(text, "Value")
    assert "queues:n=2,seed=1, by price" in cli.done("compare", small, *priced, "--seed", "1").out
    assert "seed cannot be '-1'" in cli("compare", small, *priced, "--seed", "-1").complaint
