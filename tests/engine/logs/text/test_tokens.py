import math
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.logs.text.tokens import KEPT_BAD, Tokens, tokenize

NUMBER = re.compile(r"[+-]?(\d*)(\.\d*)?", re.ASCII)


def read(text: bytes | str) -> Tokens:
    data = text.encode() if isinstance(text, str) else text
    return tokenize(np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8).copy())


def twin(text: bytes) -> dict[str, list[object]]:
    """The same by regular expressions and decimals, a line at a time."""
    out: dict[str, list[object]] = {
        "row": [],
        "fraction": [],
        "line": [],
        "rest": [],
        "bad": [],
        "header": [],
    }
    for number, line in enumerate(text.decode("latin-1").split("\n"), 1):
        stripped = line.lstrip(" \t\r")
        # Comments and blank lines have no row, and comments are kept as the header.
        if stripped.startswith(";"):
            out["header"].append(number)
            continue
        if not stripped:
            continue
        # Only blanks, tabs and returns separate: other white space is part of a word.
        words = re.split(r"[ \t\r]+", stripped.rstrip(" \t\r"))
        values = [exact(word) for word in words[:18]]
        # The first word that is no number, or the first that lacks, is the problem of the line.
        problem = next((k for k, value in enumerate(values, 1) if value is None), None)
        if problem is None and len(values) < 11:
            problem = len(values) + 1
        if problem is not None:
            out["bad"].append((number, problem))
            continue
        # Numbers are kept as whole ones, with a note on which had a fraction.
        floors = [math.floor(value) for value in values if value is not None]
        fractions = [value != math.floor(value) for value in values if value is not None]
        missing = 18 - len(values)
        out["row"].append(floors + [-1] * missing)
        out["fraction"].append(fractions + [False] * missing)
        out["line"].append(number)
        out["rest"].append(words[18:])
    return out


def exact(word: str) -> Decimal | None:
    match = NUMBER.fullmatch(word)
    if match is None or not re.search(r"[0-9]", word) or len(match[1]) > 15 or not word.isascii():
        return None
    return Decimal(word.rstrip(".") if word[-1] == "." else word)


WORDS = st.one_of(
    st.integers(-(10**16), 10**16).map(str),
    st.integers(-2, 3).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.sampled_from(["-1.00", ".5", "-.5", "5.", "+7", "1e5", "-", ".", "--1", "nan", "1,2", "007", "{1,2}"]),
    st.text(st.characters(codec="latin-1", exclude_characters="\n"), max_size=5),
)
LINES = st.tuples(
    st.sampled_from(["", "", " ", "\t", ";", "; Version: 2.2"]),
    st.one_of(
        st.lists(st.integers(-9, 99999).map(str), min_size=9, max_size=21),
        st.lists(WORDS, max_size=22),
    ),
    st.sampled_from([" ", "  ", "\t", " \t "]),
    st.sampled_from(["", " ", "\r", " \r"]),
).map(lambda parts: parts[0] + parts[2].join(parts[1]) + parts[3])


@settings(max_examples=120, deadline=None)
@given(st.lists(LINES, max_size=8).map(lambda lines: "\n".join([*lines, ""]).encode("latin-1")))
def test_any_text_is_read_as_by_the_twin(text):
    tokens, slow = read(text), twin(text if text.endswith(b"\n") else text + b"\n")
    assert tokens.fields.T.tolist() == slow["row"]
    fractions = (tokens.fractions[:, None] >> np.arange(18)) & 1
    assert fractions.astype(bool).tolist() == slow["fraction"]
    assert tokens.line.tolist() == slow["line"]
    assert tokens.bad == len(slow["bad"])
    found = [(bad.number, int(bad.problem.split()[1])) for bad in tokens.bad_lines]
    assert found == slow["bad"]
    assert len(tokens.header) == len(slow["header"])
    rest = [text[a:b].decode("latin-1") if a >= 0 else "" for a, b in tokens.extra.T.tolist()]
    assert [re.split(r"[ \t\r]+", r.rstrip(" \t\r")) if r else [] for r in rest] == slow["rest"]


