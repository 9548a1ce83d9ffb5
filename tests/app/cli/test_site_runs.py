"""Sites in a comparison: the spread of phases, and what-ifs of a model that cannot be believed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.cli.site_runs import believable, spread_lines
from engine.errors import InputError
from engine.policy.policy import parse_policy, site_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.site.site import Site, read_site
from tests.app.cli.commands import Commands
from tests.paths import SHARED, needs
from tests.traces import make_trace

TIERS = SHARED / "reference" / "slurm" / "tiers"
CONF = "NodeName=n CPUs=4\nPartitionName=batch Nodes=n\nSchedulerParameters=bf_interval={}\n"


def site_of(folder: Path, interval: int) -> Site:
    path = folder / f"slurm{interval}.conf"
    path.write_text(CONF.format(interval))
    return read_site(path)


@pytest.fixture
def schedules(tmp_path: Path) -> list[Schedule]:
    """The record, a site that turns the order of three accounts round, and a change of that site."""
    waits = np.repeat([100, 200, 300], 30)
    trace = make_trace(
        submit=np.arange(90),
        runtime=np.ones(90, np.int64),
        wait=waits,
        group=[name for name in ("physics", "biology", "chemistry") for _ in range(30)],
    )
    recorded = simulate(trace, trace.cluster, parse_policy("recorded"))
    start = trace.submit + 400 - waits
    return [
        recorded,
        *(
            replace(recorded, policy=site_policy(site_of(tmp_path, interval)), start=start, end=start + 1)
            for interval in (30, 60)
        ),
    ]


def spread_of(schedule: Schedule, *factors: float) -> PhaseSpread:
    return PhaseSpread(np.stack([(factor * schedule.wait).astype(np.int64) for factor in (1.0, *factors)]))


def test_a_what_if_of_a_misleading_model_is_shown_only_if_asked_for(
    schedules: list[Schedule], capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["recorded", "site:a", "site:b"]
    spreads = {1: spread_of(schedules[1], 1.1), 2: spread_of(schedules[2], 1.1)}
    assert believable(names, schedules, spreads, 0, doubtful=False) == [0, 1]
    assert "site:b: not shown: the model of site:a has accounts in another order" in capsys.readouterr().err
    assert believable(names, schedules, spreads, 0, doubtful=True) == [0, 1, 2]
    with pytest.raises(InputError, match="cannot be the baseline"):
        believable(names, schedules, spreads, 2, doubtful=False)


def test_an_order_that_is_right_in_some_phase_is_believed(schedules: list[Schedule]) -> None:
    record = np.stack([schedules[1].wait, schedules[0].wait])
    spreads = {1: PhaseSpread(record)}
    assert believable(["r", "a", "b"], schedules, spreads, 0, doubtful=False) == [0, 1, 2]


def test_changes_are_told_with_their_spread(schedules: list[Schedule]) -> None:
    spreads = {1: spread_of(schedules[1], 1.2), 2: spread_of(schedules[2], 1.1)}
    lines = spread_lines(["r", "a", "b"], schedules, spreads, np.ones(90, np.bool_))
    assert lines == [
        "a: mean wait 3 min 20 s to 4 min over 2 phases of slurmctld's loops",
        "b against a: mean wait +0.0 %, inside what the phases of slurmctld's loops change "
        "(−16.7 % to +10.0 % over 2 phases)",
    ]


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
