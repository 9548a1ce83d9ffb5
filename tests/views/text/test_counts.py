import pytest

from engine.words import listed, natural
from views.text.counts import clip, format_count, format_seconds, plural


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (45, "45 s"),
        (60, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (3661, "1 h 1 min"),
        (90_000, "1 d 1 h"),
        (86_400, "1 d"),
        (-90, "-1 min 30 s"),
        (59.6, "1 min"),
        (1e7, "115 d 17 h"),
    ],
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_counts() -> None:
    assert format_count(1234567) == "1\u202f234\u202f567"
    assert plural(1, "user") == "1 user"
    assert plural(2000, "user") == "2\u202f000 users"


def test_lists() -> None:
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_what_others_wrote_is_clipped_to_a_line() -> None:
    assert clip("a\nfew  words") == "a few words"
    assert clip("x" * 80) == "x" * 80
    assert clip("x" * 81) == "x" * 79 + "…"
    assert clip(" " * 200) == "…"
    assert clip("\x1b[31m\u202ename") == "\\x1b[31m\\u202ename"


def test_names_sort_by_the_values_of_their_numbers() -> None:
    names = ["c10", "c2", "c", "ca", "10", "9", "x1y2", "x1y10", "x01", "c" + "9" * 2000]
    assert sorted(names, key=natural) == [
        *("9", "10", "c", "c2", "c10", "c" + "9" * 2000, "ca", "x01", "x1y2", "x1y10"),
    ]
