import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.score.complete import complete_formula
from engine.score.names import FUNCTIONS, VARIABLES
from engine.score.parse import FormulaError, names_of, parse_formula, parse_score
from engine.score.program import evaluate
from tests.engine.score.naive import Formula, formulas

JOB = {"wait": 90.0, "walltime": 60.0, "procs": 4.0, "ram": 0.0}


def value(text: str) -> float:
    return float(
        evaluate(parse_formula(text), {name: np.array([number]) for name, number in JOB.items()}).item()
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1 - 2 - 3", -4),
        ("2 * 3 + 4 * 5", 26),
        ("12 / 2 / 3", 2),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("--3", 3),
        ("1 + 2 < 4", 1),
        ("not 1 < 2", 0),
        ("not not 5", 1),
        ("1 < 2 and 2 < 1 or 1", 1),
        ("0 or 0 and 1", 0),
        ("if(wait > 60, procs, ram)", 4),
        ("min(3, 1, 2) + max(1, 2, 3)", 4),
        ("(wait / walltime) ^ 3 * procs", 13.5),
        (".5e1+1.", 6),
        ("5 / 0", math.inf),
        ("-5 / 0", -math.inf),
        ("5 / -0", math.inf),
        ("log(0)", -math.inf),
        ("exp(1000) > 10 ^ 300", 1),
    ],
)
def test_by_hand(text: str, result: float) -> None:
    assert value(text) == result


@pytest.mark.parametrize("text", ["0 / 0", "sqrt(-1)", "log(-1)", "(-8) ^ 0.5", "exp(1000) - exp(1000)"])
def test_what_is_not_a_number(text: str) -> None:
    assert math.isnan(value(text))


@given(formulas(*JOB, leaves=12))
def test_a_formula_means_what_it_says(formula: Formula) -> None:
    text, meaning = formula
    assert value(text) == pytest.approx(meaning(JOB), nan_ok=True, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "character", "message"),
    [
        ("", 1, "expected a number or a name, found the end"),
        ("wait +", 7, "found the end"),
        ("wait + * 2", 8, "found '*'"),
        ("wait procs", 6, "expected an operator"),
        ("(wait", 1, "a '(' without a ')'"),
        ("wait)", 5, "a ')' without a '('"),
        ("wiat / 2", 1, "nothing is called 'wiat'; did you mean 'wait'?"),
        ("2 * lgo(wait)", 5, "there is no function 'lgo'; did you mean 'log'?"),
        ("wait(2)", 1, "there is no function 'wait'"),
        ("log", 4, "expected '(' after log"),
        ("log(1, 2)", 1, "log takes 1 value, not 2"),
        ("if(1, 2)", 1, "if takes 3 values, not 2"),
        ("min(1)", 1, "min takes at least 2 values, not 1"),
        ("1 < wait < 2", 10, "join them by 'and'"),
        ("wait = 2", 6, "did you mean '=='?"),
        ("1e999", 1, "too large"),
        ("wait ** 2", 7, "found '*'"),
        ("__import__(os)", 1, "there is no function"),
        ("wait; 1", 5, "an unexpected ';'"),
        ("(" * 50 + "1" + ")" * 50, 42, "more than 40 brackets"),
        ("-" * 50 + "1", 42, "more than 40 operators"),
        ("1+" * 300 + "1", 401, "at most 400 characters"),
    ],
)
def test_errors_name_the_character_and_what_may_be_meant(text: str, character: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert message in str(caught.value)
    assert caught.value.message.startswith(f"at character {character}: ")
    with pytest.raises(InputError, match="cannot be read, at character"):
        parse_score(text)


@given(st.text("()+-*/^<>=.,0123 waitproclogmxnd", max_size=30))
def test_any_text_is_a_formula_or_an_error_within_it(text: str) -> None:
    character = 0
    try:
        node = parse_formula(text)
    except FormulaError as error:
        character = error.position
    else:
        assert names_of(node) <= VARIABLES.keys()
        assert parse_formula(parse_score(text).text) == node
    assert 0 <= character <= len(text)


def test_the_longest_formulas_are_worked_out() -> None:
    assert value("1+" * 199 + "1") == 200
    assert value("-" * 40 + "1") == 1


def test_spaces_are_single() -> None:
    assert parse_score("  wait /\t walltime").text == "wait / walltime"


def test_completion() -> None:
    def offered(before: str) -> tuple[int, list[str]]:
        found = complete_formula(before)
        return found.start, [offer.word for offer in found.offers]

    assert offered("")[1] == [*VARIABLES, *(f"{name}(" for name in FUNCTIONS), "not"]
    assert offered("2 * wal") == (4, ["walltime"])
    assert offered("wa")[1] == ["wait", "walltime"]
    assert offered("wait ")[1][:3] == ["+", "-", "*"]
    assert offered("wait a") == (5, ["and"])
    assert offered("log(")[1][0] == "wait"
    assert offered("(wait)")[1][0] == "+"
    assert offered("§ wa") == (2, [])
