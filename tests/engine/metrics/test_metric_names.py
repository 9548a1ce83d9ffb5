import numpy as np
import pytest

from engine.errors import InputError
from engine.metrics.catalog import METRICS
from engine.metrics.metric_names import parameterised_values, parse_metric
from engine.metrics.summary import summary
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace

SCHEDULE = make_schedule(make_trace([0, 10, 20, 30], [100, 4, 20, 9], [2, 4, 1, 5]), [0, 100, 104, NOT_RUN])


@pytest.mark.parametrize("name", list(METRICS))
def test_names_of_the_table(name: str) -> None:
    assert parse_metric(f" {name} ") is METRICS[name]


def test_a_name_with_its_number() -> None:
    metric = parse_metric("psf:alpha=1.5")
    assert metric.name == "psf:alpha=1.5"
    assert metric.label.endswith(", alpha = 1.5")
    assert (metric.unit, metric.better) == ("s", "lower")
    assert parse_metric("response_l:p=3").label == "Response norm, p = 3"
    assert parse_metric("psf:alpha=0").name == "psf:alpha=0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("psf", "spell it like psf:alpha=1.5"),
        ("psf:p=2", "spell it like psf:alpha=1.5"),
        ("psf:alpha=", "spell it like psf:alpha=1.5"),
        ("psf:alpha=-1", "spell it like psf:alpha=1.5"),
        ("psf:alpha=nan", "spell it like psf:alpha=1.5"),
        ("psf:alpha=1e400", "spell it like psf:alpha=1.5"),
        ("response_l:q=2", "spell it like response_l:p=1.5"),
        ("response_l:p=0.5", "p is at least 1"),
        ("wait_maen", "did you mean 'wait_mean'"),
        ("response:p=3", "did you mean 'response_l:p=1.5'"),
        (
            "",
            "spelled awf:weight=procs, awq:weight=procs, psf:alpha=1.5, response_l:p=1.5, value:delta",
        ),
        ("wait_mean:p=3", "there is no metric"),
        ("awf:weight=rma", "did you mean 'ram'"),
        ("awq:weight=", "spell it like awq:weight=procs, weight one of procs, ram"),
        ("awq:p=2", "spell it like awq:weight=procs"),
    ],
)
def test_errors_name_the_right_spelling(text: str, message: str) -> None:
    with pytest.raises(InputError, match="metric") as caught:
        parse_metric(text)
    assert message in str(caught.value)


def test_areas_are_weighed_by_a_column_too() -> None:
    trace = make_trace([0, 10, 20], [100, 4, 20], [2, 4, 1], ram=[30, 10, -1], walltime=[200, 5, 20])
    schedule = make_schedule(trace, [0, 100, 104])  # responses 100, 94, 104 and areas 200, 16, 20
    names = ["awf:weight=ram", "awq:weight=ram", "awf:weight=walltime", "awf:weight=worth", "awf:weight=gpus"]
    values = summary(schedule, extra=names)
    assert values["awf:weight=ram"] == pytest.approx(
        (6000 * 100 + 160 * 94) / 6160
    )  # missing values count as 0
    assert values["awq:weight=ram"] == pytest.approx(160 * 90 / 6160)
    weights = [200 * 200, 5 * 16, 20 * 20]
    text = sum(w * f for w, f in zip(weights, (100, 94, 104), strict=True)) / sum(weights)
    assert values["awf:weight=walltime"] == pytest.approx(text)
    worth = np.random.default_rng(0).normal(5000, 2000, 3) * [200, 16, 20]
    assert values["awf:weight=worth"] == pytest.approx((worth * [100, 94, 104]).sum() / worth.sum())
    assert values["awf:weight=gpus"] is None  # the log knows none
    assert parse_metric("awf:weight=ram").label == "Area-weighted response, weight = ram"


def test_values_come_after_those_of_the_table_under_the_very_name() -> None:
    names = ["response_l:p=2", "psf:alpha=2", "wait_mean", "psf:alpha=0.5"]
    values = summary(SCHEDULE, extra=names)
    assert list(values)[: len(METRICS)] == list(METRICS)
    assert list(values)[len(METRICS) :] == ["response_l:p=2", "psf:alpha=2", "psf:alpha=0.5"]
    assert values["response_l:p=2"] == values["response_l2"]
    assert values["psf:alpha=2"] == values["psf2"]
    half = values["psf:alpha=0.5"]
    assert half is not None
    assert half < (values["psf1"] or 0)
    with pytest.raises(InputError):
        summary(SCHEDULE, extra=["psf:alpha"])


def test_without_jobs_there_is_no_value() -> None:
    nothing = SCHEDULE.ran & False
    assert parameterised_values(SCHEDULE, nothing, ["psf:alpha=1.5", "response_l:p=3"]) == {
        "psf:alpha=1.5": None,
        "response_l:p=3": None,
    }


def test_large_values_are_no_powers_of_ten() -> None:
    shown = [METRICS["nuwt_mean"].show(value) for value in (0.0976, 96.04, 4072.4, 1.5e6)]
    assert shown == ["0.0976", "96", "4,072", "1,500,000"]