ROW = " ".join(map(str, range(1, 19)))


def test_fields_are_numbered_as_the_format_numbers_them():
    tokens = read(ROW)
    assert [int(tokens.field(k)[0]) for k in range(1, 19)] == list(range(1, 19))
    assert tokens.width.tolist() == [18]
    assert tokens.extra[0].tolist() == [-1]


def test_line_ends_blank_lines_and_comments_anywhere():
    tokens = read(f"; Version: 2.2\r\n\r\n{ROW}\r\n;x\n   \n\t{ROW}\t")
    assert tokens.line.tolist() == [3, 6]
    assert tokens.header == (" Version: 2.2", "x")
    assert tokens.bad == 0


@pytest.mark.parametrize(
    ("word", "floor", "fraction"),
    [
        ("1.5", 1, 1),
        ("-1.5", -2, 1),
        ("-0.5", -1, 1),
        ("2.00", 2, 0),
        (".25", 0, 1),
        ("5.", 5, 0),
        ("+3", 3, 0),
    ],
)
def test_numbers_round_down(word, floor, fraction):
    tokens = read(ROW.replace("4 5", f"{word} 5", 1))
    assert tokens.field(4)[0] == floor
    assert tokens.fraction(4)[0] == fraction
    assert tokens.fractions[0] == fraction << 3


@pytest.mark.parametrize("digits", [15, 16, 19, 20, 100])
def test_a_number_too_large_is_a_bad_line_and_never_overflows(digits):
    tokens = read(f"{ROW}\n{'9' * digits} {ROW}")
    if digits <= 15:
        assert tokens.field(1)[1] == int("9" * digits)
    else:
        assert [bad.number for bad in tokens.bad_lines] == [2]
        assert tokens.bad_lines[0].problem == "field 1 has more than 15 digits"


@pytest.mark.parametrize(
    "word", ["1e5", "nan", "-", "+", ".", "1-", "1.2.3", "x", "0x1", "1,5", "٣", "1\x000"]
)
def test_what_is_no_number_makes_a_bad_line(word):
    tokens = read(f"{ROW}\n{ROW.replace('4', word, 1)}\n{ROW}")
    assert tokens.line.tolist() == [1, 3]
    (bad,) = tokens.bad_lines
    assert (bad.number, bad.problem) == (2, "field 4 is not a number")
    assert bad.text.isprintable()
    assert bad.text.startswith("1 2 3")


@pytest.mark.parametrize("count", range(1, 21))
def test_lines_need_the_fields_up_to_the_status(count):
    tokens = read(" ".join(["7"] * count))
    assert len(tokens) == (count >= 11)
    if count < 11:
        assert tokens.bad_lines[0].problem == f"field {count + 1} is missing"
    else:
        assert tokens.fields[:, 0].tolist() == ([7] * count + [-1] * 18)[:18]
        assert tokens.width[0] == min(count, 18)


def test_the_rest_behind_the_18_fields_is_found():
    text = f"{ROW}  {{12,12}} q_1d 1:ppn=2 \n{ROW}\n"
    (begin, _), (end, _) = read(text).extra.tolist()
    assert text[begin:end] == "{12,12} q_1d 1:ppn=2 "


def test_only_the_first_bad_lines_are_kept_and_all_are_counted():
    tokens = read("x\n" * 1000 + ROW)
    assert tokens.bad == 1000
    assert [bad.number for bad in tokens.bad_lines] == list(range(1, KEPT_BAD + 1))
    assert tokens.line.tolist() == [1001]


def test_a_text_of_several_blocks_is_read_as_one():
    lines = [ROW.replace("1 2 3", f"{k} {k} 3", 1) for k in range(120_000)]
    seen: list[float] = []
    data = np.frombuffer("\n".join([*lines, ""]).encode(), np.uint8).copy()
    tokens = tokenize(data, seen.append)
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert np.array_equal(tokens.field(1), np.arange(120_000))
    assert np.array_equal(tokens.line, np.arange(1, 120_001))
