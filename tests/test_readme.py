"""The README names just the commands, presets and keys that there are."""

from __future__ import annotations

import re
from pathlib import Path

from app.cli.main import COMMANDS
from engine.metrics.named import parse_metric
from engine.policy.keys import KEYS
from engine.policy.policy import PRESETS
from engine.policy.share import parse_share

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
    names = re.findall(r"`([^`]+)`", " ".join(cells))
    assert names[: len(PRESETS)] == [*PRESETS]
    assert names[len(PRESETS) :] == [key.name for key in KEYS]


def test_every_value_of_a_key() -> None:
    words = set(re.findall(r"[\w-]+", section("Policies")))
    for key in KEYS:
        assert {*key.words, *(["on", "off"] if key.switch else [])} <= words
        assert all(any(re.fullmatch(family + r"\d+", word) for word in words) for family, _ in key.families)


def test_metrics_and_shares_are_spelled_as_options_take_them() -> None:
    text = section("Commands")
    metrics = re.findall(r"--metric ([^`]+)`", text)
    assert len(metrics) == 3
    assert [parse_metric(metric).name for metric in metrics] == metrics
    shares = re.findall(r"`([^`]*share_decay[^`]*)`", text)
    assert len(shares) == 1
    assert [parse_share(share).spelling for share in shares] == shares
