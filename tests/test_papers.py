"""The commands of the page on papers can be given as they stand: its studies and figures are there."""

from __future__ import annotations

import re
import shlex

import pytest

from app.cli.main import make_parser
from engine.metrics.named import parse_metric
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from resources import studies
from tests.paths import ROOT
from views.catalog import RUN_FIGURES
from views.grammar.encoding import KINDS

PAGE = (ROOT / "resources" / "guide" / "papers.md").read_text("utf-8")
COMMANDS = re.findall(r"^batchscope (.+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_can_be_given(line: str) -> None:
    options = make_parser().parse_args(shlex.split(line))
    if line.startswith("figure"):
        assert options.kind in {*KINDS, *(spec.kind for spec in RUN_FIGURES)}
        for text in options.policy or ():
            parse_policy(text)
    elif line.startswith("compare"):
        assert {parse_policy(text) for text in options.policy}
        assert {parse_metric(name).name for name in options.metric} == set(options.metric)
    elif line.startswith("eet"):
        assert parse_policy(options.policy)
        assert parse_share(options.share)
    elif not line.startswith("info"):
        assert options.study in studies()
        assert options.figures is not None


def test_all_studies_but_those_of_no_paper_of_these_are_there() -> None:
    swept = {shlex.split(line)[1] for line in COMMANDS if line.startswith("sweep")}
    assert set(studies()) - swept == {"formulas"}
