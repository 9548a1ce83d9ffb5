import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.row_groups import grouped


@given(st.lists(st.integers(0, 6), max_size=30))
def test_rows_of_each_group_in_their_order(codes: list[int]) -> None:
    order, offset = grouped(np.array(codes, np.int64), 7)
    rows = [order[offset[group] : offset[group + 1]].tolist() for group in range(7)]
    assert rows == [[row for row, code in enumerate(codes) if code == group] for group in range(7)]
