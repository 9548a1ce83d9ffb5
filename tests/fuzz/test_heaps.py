"""Heaps of damaged logs: all pieces count once, and a planted fault is found among them."""

from __future__ import annotations

from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace
from tests.fuzz import samples, traces
from tests.fuzz.campaign import chance_of
from tests.fuzz.heaps import Heaps
from tests.fuzz.mutate import mutate


def test_every_piece_counts_once(tmp_path: Path) -> None:
    heaps = Heaps(tmp_path / "log", samples.PBS)
    words = traces.try_pbs.words
    heaps.judge([mutate(chance_of(3, number), (samples.PBS,), words) for number in range(40)])
    assert heaps.accepted + heaps.refused == 40
    assert not heaps.faults


def test_a_planted_fault_is_found_in_its_heap(tmp_path: Path) -> None:
    def read(path: Path) -> Trace:
        assert b"poison" not in path.read_bytes()
        return read_trace(path)

    pieces = [b"# sound"] * 13
    pieces[5] = b"# poison"
    heaps = Heaps(tmp_path / "log", samples.PBS, read)
    heaps.judge(pieces)
    assert heaps.accepted == 12
    assert [piece for piece, _ in heaps.faults] == [b"# poison"]
