"""The table of a study's results: what varies, and the values of its runs."""

from pathlib import Path

import pytest

from engine.sweep.parameters import numbers_of
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile, read_study_file
from engine.sweep.study_results import StudyResults


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
    table = StudyResults(study, tuple(rows_of(study))).table
    assert table.families == {"psf": ("psf:alpha=2", "psf:alpha=1"), "wait_mean": ("wait_mean",)}
    several = {name: values for name, values in table.parameters.items() if len(values) > 1}
    assert several == {
        "policy": ("queues", "auction"),
        "rho": ("1", "2"),
        "seed": ("0", "1", "2"),
        "threshold": ("30m", "2h"),
        "alpha": ("1", "2"),
    }
    assert "alpha" not in table.parameters_of("wait_mean")
    assert numbers_of("threshold", table.parameters["threshold"]) == [1800, 7200]
    assert numbers_of("policy", table.parameters["policy"]) is None


def test_values_know_their_runs(study: StudyFile) -> None:
    table = StudyResults(study, tuple(rows_of(study))).table
    for found in table.observations("psf"):
        run = study.runs[found.row]
        rho, alpha = run.conditions.scaling.rho, int(found.at["alpha"])
        assert found.value == 1000 * rho + 100 * (run.base == "auction") + 10 * run.policy.seed + alpha
        assert found.at["seed"] == str(run.policy.seed)
        assert table.spellings[found.row] == run.policy.spelling


def test_what_has_not_come_is_left_out(study: StudyFile) -> None:
    rows = [
        row if run.policy.seed == 0 else None for run, row in zip(study.runs, rows_of(study), strict=True)
    ]
    results = StudyResults(study, tuple(rows))
    found = results.table.observations("wait_mean")
    assert [(one.at["seed"], one.at["policy"], one.value) for one in found] == [("0", "queues", 0.0)] * 4
    assert results.done == 8
    assert results.errors == {"it failed": 4}
