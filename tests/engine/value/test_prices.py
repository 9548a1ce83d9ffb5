import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.value.prices import parse_prices, price, priced_queue


def test_prices_of_three_queues() -> None:
    assert price(np.arange(3), 3, 100, 10_000).tolist() == [100, 3400, 6700]
    values = np.array([0, 100, 3399.9, 3400, 6699, 6700, 10_000, 99_999.0])
    assert priced_queue(values, 3, 100, 10_000).tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


@given(
    st.integers(1, 60),
    st.floats(0, 1000),
    st.floats(0.001, 1e6),
    st.lists(st.floats(0, 1e7), max_size=20),
)
def test_a_job_goes_to_the_dearest_queue_not_above_its_value(
    queues: int, low: float, span: float, values: list[float]
) -> None:
    high = low + span
    prices = [low + i * (high - low) / queues for i in range(queues)]
    values += prices  # at a price itself rounding decides nothing
    found = priced_queue(np.array(values), queues, low, high).tolist()
    assert found == [max((i for i in range(queues) if prices[i] <= v), default=0) for v in values]


def test_spellings() -> None:
    assert str(parse_prices("0100..10000.50")) == "100..10000.5"
    for text in ("", "100", "100..", "5..5", "7..5", "-1..5", "a..b"):
        with pytest.raises(InputError, match="prices cannot be"):
            parse_prices(text)
