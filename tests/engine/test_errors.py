"""Messages are one line of bounded length, whatever they quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import LONGEST, InputError, single_line


@given(st.text(st.characters(exclude_categories=[])) | st.text().map(lambda text: text * 500))
def test_every_message_is_a_line_that_can_be_written(text: str) -> None:
    found = str(InputError(text))
    assert len(found.splitlines()) <= 1
    assert len(found) <= LONGEST
    assert single_line(found) == found


def test_what_can_be_shown_stays_as_it_is() -> None:
    assert single_line("12\u202f500 jobs, Žluťoučký ☃") == "12\u202f500 jobs, Žluťoučký ☃"
    assert single_line("a\nb\udcff\x1b") == r"a\nb\udcff\x1b"


def test_a_long_message_keeps_both_ends() -> None:
    found = single_line("log.swf: " + "x" * 5000 + "; spell it like 8c")
    assert found.startswith("log.swf: xxx")
    assert found.endswith("; spell it like 8c")
    assert len(found) < LONGEST


def test_advice_for_programmers_is_left_out() -> None:
    with pytest.raises(ValueError, match="set_int_max_str_digits") as found:
        int("9" * 5000)
    text = str(InputError(f"x.toml: {found.value}"))
    assert text.startswith("x.toml: Exceeds the limit (4300 digits)")
    assert "sys." not in text
