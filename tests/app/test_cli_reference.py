"""Published schedules and their metrics, from the command line (KTH-SP2; Goponenko et al. 2022)."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path

import pytest

from tests.app.commands import Commands
from tests.paths import SHARED, needs

KTH = SHARED / "traces/KTH-SP2-filtered.swf.gz"
STARTS = SHARED / "reference/kth-sp2-starts.csv.gz"

# Bounded slowdown, response (means, the latter in s), AWF and P2SF in s, as printed.
PUBLISHED = {
    ("fcfs", "requested"): "6814.973 362636.3 407311.9 686308.8",
    ("easy", "actual"): "71.722 15187.6 74030.7 136735.3",
    ("easy", "requested"): "92.688 15694.5 75574.0 140658.6",
    ("easy-sjbf", "actual"): "49.847 14295.7 74462.7 138628.3",
    ("easy-sjbf", "requested"): "69.394 14763.6 75570.0 145626.1",
    ("saf-easy", "actual"): "25.544 13357.6 116851.9 763590.8",
    ("saf-easy", "requested"): "39.145 14511.0 152781.5 2480504.6",
    ("aggressive", "requested"): "71.453 14579.3 80688.8 616731.7",
}


@cache
def published(column: str) -> list[int]:
    with gzip.open(STARTS, "rt") as file:
        return [int(row[column]) for row in csv.DictReader(file)]


@needs(KTH)
@needs(STARTS)
@pytest.mark.parametrize(
    ("policy", "estimate"), [("easy", "actual"), ("easy", "requested"), ("fcfs", "requested")]
)
def test_no_start_differs(cli: Commands, tmp_path: Path, policy: str, estimate: str) -> None:
    path = tmp_path / "s.csv"
    cli.done("simulate", KTH, "-p", policy, "--estimate", estimate, "-o", path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["job_id"]) for row in rows] == published("job_id")
    assert [int(row["start"]) for row in rows] == published(f"{policy}:{estimate}")
    assert [int(row["procs"]) for row in rows] == published("procs")


@needs(KTH)
@pytest.mark.parametrize("estimate", ["actual", "requested"])
def test_metrics_of_published_schedules(cli: Commands, estimate: str) -> None:
    policies = [policy for policy, used in PUBLISHED if used == estimate]
    chosen = [option for policy in policies for option in ("-p", policy)]
    document = cli.done("compare", KTH, *chosen, "--estimate", estimate, "--json").document
    assert document["trace"]["jobs"] == 28_481
    assert document["cluster"]["cpus"] == 100
    for run in document["runs"]:
        values = run["metrics"]
        printed = (
            f"{values['bounded_slowdown_mean']:.3f} {values['response_mean']:.1f} "
            f"{values['awf']:.1f} {values['psf2']:.1f}"
        )
        assert printed == PUBLISHED[run["policy"], estimate]
        if run["policy"] == "fcfs":
            assert f"{values['wait_mean']:.1f}" == "353776.4"
