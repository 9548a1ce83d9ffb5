"""Broken JSON is a ValueError of one line, whatever is wrong with it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.documents.json_input import DEEPEST, parse_json

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(anything)
def test_what_is_written_is_read(value: object) -> None:
    assert parse_json(json.dumps(value)) == parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 500 + "]" * 500], ids=len)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"deeper than {DEEPEST} levels"):
        parse_json(text)


@pytest.mark.parametrize(("open", "close"), [("[", "]"), ('{"a": ', "}")])
def test_the_deepest_nesting_is_read(open: str, close: str) -> None:
    assert parse_json(open * DEEPEST + "1" + close * DEEPEST)
    with pytest.raises(ValueError, match="deeper"):
        parse_json(open * (DEEPEST + 1) + "1" + close * (DEEPEST + 1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1,}',
        b"\xff",
        b'{"\xc3"',
        '"\\ud800"',
        '[["\\udc00 tail"]]',
        '{"\\ud800": 1}',
        "1" * 5000,
        "1 2",
        "\0",
    ],
)
def test_what_is_no_document_is_one_line(text: str | bytes) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 (any of these)
        parse_json(text)
    assert len(str(raised.value).splitlines()) == 1
