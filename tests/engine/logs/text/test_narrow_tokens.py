import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.logs.text.narrow_tokens import narrowest, tokenize_narrow
from engine.logs.text.tokens import tokenize
from engine.trace.peak import most_at_once
from tests.engine.logs.text.test_tokens import LINES


@settings(max_examples=60, deadline=None)
@given(
    st.lists(LINES, max_size=12).map(lambda lines: "\n".join([*lines, ""]).encode("latin-1")),
    st.integers(1, 200),
)
def test_blocks_of_any_size_give_what_the_whole_text_gives(text: bytes, block: int) -> None:
    data = np.frombuffer(text, np.uint8).copy()
    seen: list[float] = []
    narrow, whole = tokenize_narrow(data, seen.append, block), tokenize(data)
    for k in range(1, 19):
        assert narrow.field(k).tolist() == whole.field(k).tolist()
        assert narrow.fraction(k).tolist() == whole.fraction(k).tolist()
    assert narrow.line.tolist() == whole.line.tolist()
    assert narrow.width.tolist() == whole.width.tolist()
    assert narrow.has_more.tolist() == (whole.extra[0] >= 0).tolist()
    assert (narrow.header, narrow.bad, narrow.bad_lines) == (whole.header, whole.bad, whole.bad_lines)
    assert len(narrow) == len(whole)
    assert seen == sorted(seen)
    assert not text or seen[-1] == 1.0


@pytest.mark.parametrize(
    ("most", "kind"),
    [(127, np.int8), (-128, np.int8), (128, np.int16), (32_768, np.int32), (1 << 31, np.int64)],
)
def test_numbers_take_as_few_bits_as_hold_all_of_them(most: int, kind: type) -> None:
    found = narrowest(np.array([0, most]))
    assert found.dtype == kind
    assert found.tolist() == [0, most]


RUNS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(RUNS)
def test_the_most_at_once_is_the_most_of_any_second(runs: list[tuple[int, int, int]]) -> None:
    start, length, amount = (np.array(column) for column in zip(*runs, strict=True))
    each = [sum(a for s, d, a in runs if s <= second < s + d) for second in range(30)]
    assert most_at_once(start, start + length, amount) == max(each)
