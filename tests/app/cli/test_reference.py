"""Published schedules and their metrics, from the command line (KTH-SP2; Goponenko et al. 2022)."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.metrics.compare import change
from tests.app.cli.commands import Commands
from tests.paths import needs
from tests.published import CHANGES, KTH_SP2, METRICS, R2, STARTS, printed_change, spelling, starts

Values = dict[str, float]


def compare(cli: Commands, policies: Sequence[str]) -> list[Values]:
    chosen = [option for policy in policies for option in ("-p", policy)]
    document = cli.done("compare", KTH_SP2, *chosen, "--json").document
    assert document["trace"]["jobs"] == 28_481
    assert document["cluster"]["cpus"] == 100
    return [run["metrics"] for run in document["runs"]]


@needs(KTH_SP2)
@needs(STARTS)
@pytest.mark.parametrize(
    ("policy", "estimate"),
    [("easy", "actual"), ("easy", "requested"), ("fcfs", "requested"), ("conservative", "requested")],
)
def test_no_start_differs(cli: Commands, tmp_path: Path, policy: str, estimate: str) -> None:
    path = tmp_path / "s.csv"
    cli.done("simulate", KTH_SP2, "-p", policy, "--estimate", estimate, "-o", path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["job_id"]) for row in rows] == starts()["job_id"].tolist()
    assert [int(row["start"]) for row in rows] == starts()[f"{policy}:{estimate}"].tolist()
    assert [int(row["procs"]) for row in rows] == starts()["procs"].tolist()


@needs(KTH_SP2)
def test_metrics_of_published_schedules(cli: Commands) -> None:
    runs = compare(cli, [spelling(column) for column in METRICS])
    for (column, expected), values in zip(METRICS.items(), runs, strict=True):
        printed = (
            f"{values['bounded_slowdown_mean']:.3f} {values['response_mean']:.1f} "
            f"{values['awf']:.1f} {values['psf2']:.1f}"
        )
        assert printed == expected, column
        if column == "fcfs:requested":
            assert f"{values['wait_mean']:.1f}" == "353776.4"


@needs(KTH_SP2)
@pytest.mark.parametrize(("metric", "policy"), CHANGES)
def test_changes_that_predictions_make(cli: Commands, metric: str, policy: str) -> None:
    expected = CHANGES[metric, policy]
    base, *others = compare(cli, [spelling(f"{policy}:{name}") for name in ("requested", *expected)])
    changes = [printed_change(change(values[metric], base[metric])) for values in others]
    assert dict(zip(expected, changes, strict=True)) == expected


@needs(KTH_SP2)
def test_accuracy_of_estimates(cli: Commands) -> None:
    runs = compare(cli, [spelling(f"just:{estimate}") for estimate in R2])
    printed = [f"{values['estimate_r2']:.4f}" for values in runs]
    assert dict(zip(R2, printed, strict=True)) == R2
    assert all(0 < values["underestimated"] < 1 for values in runs[2:])
    assert [values["underestimated"] for values in runs[:2]] == [0, 0]
