from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.trace import delimited
from engine.trace.delimited import join_names, read_blocks
from engine.trace.records import spell_names


def table(data: bytes, width: int, **options: object) -> tuple[list[tuple[int, bytes, str]], list[int]]:
    """(line, first field, last field) of each line that is read, and the lines that are not."""
    text = np.frombuffer(data, np.uint8)
    blocks = list(read_blocks(text, "|", width, [0], [width - 1], **options))  # type: ignore[arg-type]
    names = join_names([block.columns[width - 1] for block in blocks])
    first = [value for block in blocks for value in block.columns[0].to_pylist()]
    last = [names.names[code] for code in names.codes]
    line = [number for block in blocks for number in block.line.tolist()]
    return list(zip(line, first, last, strict=True)), [k for block in blocks for k in block.bad.tolist()]


@pytest.mark.parametrize("block", [1 << 23, 16])
def test_lines_keep_their_numbers(block, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", block)
    data = b'a|b|c\n\n1|2\r\n4|"5|6\r\n7|8|9|0\n\xff|8|x\n'
    assert table(data, 3) == ([(1, b"a", "c"), (4, b"4", "6"), (6, b"\xff", "x")], [3, 5])
    assert table(data, 3, skip=1)[0][0] == (4, b"4", "6")
    assert table(data, 3, last_takes_rest=True)[0][2] == (5, b"7", "9|0")


def test_a_line_longer_than_a_block_is_left_out(monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 16)
    assert table(b"a|b\n" + b"x" * 40 + b"|1\nc|d\n", 2) == ([(1, b"a", "b"), (3, b"c", "d")], [2])


@given(st.lists(st.binary(max_size=12), max_size=12), st.booleans(), st.integers(16, 40))
def test_a_text_is_read_like_line_by_line(lines, rest, block):
    data = b"".join(line.replace(b"\n", b"|") + b"\n" for line in lines)
    expected, bad = [], []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        own = line.removesuffix(b"\r").replace(b"\r", b" ")
        fields = own.split(b"|", 2 if rest else -1)
        if len(fields) == 3 and b"\x1f" not in own:
            expected.append((number, fields[0], fields[2].decode(errors="backslashreplace")))
        elif len(fields) == 3:
            pass
        elif own:
            bad.append(number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", block)
        found, left_out = table(data, 3, last_takes_rest=rest) if data else ([], [])
    assert [row for row in found if b"\x1f" not in row[1] and "\x1f" not in row[2]] == [
        row for row in expected if b"\x1f" not in row[1]
    ]
    assert set(bad) <= set(left_out)


@pytest.mark.parametrize(
    ("names", "spelled"),
    [
        ([b"a", "caf\u00e9".encode()], ("a", "caf\u00e9")),
        ([b"caf\xe9", b"caf\xe8", b"caf\xff"], ("caf\\xe9", "caf\\xe8", "caf\\xff")),
        ([b"caf\\xe9", b"caf\xe9"], ("caf\\xe9", "caf\\\\xe9")),
        ([b"\xe9", b"\\xe9", b"\\\\xe9"], ("\\\\\\\\xe9", "\\xe9", "\\\\xe9")),
    ],
)
def test_different_bytes_are_different_names(names, spelled):
    assert spell_names(names) == spelled


@given(st.lists(st.binary(max_size=4), unique=True, max_size=20))
def test_names_stay_as_many_as_they_are(names):
    assert len(set(spell_names(names))) == len(names)
