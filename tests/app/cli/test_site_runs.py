"""Sites in a comparison of the command line: what is printed of them, and what-ifs that are left out."""

from __future__ import annotations

import argparse

import pytest

from app.cli.site_runs import shown_places
from engine.errors import InputError
from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.verdicts import site_verdicts
from tests.app.cli.commands import Commands
from tests.engine.slurm.scheduler.test_verdicts import NAMES, schedules, spread_of
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers"

__all__ = ["schedules"]


def test_a_what_if_of_a_misleading_model_is_shown_only_if_asked_for(
    schedules: list[Schedule],
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdicts = site_verdicts(NAMES, schedules, {1: spread_of(schedules[1], 1.1)})
    plain, asked = argparse.Namespace(doubtful=False), argparse.Namespace(doubtful=True)
    assert shown_places(verdicts, 0, plain) == [0, 1]
    assert "site:b: not shown: the model of site:a has accounts in another order" in capsys.readouterr().err
    assert shown_places(verdicts, 0, asked) == [0, 1, 2]
    with pytest.raises(InputError, match="cannot be the baseline"):
        shown_places(verdicts, 2, plain)


@needs(TIERS)
def test_a_second_real_run_is_inside_the_spread_and_carries_no_verdict_of_its_own(cli: Commands) -> None:
    log, sites = TIERS / "base" / "sacct.txt.gz", [TIERS / name / "site" for name in ("base", "base-again")]
    result = cli.done(
        "compare", log, "-p", "recorded", *(word for s in sites for word in ("-p", f"site:{s}"))
    )
    assert result.err.count("the model's mean wait is") == 1
    assert "base-again/site against site:" in result.out
    assert "inside what the phases of slurmctld's loops change" in result.out
    facts = cli.done("compare", log, "-p", "recorded", "-p", f"site:{sites[0]}", "--json").document["runs"]
    assert facts[0]["phases"] is None
    assert facts[1]["phases"]["count"] == 8
    assert facts[1]["phases"]["wait_mean"][0] == pytest.approx(facts[1]["metrics"]["wait_mean"])
