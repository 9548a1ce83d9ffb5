"""The README names just the commands, presets and keys that there are."""

from __future__ import annotations

import re
from pathlib import Path

from app.cli import COMMANDS
from engine.policy import KEYS, PRESETS

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def first_cells(text: str) -> list[str]:
    return [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]


def test_every_command_and_no_other() -> None:
    rows = first_cells(section("Commands"))
    named = set(re.findall(r"`batchscope ([a-z]+)", " ".join(rows)))
    assert named == set(COMMANDS) - {"window"}  # the one that needs no name
    assert any("`batchscope [FILE ...]`" in row for row in rows)


def test_every_preset_and_key_and_no_other() -> None:
    cells = first_cells(section("Policies"))
    assert re.findall(r"`([^`]+)`", " ".join(cells)) == [*PRESETS, *(key.name for key in KEYS)]


def test_every_value_of_a_key() -> None:
    words = set(re.findall(r"[\w-]+", section("Policies")))
    assert {value for key in KEYS for value in key.choices} <= words
