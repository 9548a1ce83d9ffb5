"""Claims on phases of a site's loops before a judge that takes means of starts, job by job."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.phases import PHASE_SENTENCES, PhaseRelation
from engine.claims.words import line, render
from engine.policy.policy import Policy, parse_policy, site_policy
from engine.schedule.accuracy import accuracy_of
from engine.schedule.schedule import Schedule
from engine.search.verdict import change_of_best
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.slurm.site.site import read_site
from tests.engine.verdict.drawn import DIGIT, check_words
from tests.traces import make_trace

Waits = Sequence[Sequence[int]]
"""The waits of each phase, s, by job; -1 where a job did not run."""


def judge(claim: Claim, submits: Sequence[int], measured: Sequence[int], runs: Sequence[Waits]) -> bool:
    """Whether a claim holds of the measured jobs that ran in all phases of the runs that it is about."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    own = runs[claim.subject.place.row]
    both = [own] if claim.relation is PhaseRelation.SPREAD else [runs[0], own]
    # Only jobs that started in each phase of both runs can be compared.
    jobs = [job for job in measured if all(waits[job] >= 0 for run in both for waits in run)]
    at = [submits[job] for job in jobs]
    if claim.population != Population(len(jobs), min(at), max(at)):
        return False
    means = [[sum(waits[job] for job in jobs) / len(jobs) for waits in run] for run in both]
    if claim.relation is PhaseRelation.SPREAD:
        known = (min(means[0]), max(means[0]), len(own))
        return (said["low"], said["high"], said["phases"]) == pytest.approx(known)
    # Every phase of one run against every phase of the other.
    changes = [100 * (new / old - 1) for old in means[0] for new in means[1]]
    chance = min(changes) <= 0 <= max(changes)
    expected = (100 * (means[1][0] / means[0][0] - 1), min(changes), max(changes), max(map(len, both)))
    numbers = [said[name] for name in ("change", "low", "high", "phases")]
    return numbers == pytest.approx(expected) and chance == (
        claim.relation in (PhaseRelation.CHANGED_BY_CHANCE, PhaseRelation.BEST_CHANGED_BY_CHANCE)
    )


def drawn(seed: int, conf: Path) -> tuple[list[Schedule], dict[int, PhaseSpread], list[Waits]]:
    """A site, a change of it and EASY with drawn waits, the two first in several phases."""
    random, jobs = np.random.default_rng(seed), 24
    trace = make_trace(np.arange(jobs) * 50, [60] * jobs, 1)
    base = simulate(trace, trace.cluster, parse_policy("easy"))
    site = site_policy(read_site(conf))
    policies = [site, site.with_keys(bf_interval="300"), parse_policy("easy")]
    schedules, spreads, runs = list[Schedule](), dict[int, PhaseSpread](), list[Waits]()
    for place, policy in enumerate(policies):
        waits = random.integers(1, 900, (2 + place, jobs)) + 400 * random.integers(0, 2)
        waits[:, random.integers(0, 12)] = -1  # a job that did not run
        waits = waits if place < 2 else waits[:1]
        start = np.where(waits[0] < 0, -1, trace.submit + waits[0])
        end = np.where(waits[0] < 0, -1, start + 60)
        schedules.append(replace(base, policy=policy, start=start, end=end))
        runs.append(waits.tolist())
        if place < 2:
            spreads[place] = PhaseSpread(waits)
    return schedules, spreads, runs


