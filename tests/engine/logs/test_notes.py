from __future__ import annotations

from engine.trace.trace import Note


def test_what_a_note_quotes_is_shown_in_one_line():
    note = Note("rule", "nodes \x1b[31mred\x07, a\nb, \u202eevil, 1\u202f000", 1, (3,))
    assert note.text == "nodes \\x1b[31mred\\x07, a\\nb, \\u202eevil, 1\u202f000"
    assert len(Note("rule", "x" * 5000, 1).text) < 1100
