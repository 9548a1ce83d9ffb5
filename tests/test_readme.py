"""The README and the reference name just the commands, metrics and keys that there are."""

import re

import pytest

from app.cli.grammar import reference
from app.cli.main import COMMANDS
from engine.metrics.metric_names import parse_metric
from engine.policy.keys import KEY
from engine.policy.policy import PRESETS, parse_policy
from engine.policy.share import parse_share
from engine.slurm.options.page import reference as options_of_slurm
from engine.slurm.options.table import TABLE
from engine.trace.variant import KEYS as VARIANT_KEYS
from tests import command_reference, option_reference, policy_reference
from tests.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = ROOT / "resources" / "guide"


def test_commands_of_the_readme_are_there() -> None:
    named = set(re.findall(r"^batchscope ([a-z]+) ", README, re.MULTILINE))
    assert {"info", "compare"} <= named <= set(COMMANDS)


def test_policies_of_the_readme_can_be_parsed() -> None:
    spelled = [
        name for name in re.findall(r" -p (\S+)", README) if "slurm.conf" not in name and "site:" not in name
    ]
    assert len(spelled) >= 3
    for spelling in spelled:
        assert parse_policy(spelling).spelling == spelling


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.splitlines()) < 90


@pytest.mark.parametrize(
    "page", ["README.md", *(f"resources/guide/{path.name}" for path in GUIDE.glob("*.md"))]
)
def test_links_lead_to_files(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    for link in links:
        if "://" not in link:
            assert (path.parent / link).exists(), f"{page} links to {link}"


def test_the_reference_of_commands_is_made_of_the_parser() -> None:
    page = command_reference.PAGE.read_text(encoding="utf-8")
    assert page == "\n".join(command_reference.lines()) + "\n"
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == [*COMMANDS]


def test_the_reference_of_policies_is_made_of_the_table_of_keys() -> None:
    page = policy_reference.PAGE.read_text(encoding="utf-8")
    assert page == "\n".join(reference()) + "\n"
    keys, workload = page.split("\n## Order", 1)[1].split("\n## Examples")[0].split("\n## Workload of a run")
    assert sorted(re.findall(r"^\| `(\w+)` ", keys, re.MULTILINE)) == sorted(KEY)
    assert re.findall(r"^\| `(\w+)` ", workload, re.MULTILINE) == [*VARIANT_KEYS]
    assert all(f"`{preset}`" in page for preset in PRESETS)


def test_the_page_about_options_of_slurm_is_made_of_their_table() -> None:
    page = option_reference.PAGE.read_text(encoding="utf-8")
    assert page == "\n".join(options_of_slurm()) + "\n"
    assert all(f"`{option.name}`" in page for option in TABLE if option.sets or option.ignored)


def test_metrics_and_shares_are_spelled_as_options_take_them() -> None:
    text = (GUIDE / "reference.md").read_text(encoding="utf-8")
    metrics = re.findall(r"--metric ([^`]+)`", text)
    assert len(metrics) == 3
    assert [parse_metric(metric).name for metric in metrics] == metrics
    shares = re.findall(r"`([^`]*share_decay[^`]*)`", text)
    assert len(shares) == 1
    assert [parse_share(share).spelling for share in shares] == shares
