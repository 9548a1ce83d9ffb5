"""The fields of sacct that are collected."""

from engine.collect.slurm_items import list_fields, wanted_fields
from engine.logs.sacct.prints.grammar import FIELDS
from tests.paths import ROOT


def test_the_guide_lists_them() -> None:
    assert list_fields() in (ROOT / "resources" / "guide" / "sites.md").read_text("utf-8")


def test_sacct_has_them_and_the_state_is_last() -> None:
    names = [name for group in wanted_fields(("commands", "comments")) for name in group.names.split()]
    assert set(names) <= set(FIELDS.values())
    assert names[-1] == "State"
