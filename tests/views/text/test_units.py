"""Headings of columns, with the units that their values are shown in."""

import pytest

from engine.metrics.catalog import METRICS
from engine.quantities import QUANTITIES
from views.text.metrics import format_value, metric_heading
from views.text.units import UNITS, heading
from views.text.values import processor_time


@pytest.mark.parametrize(
    ("title", "unit", "expected"),
    [
        ("Mean wait", "s", "Mean wait, d h min s"),
        ("Area", "%", "Area, %"),
        ("Weighted tardiness", "processor-s", "Weighted tardiness, CPU h"),
        ("RAM", "MiB", "RAM"),
        ("Jobs", "", "Jobs"),
        ("Submit", "s from the log's zero", "Submit"),
        ("Utilization, %", "%", "Utilization, %"),
        ("Net, h", "h", "Net, h"),
        ("Load (%)", "%", "Load (%)"),
        ("Mean queue depth", "min", "Mean queue depth, min"),
    ],
)
def test_headings_name_the_units_of_shown_values(title: str, unit: str, expected: str) -> None:
    assert heading(title, unit) == expected


@pytest.mark.parametrize("name", list(QUANTITIES))
def test_every_quantity_is_shown_in_a_unit_of_its_heading(name: str) -> None:
    unit = UNITS[QUANTITIES[name].unit]
    for value in (0.0, 3.0, 90.0, 5e3, 2e5, 3e6):
        shown = unit.show(value).split()[1:]
        units = [word for word in shown if not word[0].isdigit() and word not in ("k", "M", "CPU")]
        if QUANTITIES[name].unit not in ("time", "name", "MiB", "J"):  # whose values name their units
            assert set(units) <= set(unit.column.split()), (unit.show(value), unit.column)


@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_is_shown_in_a_unit_of_its_heading(name: str) -> None:
    metric = METRICS[name]
    text = metric_heading(metric)
    assert text.startswith(metric.label)
    words = format_value(metric, 0.5 if metric.share else 3).split()
    for unit in (word for word in words[1:] if not word[0].isdigit()):
        assert unit in text.split(", ")[-1].split()


def test_little_processor_time_has_no_exponent() -> None:
    shown = [processor_time(seconds) for seconds in (0.0, 2.0, 3.6, 900.0)]
    assert shown == ["0 CPU h", "< 0.001 CPU h", "0.001 CPU h", "0.250 CPU h"]
