"""Text that leaves the program can be shown, and tells different names apart."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.shown_text import (
    MOST,
    escaped,
    html_text,
    in_a_line,
    json_text,
    latex_text,
    markdown_text,
    printable,
    shown_name,
    spreadsheet_text,
    terminal_text,
)

NAMES = st.text(st.characters(exclude_categories=[]) | st.sampled_from("\\\x1b\u202e\udce9\n\r\t<&'\"=x"))
"""Any characters, halves of surrogate pairs too."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anna", "anna"),
        ("Jörg 太\u202f7", "Jörg 太\u202f7"),
        ("\u202eevil", r"\u202eevil"),
        (r"\u202eevil", r"\\u202eevil"),
        ("CORP\\anna", r"CORP\\anna"),
        ("\x1b[31mred\x00", r"\x1b[31mred\x00"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("caf\udce9", r"caf\udce9"),
        ("\U000e0041", r"\U000e0041"),
        ("", ""),
    ],
)
def test_what_cannot_be_shown_is_an_escape(name: str, expected: str) -> None:
    assert shown_name(name) == escaped(name) == expected


@given(NAMES)
def test_every_name_can_be_shown_and_found_out_again(name: str) -> None:
    text = escaped(name)
    assert printable(text) == in_a_line(text) == text
    assert "\n" not in text
    text.encode()
    back = re.sub(
        r"\\(\\|x(..)|u(....)|U(.{8})|([nrt]))",
        lambda m: (
            "\\"
            if m[1] == "\\"
            else {"n": "\n", "r": "\r", "t": "\t"}[m[5]]
            if m[5]
            else chr(int(m[2] or m[3] or m[4], 16))
        ),
        text,
    )
    assert back == name, "two names would be one"


@given(st.builds(lambda name, times: name * times, NAMES, st.integers(1, 10_000)))
def test_a_long_name_is_cut_in_its_middle(name: str) -> None:
    text = shown_name(name)
    assert len(text) <= MOST
    assert printable(text) == text
    if len(escaped(name)) <= MOST:
        assert text == escaped(name)
    else:
        begin, end = text.split("…", 1) if "…" not in name else (text[:10], text[-10:])
        assert escaped(name).startswith(begin) or "…" in name
        assert escaped(name).endswith(end) or "…" in name
        assert len(text) > MOST - 20


def test_what_is_cut_keeps_both_ends_and_whole_escapes() -> None:
    text = shown_name("begin" + "\u202e" * 10_000 + "end")
    assert text.startswith(r"begin\u202e\u202e")
    assert text.endswith(r"\u202eend")
    assert re.fullmatch(r"begin(\\u202e)+…(\\u202e)+end", text)


@given(NAMES)
def test_html_shows_a_text_as_text(name: str) -> None:
    class Reader(HTMLParser):
        """The text and the attribute of a page."""

        def __init__(self) -> None:
            super().__init__()
            self.text, self.attributes = "", []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.attributes += attrs

        def handle_data(self, data: str) -> None:
            self.text += data

    reader = Reader()
    reader.feed(f'<p title="{html_text(name)}">{html_text(name)}</p>')
    reader.close()
    assert reader.text == printable(name)
    assert reader.attributes == [("title", printable(name))]


@given(NAMES)
def test_json_reads_back_the_same_without_a_raw_control_character(name: str) -> None:
    for indent in (None, 2):
        text = json_text({name: [name]}, indent)
        assert json.loads(text) == {name: [name]}
        assert printable(text) == text


@given(NAMES)
def test_a_terminal_is_not_controlled(name: str) -> None:
    assert (
        re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", terminal_text(name))
        is None
    )
    assert terminal_text(name + "\r\n").endswith("\r\n")


@given(NAMES)
def test_latex_has_no_command_of_a_name(name: str) -> None:
    plain = re.sub(
        r"\\(textbackslash|textasciitilde|textasciicircum)\{\}|\\[&%$#_{}]|\$\\?[\w^<>-]+\$",
        "",
        latex_text(name),
    )
    assert not set(plain) & set("\\&%$#_{}~^<>\n")


@given(NAMES)
def test_markdown_has_no_markup_of_a_name(name: str) -> None:
    assert not set(re.sub(r"\\[\\|`*_\[\]~$]|&lt;|&amp;", "", markdown_text(name))) & set("\\|`*_[]~$<&\n")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("=cmd|'/c calc'!A0", "'=cmd|'/c calc'!A0"),
        ("+a", "'+a"),
        ("-b", "'-b"),
        ("@c", "'@c"),
        ("\td", r"\td"),
        ("\r=d", r"\r=d"),
        ("-1", "-1"),
        ("+2.5", "+2.5"),
        ("-1e3", "-1e3"),
        ("plain", "plain"),
    ],
)
def test_words_that_a_spreadsheet_would_run_are_words(name: str, expected: str) -> None:
    assert spreadsheet_text(name) == expected
