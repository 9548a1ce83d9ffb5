"""The letters of formulas: all are explained, and none that is a unit or a word."""

import re

import pytest

from engine.metrics.catalog import METRICS
from engine.metrics.letters import LETTERS, explain_letters
from engine.quantities import QUANTITIES

_LOCAL = {"x", "n"}
"""Letters that a formula explains itself, or a sign: 3 x 4."""


@pytest.mark.parametrize(
    ("formula", "letters"),
    [
        ("Q = b - s", "Q wait; b start; s submission"),
        ("max(1, F / max(D, 10 s))", "F response, from submission to end; D runtime"),
        ("a user's share", "a area, processors times runtime"),
        ("the user's share", ""),
        ("VEET_u", "u a user"),
        ("c > EET", "c end; EET expected end time"),
        ("", ""),
    ],
)
def test_letters_are_explained_in_their_order(formula: str, letters: str) -> None:
    assert explain_letters(formula) == letters


def test_every_letter_of_a_formula_is_explained() -> None:
    formulas = [metric.formula for metric in METRICS.values()]
    formulas += [quantity.formula for quantity in QUANTITIES.values()]
    assert sum(map(bool, formulas)) > 40
    for formula in formulas:
        units = re.sub(r"\d (s|min)\b", "", formula)
        single = set(re.findall(r"(?<![A-Za-z'])[A-Za-z](?![A-Za-z'])", units.replace("P_i", "")))
        assert single <= LETTERS.keys() | _LOCAL, formula


def test_a_definition_is_a_sentence_before_its_formula() -> None:
    for metric in METRICS.values():
        first = metric.definition.split(". ")[0]
        assert len(first.split()) >= 3, metric.name
        assert not re.match(r"[A-Za-z_^0-9]+ = |sum|sqrt|\(|\d ", first), metric.name
    assert METRICS["awq"].definition.endswith(
        "Formula: AWQ = sum(a Q) / sum(a) (a area, processors times runtime; Q wait)."
    )
