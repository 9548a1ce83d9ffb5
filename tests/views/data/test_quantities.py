"""A quantity of any unit is shown wherever quantities are, without a line that knows of it."""

from typing import get_args

import numpy as np
import pytest

from engine.filter.fields import Field
from engine.quantities import Jobs, Need, Quantity, Unit, offered
from tests.traces import make_trace
from tests.views.results import make_result
from views.data.gantt.colours import COLOUR_NAMES, COLOURS, ColourMode, classify
from views.data.measures import MEASURES, Measure
from views.data.samples import samples_of
from views.text.units import UNITS

COUNTED = [unit for unit in get_args(Unit) if unit != "name"]


def some_quantity(unit: Unit) -> Quantity:
    """Half the wait, in any unit; of the last job there is none."""

    def half(jobs: Jobs) -> np.ndarray:
        return np.where(np.arange(len(jobs)) == len(jobs) - 1, np.nan, jobs.known_schedule.wait / 2)

    return Quantity("half", "Half a wait", unit, "half the wait", half, (Need.RUN,))


def test_menus_and_choosers_offer_what_the_table_does() -> None:
    assert list(COLOUR_NAMES) == list(offered("colour")) == list(get_args(ColourMode))
    assert set(MEASURES) == set(offered("plot"))


@pytest.mark.parametrize("unit", COUNTED)
def test_any_unit_is_read_drawn_and_asked_for(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace([0] * 4, [10] * 4)
    result = make_result(trace, [0, 30, 100_000, 5])
    quantity = some_quantity(unit)
    monkeypatch.setitem(COLOURS, "half", quantity)
    classes = classify(result.fared, "half")
    assert len(classes.names) == len(classes.colours)
    assert classes.names[classes.of_job[3]] == "no value"
    assert classes.of_job[0] <= classes.of_job[1] <= classes.of_job[2] < classes.of_job[3]
    samples = samples_of(Measure("half", quantity), "job", [result])
    assert samples.lacking == ""
    np.testing.assert_array_equal(samples.runs[0].values, [0, 15, 50_000, np.nan])
    assert samples.measure.title_over("user") == "Mean half a wait"
    field = Field("half", quantity)
    example = field.kind.parse(field.kind.example)
    assert field.kind.parse(field.kind.format(example)) == example
    assert UNITS[unit].show(12.0) != UNITS[unit].show(None) == UNITS[unit].show(float("nan"))
