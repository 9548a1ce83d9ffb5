import subprocess
import sys

import pytest

from engine.metrics.catalog import METRICS


def test_every_metric_says_what_it_is() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.label[0].isupper()
        assert metric.text.endswith(".")
        assert metric.better in ("lower", "higher", None)
        assert metric.show(12345.678)
    labels = [metric.label for metric in METRICS.values()]
    assert len(set(labels)) == len(labels)


def test_names_of_the_four_times_of_a_job() -> None:
    for name in ("wait", "response", "slowdown", "bounded_slowdown"):
        assert {f"{name}_{quantity}" for quantity in ("mean", "median", "p95", "max")} <= METRICS.keys()


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("wait_mean", 15187.62, "15,188"),
        ("bounded_slowdown_mean", 71.7219, "71.72"),
        ("utilization", 0.70512, "0.7051"),
        ("veet_mean", 33.333, "33.3"),
        ("wt_total", 992485425487, "992,485,425,487"),
        ("passes", None, "–"),
    ],
)
def test_values_as_people_read_them(name: str, value: float | None, text: str) -> None:
    assert METRICS[name].show(value) == text


def test_metrics_need_no_compiler() -> None:
    # The window lists metrics before the compiled parts are loaded.
    code = (
        "import sys, engine.policy.share;"
        "import engine.metrics.summary, engine.metrics.series, engine.metrics.compare;"
        "sys.exit('numba' in sys.modules or 'pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
