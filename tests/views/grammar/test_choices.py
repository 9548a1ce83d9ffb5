"""What a reader chooses from lists: every offered choice can be drawn, and parameters change places."""

from itertools import product

import numpy as np
import pytest

from engine.sweep.result_table import ResultTable
from views.figures.plots import plots_figure
from views.grammar.choices import ALL, PLACES, chosen, offered_choices, usual_encoding, varied, with_choice
from views.grammar.encoding import Encoding
from views.grammar.marks import summed_parameters
from views.grammar.plots import composition_of

WORDS = tuple(
    {"policy": policy, "rho": rho, "threshold": threshold, "seed": seed}
    for policy, rho, threshold, seed in product(("easy", "fcfs"), "12", ("30m", "2h"), "012")
)
VALUES = np.arange(1.0, 25.0)
TABLE = ResultTable(
    "study", WORDS, {"value:delta=1": VALUES, "value:delta=5": 2 * VALUES, "wait_mean": 3 * VALUES}
)


def test_the_usual_figure_sums_up_over_seeds_alone() -> None:
    usual = usual_encoding(TABLE)
    assert (usual.y, usual.x, usual.colour) == (("value",), "threshold", "policy")
    assert (usual.across, usual.down) == ("rho", "delta")
    assert summed_parameters(composition_of(TABLE, usual).facets) == {"seed": range(3, 4)}
    wait = usual_encoding(TABLE, "wait_mean")
    assert summed_parameters(composition_of(TABLE, wait).facets) == {"seed": range(3, 4)}
    assert "delta" not in wait.shown


def test_parameters_that_have_no_place_left_stand_together() -> None:
    words = tuple({**row, "n": str(k % 2), "machine": f"{k % 3 + 1}x4c"} for k, row in enumerate(WORDS))
    table = ResultTable("study", words, TABLE.measures)
    usual = usual_encoding(table)
    assert "+" in usual.down
    assert set(summed_parameters(composition_of(table, usual).facets)) <= {"seed"}


def test_a_parameter_leaves_the_place_where_it_stood() -> None:
    usual = usual_encoding(TABLE)
    found = with_choice(TABLE, usual, "across", "policy")
    assert (found.across, found.colour) == ("policy", "")
    found = with_choice(TABLE, usual, "style", usual.x)
    assert found.style == usual.x
    assert found.x not in (usual.x, "")
    found = with_choice(TABLE, usual, "colour", usual.x)
    assert found.colour == found.x == usual.x  # colours may say what x says
    found = with_choice(TABLE, usual, "measure", "wait_mean")
    assert found.down == ""  # a wait has no delta
    found = with_choice(TABLE, found, "x", "seed")
    assert found.x == "seed"


@pytest.mark.parametrize("start", ["value", "wait_mean"])
def test_every_offered_choice_can_be_drawn(start: str) -> None:
    encodings: dict[str, Encoding] = {}
    usual = usual_encoding(TABLE, start)
    for name, entries in offered_choices(TABLE, usual).items():
        for value in entries:
            encoding = with_choice(TABLE, usual, name, value)
            assert chosen(encoding, name) == value
            encodings[repr(encoding)] = encoding
            for other, more in offered_choices(TABLE, encoding).items():
                assert chosen(encoding, other) in more, (name, value, other)
                for second in more:
                    encoding_of_two = with_choice(TABLE, encoding, other, second)
                    encodings[repr(encoding_of_two)] = encoding_of_two
    assert len(encodings) > 100
    for encoding in encodings.values():
        page = composition_of(TABLE, encoding).page()
        assert page.plots
        assert all(plot.layers for plot in page.plots)
    some = list(encodings.values())[:: len(encodings) // 8]
    for encoding in some:
        page = composition_of(TABLE, encoding).page()
        assert plots_figure(page, "study").axes


def test_all_measures_have_the_places_that_they_share() -> None:
    every = with_choice(TABLE, usual_encoding(TABLE, "wait_mean"), "measure", ALL)
    assert every.y == ("value", "wait_mean")
    assert "delta" not in varied(TABLE, every.y)
    assert all("delta" not in TABLE.parts_of(name) for place in PLACES if (name := getattr(every, place)))
