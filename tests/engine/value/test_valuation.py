import math

import numpy as np
import pytest

from engine.errors import InputError
from engine.value.valuation import LEAST, job_values, parse_valuation
from tests.traces import make_trace

TRACE = make_trace([0] * 40_000, [10] * 40_000, [1 + k % 7 for k in range(40_000)], ram=[-1, *[64] * 39_999])


@pytest.mark.parametrize(
    ("text", "mean", "spread"),
    [
        ("normal:5000:1000", 5000, 1000),
        ("lognormal:5000:2000", 5000, 2000),
        ("uniform:1000:7000", 4000, 6000 / math.sqrt(12)),
    ],
)
def test_values_are_distributed_as_spelled(text: str, mean: float, spread: float) -> None:
    values = job_values(TRACE, parse_valuation(text), 0)
    assert values.mean() == pytest.approx(mean, rel=0.01)
    assert values.std() == pytest.approx(spread, rel=0.02)
    assert values.min() >= LEAST


def test_a_seed_draws_the_same_values_again_and_another_one_others() -> None:
    normal = parse_valuation("normal:5000:2000")
    values = job_values(TRACE, normal, 3)
    assert (values == job_values(TRACE, normal, 3)).all()
    assert (values != job_values(TRACE, normal, 4)).mean() > 0.9
    drawn = np.random.default_rng(3).normal(5000, 2000, len(TRACE))  # as others draw them
    assert (values == np.where(drawn < 100, 100, drawn)).all()
    assert (values == 100).any()


def test_values_of_a_column_are_those_of_the_log_and_what_is_missing_is_worth_nothing() -> None:
    assert job_values(TRACE, parse_valuation("column:procs"), 0)[:8].tolist() == [1, 2, 3, 4, 5, 6, 7, 1]
    assert job_values(TRACE, parse_valuation("column:ram"), 9)[:2].tolist() == [0, 64]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("normal", "spell it normal:MEAN:SD, lognormal:MEAN:SD, uniform:LOW:HIGH or column:NAME"),
        ("normal:5000", "spell it normal"),
        ("normal:-1:2", "spell it normal"),
        ("normal:1e3:2", "spell it normal"),
        ("pareto:1:2", "spell it normal"),
        ("uniform:2:1", "LOW is above HIGH"),
        ("lognormal:0:1", "above 0"),
        ("column:proc", "did you mean 'procs'"),
        ("column:__class__", "one of runtime, walltime"),
    ],
)
def test_what_is_no_valuation_is_refused_with_what_would_be(text: str, message: str) -> None:
    with pytest.raises(InputError, match="valuation cannot be") as caught:
        parse_valuation(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["normal:5000:2000", "uniform:0:0.5", "lognormal:1:0", "column:walltime"])
def test_spellings_are_read_back(text: str) -> None:
    assert parse_valuation(text).spelling == text
