"""Verdicts and reports of runs of sites, and of recorded schedules with RAM: each claim before its judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.claims.claim import Claim, Relation
from engine.claims.words import sentence
from engine.machine.cluster import Cluster, NodeGroup
from engine.metrics.evaluation import evaluate
from engine.policy.policy import Policy, parse_policy
from engine.report import Compared
from engine.report.changes import noise
from engine.report.longest import longest_waits
from engine.report.ranking import ranking
from engine.schedule.schedule import NO_LOG, Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.trace import Trace
from engine.verdict.verdict import judged_runs, run_verdicts
from tests.engine.verdict.drawn import SHARE, WEEK, check_words
from tests.engine.verdict.judges import judge
from tests.engine.verdict.seen import Seen
from tests.traces import make_trace


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    """A site of two nodes of 8 CPUs, whose jobs are in the order of their submission."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=n[1-2] CPUs=8\nPartitionName=batch Nodes=ALL\n")
    return parse_policy(f"site:{conf}")


def seen(schedules: Sequence[Schedule], phases: Sequence[Sequence[Schedule]] = ()) -> list[Seen]:
    """Runs as judges see them."""
    evaluations = evaluate(schedules, SHARE, schedules[0])
    return [
        Seen(each.schedule, each.capacity.tolist(), np.flatnonzero(each.jobs).tolist(), further)
        for each, further in zip(evaluations, phases or [()] * len(schedules), strict=True)
    ]


def of_kind(claims: Sequence[Claim], relation: Relation) -> Claim:
    """The only claim of a kind."""
    (claim,) = (each for each in claims if each.relation is relation)
    return claim


def burst(draw: np.random.Generator, jobs: int) -> Trace:
    """Jobs of three users that come faster than they end."""
    runtime = draw.integers(60, 900, jobs)
    return make_trace(
        np.cumsum(draw.integers(0, 60, jobs)),
        runtime,
        draw.choice([1, 2, 4, 8, 16], jobs),
        walltime=runtime + draw.integers(0, 600, jobs),
        user=[f"u{code}" for code in draw.integers(0, 3, jobs)],
        queue=["batch"] * jobs,
        cluster=Cluster.pool(16),
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_most_waiting_of_a_site_is_for_holds(policy: Policy, seed: int) -> None:
    trace = burst(np.random.default_rng(seed), 20)
    assert policy.site is not None
    schedule = simulate(trace, policy.site.conf.machine, policy, log=True)
    (run,) = seen([schedule])
    runs = judged_runs(["site"], evaluate([schedule], SHARE, schedule))
    (claims,) = run_verdicts(runs)
    behind = [claim for claim in claims if claim.relation is Relation.WAITS_BEHIND]
    for claim in behind:
        assert judge(claim, [run])
        check_words(sentence(claim))
        share = replace(claim.quantity("share"), value=120.0)
        assert not judge(replace(claim, quantities=(share,)), [run])
    assert behind or seed  # the first has such waits
    without = replace(schedule, log=NO_LOG)
    (told,) = run_verdicts(judged_runs(["site"], evaluate([without], SHARE, without)))
    claim = of_kind(told, Relation.REASONS_NOT_KEPT)
    assert judge(claim, seen([without]))
    assert not judge(claim, [run])


def weekly_runs(policy: Policy, later: NDArray[np.int64]) -> list[Schedule]:
    """Sixteen weeks of a few jobs under a site, and the same with each job so much later, s."""
    jobs = 32
    trace = make_trace(
        np.arange(jobs) // 2 * WEEK + np.arange(jobs) % 2, [600] * jobs, 16, cluster=Cluster.pool(16)
    )
    base = simulate(trace, trace.cluster, parse_policy("fcfs"))
    base = replace(base, policy=policy, start=base.start + 1000, end=base.end + 1000)
    return [base, replace(base, start=base.start + later, end=base.end + later)]


@pytest.mark.parametrize("apart", [50, 500])
def test_changes_that_phases_explain_are_told_as_chance(policy: Policy, apart: int) -> None:
    """Each job starts 100 s later in the second run; in another phase each run is by so much later."""
    runs = weekly_runs(policy, np.full(32, 100))
    phases = [[replace(run, start=run.start + apart, end=run.end + apart)] for run in runs]
    spreads = {
        place: PhaseSpread(np.stack([run.wait, again.wait]), (again,))
        for place, (run, (again,)) in enumerate(zip(runs, phases, strict=True))
    }
    names = ["site", "changed"]
    sites = site_verdicts(names, runs, spreads).runs
    compared = Compared(names, evaluate(runs, SHARE, runs[0]), sites=sites)
    judged = seen(runs, phases)
    changes = [claim for statement in noise(compared).statements for claim in statement.claims]
    orders = [claim for statement in ranking(compared).statements for claim in statement.claims]
    by_chance = apart > 100
    for claim in changes + orders:
        assert judge(claim, judged), claim
    kinds = {claim.relation for claim in changes + orders}
    assert ({Relation.WITHIN_PHASES, Relation.CHANCE_ORDER} <= kinds) == by_chance
    if by_chance:
        # With phases that lie closer together both would be false.
        near = seen(runs, [[run] for run in runs])
        assert not judge(of_kind(changes, Relation.WITHIN_PHASES), near)
        assert not judge(of_kind(orders, Relation.CHANCE_ORDER), near)


def test_recorded_waits_seem_to_be_short_of_ram() -> None:
    """Two jobs fill the RAM of a node, and leave processors idle; later ones wait for either."""
    trace = make_trace(
        [0, 0, 10, 20],
        [100, 200, 50, 50],
        [2, 2, 2, 14],
        ram=[8, 8, 4, 1],
        wait=[0, 0, 90, 180],
        user=["a", "b", "c", "c"],
        cluster=Cluster((NodeGroup(1, 16, 16),)),
    )
    recorded = simulate(trace, trace.cluster, parse_policy("recorded"))
    compared = Compared(["recorded"], evaluate([recorded], SHARE, recorded))
    claims = [claim for statement in longest_waits(compared).statements for claim in statement.claims]
    claim = of_kind(claims, Relation.SEEMS_SHORT_OF_RAM)
    (run,) = seen([recorded])
    assert all(judge(each, [run]) for each in claims)
    assert claim.quantity("share").value == pytest.approx(100 * 90 / 270)
    wrong = replace(claim.quantity("share"), value=40.0)
    assert not judge(replace(claim, quantities=(wrong,)), [run])
