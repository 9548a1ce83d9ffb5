"""Claims on a site's schedule beside the log's before a judge that counts starts and ends, job by job."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import median
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.twins import TWIN_SENTENCES, NearnessRelation, TwinRelation
from engine.claims.words import render
from engine.metrics.twin import twin_of
from engine.metrics.twin_words import twin_claims, twin_spans, unlike_claims
from engine.policy.policy import site_policy
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.trace import Names
from tests.engine.verdict.drawn import DIGIT, check_words
from tests.traces import make_trace

CYCLE, CPUS = 45, 8


def holds(claim: Claim, schedule: Schedule) -> bool:
    """Whether a claim is so of the jobs that ran by both."""
    trace, said = schedule.trace, {quantity.name: quantity.value for quantity in claim.quantities}
    submits, real = trace.submit.tolist(), trace.wait.tolist()
    # Only jobs that ran by the log and in the model take part in any claim.
    jobs = [job for job, wait in enumerate(real) if wait >= 0 and schedule.start[job] >= 0]
    at = [submits[job] for job in jobs]
    if claim.population != Population(len(jobs), min(at), max(at)):
        return False
    model = [int(start) - submit for start, submit in zip(schedule.start, submits, strict=True)]
    off = {job: abs(model[job] - real[job]) for job in jobs}
    # Waits, runtimes and processors of both sides; the record has what really ran.
    runs = {
        "recorded": (real, trace.recorded_runtime, trace.recorded_procs),
        "simulated": (model, schedule.end - schedule.start, schedule.procs),
    }
    last = {
        side: max(submits[job] + waits[job] + int(runtime[job]) for job in jobs)
        for side, (waits, runtime, _) in runs.items()
    }
    spans = {side: end - min(at) for side, end in last.items()}
    match claim.relation:
        case NearnessRelation.NEAR_STARTS:
            near = sum(each <= CYCLE for each in off.values())
            nearer = sum(each <= max(CYCLE, real[job] / 10) for job, each in off.items())
            shares = [100 * count / len(jobs) for count in (near, nearer)]
            return [said["near"], said["nearer"], said["cycle"]] == pytest.approx([*shares, CYCLE])
        case NearnessRelation.HALF_DIFFER:
            return said["difference"] == round(median(off.values()))
        case TwinRelation.CORRELATED:
            waits = (np.array([each[job] for job in jobs]) for each in (model, real))
            return said["correlation"] == pytest.approx(rank_correlation(*waits))
        case NearnessRelation.MAKESPAN:
            return said == spans
        case NearnessRelation.UTILIZATION:
            used = {
                side: 100 * sum(int(runtime[job]) * int(procs[job]) for job in jobs) / CPUS / spans[side]
                for side, (_, runtime, procs) in runs.items()
            }
            return said == pytest.approx(used)
        # Two accounts are turned if their mean waits are in another order in the model.
        case NearnessRelation.SAME_ORDER | NearnessRelation.NOT_SAME_ORDER:
            means = {
                name: [
                    sum(waits[job] for job in jobs if trace.group.codes[job] == code)
                    / sum(trace.group.codes[job] == code for job in jobs)
                    for waits in (real, model)
                ]
                for code, name in enumerate(trace.group.names)
            }
            turned = [
                (one[0] - other[0]) * (one[1] - other[1]) < 0
                for one, other in combinations(means.values(), 2)
            ]
            return any(turned) == (claim.relation is NearnessRelation.NOT_SAME_ORDER)
        case NearnessRelation.NOT_MODELLED:
            (what,) = (each.name for each in claim.about)
            return said["unlike"] == unlike(schedule)[what] > 0
    return False


def unlike(schedule: Schedule) -> dict[str, int]:
    """The jobs with each thing that the model leaves out, by its words: of the columns of the log alone."""
    trace, started = schedule.trace, schedule.start.tolist()
    queues = [trace.queue.names[code] for code in trace.queue.codes.tolist()]
    asked = trace.reservation
    assert asked is not None
    return {
        "never started by the log": sum(wait < 0 for wait in trace.wait.tolist()),
        "follow other jobs, and come when the log says": sum(job > 0 for job in trace.preceding.tolist()),
        "were submitted to several partitions, of which the first is taken": sum("," in q for q in queues),
        "asked for a reservation whose nodes and times no file gives": sum(
            asked.names[code] != "" for code in asked.codes.tolist()
        ),
        "ran by the log and never start here: they fit on no nodes, or ask for more than a limit": sum(
            start < 0 <= wait for start, wait in zip(started, trace.wait.tolist(), strict=True)
        ),
    }


@pytest.mark.parametrize("seed", range(10))
def test_each_claim_on_a_twin_holds(seed: int, tmp_path: Path) -> None:
    conf, draw, jobs = tmp_path / "slurm.conf", np.random.default_rng(seed), 60
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL\n")
    site = read_site_at(conf)
    trace = make_trace(
        np.cumsum(draw.integers(0, 200, jobs)),
        draw.integers(60, 600, jobs),
        draw.integers(1, 5, jobs),
        queue=["batch"] * jobs,
        group=[f"g{code}" for code in np.arange(jobs) % (1 + seed % 4)],
        wait=draw.integers(-1, 900, jobs),
    )
    schedule = simulate(trace, site.conf.machine, site_policy(site))
    twin = twin_of(schedule, CYCLE)
    assert twin is not None
    check_words(twin_spans(schedule, twin, CYCLE))
    for claim in twin_claims(schedule, twin, CYCLE):
        assert holds(claim, schedule), claim
        for own in claim.quantities:
            wrong = tuple(replace(each, value=each.value + 1 * (each is own)) for each in claim.quantities)
            assert not holds(replace(claim, quantities=wrong), schedule), own
    # Jobs without a recorded start are what this model leaves out.
    told = {claim.about[0].name: claim.quantity("unlike").value for claim in unlike_claims(schedule, twin)}
    never = int((trace.wait < 0).sum())
    assert told == ({"never started by the log": never} if never else {})


@settings(max_examples=25, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 99_999), st.tuples(*[st.sampled_from((0.0, 0.3))] * 4), st.integers(4, 12))
def test_what_a_model_leaves_out_of_drawn_logs_holds(
    tmp_path_factory: pytest.TempPathFactory, seed: int, shares: tuple[float, ...], most: int
) -> None:
    """Jobs that follow others, name two partitions or an unknown reservation, or are wider than the site."""
    conf, draw, jobs = tmp_path_factory.mktemp("site") / "slurm.conf", np.random.default_rng(seed), 20
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL\nPartitionName=long Nodes=ALL\n")
    site = read_site_at(conf)
    follows, several, asks, unstarted = (draw.random(jobs) < share for share in shares)
    trace = make_trace(
        np.cumsum(draw.integers(0, 200, jobs)),
        draw.integers(60, 600, jobs),
        draw.integers(1, most, jobs),
        queue=["batch,long" if both else "batch" for both in several],
        wait=np.where(unstarted, -1, draw.integers(0, 900, jobs)),
    )
    trace = replace(
        trace,
        preceding=np.where(follows & (np.arange(jobs) > 0), 1, -1),
        reservation=Names(asks.astype(np.int32), ("", "course")),
    )
    schedule = simulate(trace, site.conf.machine, site_policy(site))
    twin = twin_of(schedule, CYCLE)
    if twin is None:
        return
    claims = unlike_claims(schedule, twin)
    assert {claim.about[0].name for claim in claims} == {
        what for what, count in unlike(schedule).items() if count
    }
    for claim in claims:
        assert holds(claim, schedule), claim
        check_words(render(claim))
        wrong = replace(claim.quantity("unlike"), value=claim.quantity("unlike").value + 1)
        assert not holds(replace(claim, quantities=(wrong,)), schedule)


@pytest.mark.parametrize("relation", NearnessRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: NearnessRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(TWIN_SENTENCES[relation]) if name}
    names, place = parts & {"what"}, ClaimPlace("runs", 0)
    about = tuple(NamedThing(role, f"{role} 9", place) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    model = NamedThing("subject", "the model", place)
    spans = render(Claim(model, relation, quantities, about, Population(1, 0, 0), (place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
