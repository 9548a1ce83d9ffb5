"""The README names just the commands and presets that there are, and the reference all keys."""

from __future__ import annotations

import re
from pathlib import Path

from app.cli.grammar import reference
from app.cli.main import COMMANDS
from engine.metrics.named import parse_metric
from engine.policy.keys import KEY
from engine.policy.policy import PRESETS
from engine.policy.share import parse_share
from tests.policy_reference import PAGE

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


def test_every_preset_and_no_other() -> None:
    presets = section("Policies").split("The presets are", 1)[1].split("[reference", 1)[0]
    assert re.findall(r"`([^`]+)`", presets) == [*PRESETS]


def test_the_reference_of_policies_is_made_of_the_table_of_keys() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == "\n".join(reference()) + "\n"
    assert sorted(
        re.findall(r"^\| `(\w+)` ", page.split("\n## Order", 1)[1].split("\n## Examples")[0], re.MULTILINE)
    ) == sorted(KEY)


def test_metrics_and_shares_are_spelled_as_options_take_them() -> None:
    text = section("Commands")
    metrics = re.findall(r"--metric ([^`]+)`", text)
    assert len(metrics) == 3
    assert [parse_metric(metric).name for metric in metrics] == metrics
    shares = re.findall(r"`([^`]*share_decay[^`]*)`", text)
    assert len(shares) == 1
    assert [parse_share(share).spelling for share in shares] == shares
