"""Means over what is not looked at, and their intervals."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine.sweep.points import StudyResults
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile, read_study_file


@pytest.fixture
def study(tmp_path: Path) -> StudyFile:
    path = tmp_path / "study.toml"
    path.write_text(
        """
        policies = ["queues", "auction"]
        metrics = ["psf:alpha=2", "psf:alpha=1", "wait_mean"]
        rho = [2, 1]
        keys = { seed = [0, 1, 2], threshold = ["2h", "30m"] }
        """,
        "utf-8",
    )
    return read_study_file(path)


def rows_of(study: StudyFile) -> list[Row | None]:
    """Rows whose values tell their run: 1000 rho, 100 for auctions, 10 for the seed, alpha."""
    return [
        {
            **{
                f"psf:alpha={alpha}": 1000 * run.conditions.scaling.rho
                + 100 * (run.base == "auction")
                + 10 * run.policy.seed
                + alpha
                for alpha in (1, 2)
            },
            "wait_mean": run.policy.seed if run.base == "queues" else None,
            "error": "" if run.base == "queues" else "it failed",
        }
        for run in study.runs
    ]


def test_what_varies_is_named_in_order(study: StudyFile) -> None:
    results = StudyResults(study, tuple(rows_of(study)))
    assert results.measures == {"psf": ("psf:alpha=2", "psf:alpha=1"), "wait_mean": ("wait_mean",)}
    assert results.parameters == {
        "policy": ("queues", "auction"),
        "rho": ("1", "2"),
        "seed": ("0", "1", "2"),
        "threshold": ("30m", "2h"),
        "alpha": ("1", "2"),
    }
    assert results.numbers("threshold") == [1800, 7200]
    assert results.numbers("policy") is None


def test_a_point_is_a_mean_with_its_interval_and_its_nearest_run(study: StudyFile) -> None:
    results = StudyResults(study, tuple(rows_of(study)))
    curves = results.curves("psf", "alpha", "policy", ("rho", "threshold"))
    assert [(curve.facet, curve.colour) for curve in curves] == [
        ((rho, threshold), policy)
        for rho in ("1", "2")
        for threshold in ("30m", "2h")
        for policy in ("queues", "auction")
    ]
    first, second = curves[5].points
    assert (first.x, second.x) == ("1", "2")
    assert (first.mean, first.count) == (pytest.approx(2111), 3)
    half = 4.3027 * 10 / math.sqrt(3)  # of 2101, 2111, 2121
    assert (first.high - first.mean, first.mean - first.low) == pytest.approx((half, half), rel=1e-4)
    assert results.rows[first.run] is not None
    assert study.runs[first.run].policy.seed == 1
    assert (first.metric, study.runs[first.run].base) == ("psf:alpha=1", "auction")


def test_what_has_not_come_is_left_out(study: StudyFile) -> None:
    rows = [
        row if run.policy.seed == 0 else None for run, row in zip(study.runs, rows_of(study), strict=True)
    ]
    results = StudyResults(study, tuple(rows))
    (only,) = results.curves("wait_mean", "seed")
    (point,) = only.points
    assert (point.x, point.mean, point.low, point.high, point.count) == ("0", 0, 0, 0, 4)
    assert results.done == 8
    assert results.errors == {"it failed": 4}
