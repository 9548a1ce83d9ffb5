"""Verdicts and reports of runs of sites, and of recorded schedules with RAM: each claim before its judge."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.answer.inferred_reasons import infer_wait
from engine.answer.wait_claims import inferred_lines
from engine.claims.claim import Claim, ClaimQuantity, Relation, Unit
from engine.claims.words import plain, render, sentence
from engine.machine.cluster import Cluster, NodeGroup
from engine.metrics.evaluation import evaluate
from engine.policy.policy import Policy, parse_policy, site_policy
from engine.report import Compared
from engine.report.changes import noise
from engine.report.fair_starts import fair_starts
from engine.report.longest import longest_waits
from engine.report.ranking import ranking
from engine.schedule.schedule import NO_LOG, NOT_RUN, Schedule
from engine.simulation.log_buffer import MOST_ROWS
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.trace import Names, Trace
from engine.verdict.verdict import Teller, cause_claim, judged_runs, run_verdicts
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


def burst(draw: np.random.Generator, jobs: int, most: int = 16, gpus: bool = False) -> Trace:
    """Jobs of three users that come faster than they end, on `most` processors; the narrowest get a GPU."""
    runtime = draw.integers(60, 900, jobs)
    procs = np.minimum(draw.choice([1, 2, 4, 8, 16], jobs), most)
    return make_trace(
        np.cumsum(draw.integers(0, 60, jobs)),
        runtime,
        procs,
        gpus=np.where(procs == 1, 1, 0) if gpus else None,
        walltime=runtime + draw.integers(0, 600, jobs),
        user=[f"u{code}" for code in draw.integers(0, 3, jobs)],
        queue=["batch"] * jobs,
        cluster=Cluster.pool(16),
    )


def site_of(folder: Path, *lines: str, **files: str) -> Site:
    """A site of two nodes of 8 CPUs and a GPU, with further lines of its `slurm.conf`, and other files."""
    conf = ("NodeName=n[1-2] CPUs=8 Gres=gpu:1", "GresTypes=gpu", "SelectType=select/cons_tres")
    partition = "PartitionName=batch Nodes=ALL"
    (folder / "slurm.conf").write_text(
        "\n".join((*conf, partition, "PriorityType=priority/basic", *lines, ""))
    )
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return read_site_at(folder)


def told(site: Site, trace: Trace) -> set[Relation]:
    """What a run of a site waits for: each share holds before its judge, who refuses others."""
    schedule = simulate(trace, site.conf.machine, site_policy(site), log=True)
    (run,) = seen([schedule])
    (judged,) = judged_runs(["site"], evaluate([schedule], SHARE, schedule))
    teller = Teller.of(judged, 0)
    for cause in judged.causes:
        claim = cause_claim(cause, teller)
        assert judge(claim, [run]), (claim.relation, cause.share, run.causes)
        check_words(sentence(claim))
        for share in (cause.share + 60, cause.share - 60):
            assert not judge(
                replace(claim, quantities=(ClaimQuantity("share", share, Unit.PERCENT),)), [run]
            ), (
                cause,
                run.causes,
            )
    assert sum(cause.share for cause in judged.causes) == pytest.approx(100)
    return {cause.relation for cause in judged.causes}


@pytest.mark.parametrize("seed", range(6))
def test_what_waiting_of_a_site_is_for_holds(policy: Policy, seed: int) -> None:
    trace = burst(np.random.default_rng(seed), 20)
    assert policy.site is not None
    kinds = told(policy.site, trace)
    assert {Relation.WAITS_BEHIND, Relation.WAITS_FOR_PROCESSORS} <= kinds
    schedule = simulate(trace, policy.site.conf.machine, policy, log=True)
    (run,) = seen([schedule])
    without = replace(schedule, log=NO_LOG)
    (verdict,) = run_verdicts(judged_runs(["site"], evaluate([without], SHARE, without)))
    claim = of_kind(verdict, Relation.REASONS_NOT_KEPT)
    assert judge(claim, seen([without]))
    assert not judge(claim, [run])


@pytest.mark.parametrize("seed", range(4))
def test_waits_for_gpus_and_for_nodes_that_are_cleaned_up_hold(seed: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(seed)
    assert Relation.WAITS_FOR_RESOURCES in told(site_of(tmp_path), burst(draw, 12, most=1, gpus=True))
    cleaned = replace(site_of(tmp_path), completion=200)
    assert Relation.WAITS_FOR_NODES in told(cleaned, burst(draw, 12))


@pytest.mark.parametrize("seed", range(4))
def test_waits_by_holds_and_reservations_hold(seed: int, tmp_path: Path) -> None:
    """Some jobs are held, some ask for a reservation, and others cannot run beside it."""
    draw = np.random.default_rng(seed)
    course = (
        "ReservationName=course StartTime=1970-01-01T00:20:00 EndTime=1970-01-01T03:00:00 Duration=02:40:00\n"
        "   Nodes=n1 NodeCnt=1 CoreCnt=8 Users=u0 State=INACTIVE\n"
    )
    trace = replace(
        burst(draw, 14, most=8),
        held=np.where(draw.random(14) < 0.3, draw.integers(100, 3000, 14), 0),
        reservation=Names(np.where(draw.random(14) < 0.3, 1, 0).astype(np.int32), ("", "course")),
    )
    kinds = told(site_of(tmp_path, reservations=course), trace)
    assert {Relation.WAITS_NOT_ELIGIBLE, Relation.WAITS_BESIDE_SITE_RESERVATIONS} <= kinds


def test_waits_whose_reasons_were_not_kept_are_those_after_the_last_row() -> None:
    short = 2 * MOST_ROWS
    trace = make_trace(
        [0] * short + [1], [*range(10, 10 + short), 50], [1] * short + [short], user=["v"] * short + ["u"],
        cluster=Cluster.pool(short),
    )  # fmt: skip
    schedule = simulate(trace, trace.cluster, parse_policy("easy"), log=True)
    (judged,) = judged_runs(["easy"], evaluate([schedule], SHARE, schedule))
    claims = [cause_claim(cause, Teller.of(judged, 0)) for cause in judged.causes]
    claim = of_kind(claims, Relation.WAITS_UNTOLD)
    assert judge(claim, seen([schedule]))
    more = replace(claim.quantity("share"), value=claim.quantity("share").value + 1)
    assert not judge(replace(claim, quantities=(more,)), seen([schedule]))


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


def test_what_a_log_names_of_recorded_waits_is_not_denied() -> None:
    """Two of three jobs that wait have a reason in the log, which tells for no time how long it lasted."""
    reason = Names(np.array([0, 1, 2, 0], np.int32), ("Resources", "Priority", "None"))
    trace = make_trace([0, 1, 2, 3], [50] * 4, [4] * 4, wait=[0, 49, 98, 147], cluster=Cluster.pool(4))
    recorded = simulate(replace(trace, reason=reason), trace.cluster, parse_policy("recorded"))
    (verdict,) = run_verdicts(judged_runs(["recorded"], evaluate([recorded], SHARE, recorded)))
    claim, (run,) = of_kind(verdict, Relation.REASONS_NAMED), seen([recorded])
    assert plain(render(claim)) == (
        "the log names a reason for 2 of 3 jobs that waited, but not for how long it held them"
    )
    assert judge(claim, [run])
    assert not judge(replace(claim, relation=Relation.REASONS_NOT_RECORDED, quantities=()), [run])
    wrong = (replace(claim.quantity("named"), value=3), claim.quantity("waited"))
    assert not judge(replace(claim, quantities=wrong), [run])
    longest = longest_waits(Compared(["recorded"], evaluate([recorded], SHARE, recorded)))
    assert longest.statements[0].words == (
        "Inferred from starts and ends, since the log names reasons, but not for how long these lasted."
    )
    unnamed = infer_wait(recorded, 2)
    assert unnamed is not None
    assert inferred_lines(recorded, 2, unnamed)[0].startswith(
        "Inferred, since the log names no reason for it"
    )


def test_fair_starts_of_a_sample_are_told_with_its_size(policy: Policy) -> None:
    trace = burst(np.random.default_rng(5), 60)
    schedule = simulate(trace, trace.cluster, policy, fair_starts=True)
    assert schedule.fair_start is not None
    drawn = np.where(np.arange(60) % 3 == 0, schedule.fair_start, NOT_RUN)
    for own, known in ((schedule, 60), (replace(schedule, fair_start=drawn), 20)):
        (run,) = evaluate([own], SHARE, own)
        statement, _ = fair_starts(Compared(["site"], [run])).statements
        assert [claim.relation for claim in statement.claims] == [
            *([Relation.FAIR_STARTS_OF_SAMPLE] if known < 60 else []),
            Relation.NEVER_PUT_OFF if "none of" in statement.text else Relation.PUT_OFF,
        ]
        assert f"{known} jobs" in statement.text or f"{known} of 60 jobs" in statement.text
        for claim in statement.claims:
            assert judge(claim, seen([own])), claim
        check_words(statement.spans)
        if known < 60:
            assert not judge(statement.claims[0], seen([schedule]))