@pytest.mark.parametrize("seed", range(12))
def test_what_phases_make_of_waits_holds(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    conf = tmp_path_factory.mktemp("site") / "slurm.conf"
    conf.write_text("PartitionName=batch Nodes=ALL\n")
    schedules, spreads, runs = drawn(seed, conf)
    verdicts = site_verdicts(["a", "b", "easy"], schedules, spreads, lambda *_: None)
    measured = np.arange(24) >= seed
    claims = [*verdicts.claims(measured), verdicts.change_claim(0, 2, measured)]
    assert len(claims) == 3
    for first in (claims[1], claims[2]):  # as a search says them of the best policy
        assert first is not None
        best = change_of_best(first)
        by_chance = first.relation is PhaseRelation.CHANGED_BY_CHANCE
        kinds = (PhaseRelation.BEST_CHANGED, PhaseRelation.BEST_CHANGED_BY_CHANCE)
        assert best.relation is kinds[by_chance]
        claims.append(best)
    for claim in claims:
        assert claim is not None
        submits = schedules[0].submit.tolist()
        jobs = np.flatnonzero(measured).tolist()
        assert judge(claim, submits, jobs, runs), claim
        check_words(line([claim]))
        for own in claim.quantities:
            wrong = tuple(replace(each, value=each.value + 7 * (each is own)) for each in claim.quantities)
            assert not judge(replace(claim, quantities=wrong), submits, jobs, runs)
        if claim.relation is not PhaseRelation.SPREAD:  # nor with the other relation
            pairs = (
                (PhaseRelation.CHANGED, PhaseRelation.CHANGED_BY_CHANCE),
                (PhaseRelation.BEST_CHANGED, PhaseRelation.BEST_CHANGED_BY_CHANCE),
            )
            ((one, other),) = (pair for pair in pairs if claim.relation in pair)
            turned = replace(claim, relation=other if claim.relation is one else one)
            assert not judge(turned, submits, jobs, runs)


def is_what_if(claim: Claim, names: Sequence[str], policies: Sequence[Policy], place: int) -> bool:
    """Whether a run changes the site that is named: the first of the runs, or what that one changes."""
    (site,) = claim.about
    first = next(k for k, policy in enumerate(policies) if policy.spelling.startswith("site:"))
    folder, changes = [*policies[first].spelling.split(":"), ""][1:3]
    named = f"site:{folder}" if changes else names[first]
    own = policies[place].spelling
    return (
        claim.relation is PhaseRelation.WHAT_IF
        and site.name == named
        and own.startswith(f"site:{folder}")
        and own != f"site:{folder}"
    )


@settings(max_examples=30, deadline=None, phases=(Phase.generate,))
@given(
    st.lists(st.sampled_from(("", "bf_interval=300", "bf_max_job_test=9", "easy")), min_size=1, max_size=4)
)
def test_runs_that_change_a_site_are_what_ifs_of_it(
    tmp_path_factory: pytest.TempPathFactory, changes: list[str]
) -> None:
    """Drawn lists of runs, of which the first site stands for itself if nothing of it is changed."""
    conf = tmp_path_factory.mktemp("site") / "slurm.conf"
    conf.write_text("NodeName=a CPUs=4\nPartitionName=batch Nodes=ALL\n")
    changes = list(dict.fromkeys(changes))
    trace = make_trace(np.arange(4) * 50, [60] * 4, 1, cluster=read_site(conf).conf.machine)
    base = simulate(trace, trace.cluster, parse_policy("easy"))
    texts = [each if each == "easy" else f"site:{conf}:{each}".rstrip(":") for each in changes]
    policies = [parse_policy(text) for text in texts]
    names = [f"run {number}" for number in range(len(texts))]
    schedules = [replace(base, policy=policy) for policy in policies]
    verdicts = site_verdicts(names, schedules, {}, lambda *_: None)
    for place, (change, run) in enumerate(zip(changes, verdicts.runs, strict=True)):
        assert (run is None) == (change == "easy")
        if run is None:
            continue
        check_words(run.of_site)
        # The site as it is stands for itself.
        assert run.own == (not change)
        assert is_what_if(run.what_if, names, policies, place) != run.own, run.what_if


def test_why_a_model_misleads_by_hand(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three accounts wait 100, 200 and 300 s by the log, and the other way round by the model."""
    conf = tmp_path_factory.mktemp("site") / "slurm.conf"
    conf.write_text("PartitionName=batch Nodes=ALL\n")
    waits = np.repeat([100, 200, 300], 30)
    trace = make_trace(np.arange(90), [1] * 90, wait=waits, group=[f"g{k // 30}" for k in range(90)])
    recorded = simulate(trace, trace.cluster, parse_policy("recorded"))
    start = trace.submit + 400 - waits
    turned = replace(recorded, policy=site_policy(read_site(conf)), start=start, end=start + 1)
    accuracy = accuracy_of(turned)
    assert accuracy is not None
    claim = accuracy.doubt("the model of a")
    assert [quantity.value for quantity in claim.quantities] == [-1.0, 3]
    assert claim.population == Population(90, 0, 89)
    check_words(render(claim))
    check_words(accuracy.spans)
    with pytest.raises(ValueError, match="order"):
        replace(accuracy, accounts=accuracy.accounts[:2]).doubt("the model of a")


@pytest.mark.parametrize("relation", PhaseRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: PhaseRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(PHASE_SENTENCES[relation]) if name} - {"subject"}
    place = ClaimPlace("runs", 0)
    about = tuple(NamedThing(role, f"{role} 9", place) for role in parts & {"site"})
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - {"site"})
    subject = NamedThing("subject", "run 7", place)
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
