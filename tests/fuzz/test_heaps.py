"""Heaps of damaged logs: all pieces count once, and a planted fault is found among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.logs.read import read_trace
from engine.trace import Trace
from tests.fuzz import samples
from tests.fuzz.campaign import chance_of
from tests.fuzz.heaps import Heaps, Lines, heaps_of


@pytest.mark.parametrize("name", ["pbs", "sacct_json", "batsim", "table"])
def test_every_piece_counts_once(tmp_path: Path, name: str) -> None:
    kind = heaps_of(name)[0]
    heaps = Heaps(tmp_path / "log", kind)
    heaps.judge([kind.piece(chance_of(3, number)) for number in range(40)])
    assert heaps.accepted + heaps.refused == 40
    assert heaps.accepted
    assert not heaps.faults


def test_a_planted_fault_is_found_in_its_heap(tmp_path: Path) -> None:
    def read(path: Path) -> Trace:
        assert b"poison" not in path.read_bytes()
        return read_trace(path)

    pieces = [b"# sound"] * 13
    pieces[5] = b"# poison"
    heaps = Heaps(tmp_path / "log", Lines(samples.PBS, ()), read)
    heaps.judge(pieces)
    assert heaps.accepted == 12
    assert [piece for piece, _ in heaps.faults] == [b"# poison"]


def test_the_line_of_a_message_leads_to_its_piece(tmp_path: Path) -> None:
    kind, reads = heaps_of("flux")[0], list[Path]()

    def read(path: Path) -> Trace:
        reads.append(path)
        return read_trace(path)

    heaps = Heaps(tmp_path / "log", kind, read)
    heaps.judge([b"{}"] * 70 + [b"[7]"] + [b"{}"] * 29)
    assert (heaps.accepted, heaps.refused, heaps.faults) == (99, 1, [])
    # The heap, the piece alone, and the others: halves would take a dozen.
    assert len(reads) == 3
