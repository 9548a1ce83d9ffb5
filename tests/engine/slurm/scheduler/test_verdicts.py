"""Verdicts of sites in a comparison: whose they are, the spread of phases, and what-ifs that are hidden."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.policy.policy import parse_policy, site_policy
from engine.schedule.accuracy import accuracy_of
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread, phase_spread
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.slurm.site.site import read_site
from tests.traces import make_trace

NAMES = ["recorded", "site:a", "site:b"]
ALL = np.ones(90, np.bool_)


@pytest.fixture
def schedules(tmp_path: Path) -> list[Schedule]:
    """The record, a site that turns the order of three accounts round, and a site with another interval."""
    # Three accounts whose waits grow by the log, and shrink in the sites.
    waits = np.repeat([100, 200, 300], 30)
    trace = make_trace(
        submit=np.arange(90),
        runtime=np.ones(90, np.int64),
        wait=waits,
        group=[name for name in ("physics", "biology", "chemistry") for _ in range(30)],
    )
    sites = []
    for interval in (30, 60):
        path = tmp_path / f"slurm{interval}.conf"
        path.write_text(f"PartitionName=batch Nodes=ALL\nSchedulerParameters=bf_interval={interval}\n")
        sites.append(site_policy(read_site(path)))
    recorded = simulate(trace, trace.cluster, parse_policy("recorded"))
    start = trace.submit + 400 - waits
    return [recorded, *(replace(recorded, policy=site, start=start, end=start + 1) for site in sites)]


def spread_of(schedule: Schedule, *factors: float) -> PhaseSpread:
    return PhaseSpread(np.stack([(factor * schedule.wait).astype(np.int64) for factor in (1.0, *factors)]))


def test_a_what_if_carries_the_verdict_of_the_first_site(schedules: list[Schedule]) -> None:
    near = replace(schedules[1], start=schedules[0].start, end=schedules[0].end)
    verdicts = site_verdicts(NAMES, [schedules[0], near, schedules[2]], {})
    nothing, first, second = verdicts.runs
    assert nothing is None
    assert first is not None
    assert second is not None
    assert first.accuracy == second.accuracy == accuracy_of(near)
    assert (first.own, second.own) == (True, False)
    assert first.sentence.startswith("the model's mean wait is as long as the real one")
    assert second.sentence == f"a what-if of site:a: {first.sentence}"
    assert verdicts.sentences == [f"site:a: {first.sentence}", "site:b: a what-if of site:a"]
    assert verdicts.verdict == verdicts.sentences[0]
    assert not verdicts.hidden


def test_a_changed_option_alone_carries_the_verdict_of_the_files(schedules: list[Schedule]) -> None:
    policy = schedules[1].policy
    what_if = simulate(schedules[0].trace, schedules[0].cluster, policy.with_keys(bf_interval="300"))
    (run,) = site_verdicts(["site:a:bf_interval=300"], [what_if], {}).runs
    assert run is not None
    assert run.site == policy.spelling
    assert not run.own
    assert run.accuracy == accuracy_of(simulate(schedules[0].trace, schedules[0].cluster, policy))
    assert run.accuracy != accuracy_of(what_if)


def test_a_workload_of_its_own_is_a_what_if_of_the_site(schedules: list[Schedule]) -> None:
    policy = schedules[1].policy
    own = simulate(schedules[0].trace, schedules[0].cluster, policy)
    text = f"{policy} with accounts=-physics,shift=1m;alice"
    what_if = simulate(schedules[0].trace, schedules[0].cluster, parse_policy(text))
    assert what_if.ran.tolist() == [False] * 30 + [True] * 60
    assert what_if.submit.tolist() == (own.submit + 60).tolist()
    # Phases repeat the workload of the run, and the accuracy is that of the site on the whole log.
    repeated = phase_spread(what_if)
    assert repeated is not None
    assert (repeated.wait[:, :30] == -1).all()
    (run,) = site_verdicts([text], [what_if], {}).runs
    assert run is not None
    assert not run.own
    assert run.accuracy == accuracy_of(own)


def test_what_ifs_of_a_misleading_model_are_hidden_unless_a_phase_explains_it(
    schedules: list[Schedule],
) -> None:
    spreads = {1: spread_of(schedules[1], 1.1), 2: spread_of(schedules[2], 1.1)}
    verdicts = site_verdicts(NAMES, schedules, spreads)
    assert list(verdicts.hidden) == [2]
    why = "the model of site:a has accounts in another order than the log"
    assert verdicts.hidden[2] == f"{why} (rank correlation −1.00 of 3 accounts)"
    # The record is the wait in one of the phases: then chance explains the other order.
    explained = PhaseSpread(np.stack([schedules[1].wait, schedules[0].wait]))
    verdicts = site_verdicts(NAMES, schedules, {1: explained})
    assert not verdicts.hidden
    assert verdicts.runs[1] is not None
    assert "change places" in verdicts.runs[1].sentence  # and single reversals are named


def test_changes_are_told_with_their_spread(schedules: list[Schedule]) -> None:
    spreads = {1: spread_of(schedules[1], 1.2), 2: spread_of(schedules[2], 1.1)}
    verdicts = site_verdicts(["r", "a", "b"], schedules, spreads)
    assert verdicts.lines(ALL) == [
        "a: mean wait 3 min 20 s to 4 min over 2 phases of slurmctld's loops",
        "b against a: mean wait 0 %, inside what the phases of slurmctld's loops change "
        "(−16.7 % to +10.0 % over 2 phases)",
    ]
    # The record has no phases: the range is that of the model alone.
    recorded = verdicts.change(0, 1, ALL)
    assert recorded is not None
    assert (recorded.low, recorded.high) == (0.0, pytest.approx(0.2))
    assert site_verdicts(["r"], schedules[:1], {}).lines(ALL) == []
    assert verdicts.facts(0, ALL) == {"phases": None, "verdict": None}
    assert verdicts.facts(1, ALL)["phases"] == {"count": 2, "wait_mean": [200.0, 240.0]}
