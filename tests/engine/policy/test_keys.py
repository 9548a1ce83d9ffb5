import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.policy.key import Range
from engine.policy.keys import KEY, KEYS
from engine.policy.policy import Policy, parse_policy
from engine.policy.static_order import STATIC_ORDERS
from tests.engine.policy.spellings import numbers_of, spellings

RANGES = [
    *((key.name, key.range) for key in KEYS if key.range is not None),
    *((word, span) for key in KEYS for word, span in key.families),
]


@given(st.data())
def test_every_spelling_is_read_and_spelled_the_same(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(KEYS))
    text = data.draw(spellings(key))
    assert key.format(key.parse(text)) == text


def test_the_keys_are_those_of_a_policy() -> None:
    assert [key.name for key in KEYS] == list(KEY)
    no_keys = {"preset", "file", "site", "own", "variant"}
    assert {key.name for key in KEYS} == {field.name for field in fields(Policy)} - no_keys
    easy = parse_policy("easy")
    for key in KEYS:
        assert key.help
        assert "\n" not in key.help
        assert key.format(key.parse(easy.format_key(key.name))) == easy.format_key(key.name)
    assert "fairshare" not in STATIC_ORDERS


@pytest.mark.parametrize(
    ("name", "text", "spelled"),
    [
        ("depth", "007", "7"),
        ("estimate", "scaled1.50", "scaled1.5"),
        ("estimate", "survival2.0", "survival2"),
        ("relaxed", ".5", "0.5"),
        ("relaxed", "0.000000001", "0.000000001"),
        ("relaxed", "1", "1"),
        ("threshold", "90m", "90m"),
        ("threshold", "3600", "1h"),
        ("half_life", "72h", "3d"),
        ("gate", "yes", "on"),
        ("gate", "False", "off"),
        ("test_limit", "000100", "100"),
    ],
)
def test_values_have_one_spelling(name: str, text: str, spelled: str) -> None:
    key = KEY[name]
    assert key.format(key.parse(text)) == spelled


@pytest.mark.parametrize(("name", "span"), RANGES, ids=[name for name, _ in RANGES])
def test_ranges_take_what_lies_in_them_and_nothing_else(name: str, span: Range) -> None:
    assert 0 <= span.low <= span.reach <= span.high
    assert 0 < span.step < span.reach
    assert span.parse(name, span.format(span.low)) == span.low
    assert span.parse(name, span.format(span.reach)) == span.reach
    below = span.low - 1 if span.kind != "real" else span.low / 2
    outside = [below] if 0 <= below < span.low else []
    if math.isfinite(span.high):
        assert span.parse(name, span.format(span.high)) == span.high
        outside.append(span.high + 1)
    for number in outside:
        with pytest.raises(InputError, match=f"^{name} cannot be .*: it is {span}$"):
            span.parse(name, span.format(number))


@given(st.data())
def test_numbers_of_a_range_round_trip(data: st.DataObject) -> None:
    name, span = data.draw(st.sampled_from(RANGES))
    text = data.draw(numbers_of(span))
    number = span.parse(name, text)
    assert span.low <= number <= span.high
    assert span.format(number) == text
    assert isinstance(number, float) == (span.kind == "real")


@pytest.mark.parametrize("text", ["", "-1", "+1", "1e3", "0x1", "1_000", "1.", "nan", "inf", " 1", "²"])
def test_what_is_no_number(text: str) -> None:
    for kind in ("count", "real"):
        with pytest.raises(InputError, match=r"^relaxed cannot be .*number from 0 to 9$"):
            Range(kind, 0, 9, 5).parse("relaxed", text)  # type: ignore[arg-type]
