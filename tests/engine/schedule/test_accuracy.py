"""The accuracy of a site's model: by mean, by rank, by cycle and by account."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from string import Formatter

import numpy as np
import pytest

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.twins import TWIN_SENTENCES, TwinRelation
from engine.claims.words import plain, render
from engine.policy.policy import site_policy
from engine.schedule.accuracy import AccountWait, TwinAccuracy, accuracy_of
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from tests.engine.verdict.drawn import DIGIT, check_words
from tests.traces import make_trace

NEAR = TwinAccuracy(
    recorded=100.0,
    simulated=106.0,
    jobs=429,
    span=860,
    fitted=False,
    correlation=0.87,
    cycle=0.59,
    accounts=(
        AccountWait("phys", 120.0, 115.0),
        AccountWait("bio", 60.0, 69.0),
        AccountWait("chem", 30.0, 31.0),
    ),
)


def test_a_verdict_has_mean_rank_cycle_worst_account_and_span() -> None:
    assert NEAR.verdict == (
        "the model's mean wait is 6.0 % above the real one, the rank correlation of waits is 0.87, 59 % of "
        "jobs start within a backfill cycle of their real start, account bio is farthest off (+15.0 %); over "
        "14 min 20 s of the log (429 jobs; nothing of it was fitted to this log)"
    )
    assert NEAR.brief == "model's mean wait +6.0 %, rank correlation 0.87"
    assert NEAR.order == pytest.approx(1.0)
    assert not NEAR.misleading


def test_accounts_in_another_order_are_named_although_the_mean_is_right() -> None:
    swapped = replace(
        NEAR, accounts=(AccountWait("phys", 120.0, 65.0), *NEAR.accounts[1:])
    )  # behind bio by the model alone
    assert swapped.reversed_pairs == (("phys", "bio"),)
    assert "accounts phys and bio change places" in swapped.verdict
    assert swapped.order == pytest.approx(0.5)
    assert not swapped.misleading
    turned = replace(
        NEAR,
        accounts=tuple(replace(each, simulated=200.0 - each.recorded) for each in NEAR.accounts),
    )
    assert turned.order == pytest.approx(-1.0)
    assert turned.misleading
    assert "accounts have another order than in reality" in turned.verdict


def test_a_single_account_has_no_order() -> None:
    alone = replace(NEAR, accounts=NEAR.accounts[:1])
    assert (alone.order, alone.worst, alone.misleading) == (None, None, False)
    assert "farthest" not in alone.verdict


def test_without_real_waits_the_models_wait_is_told() -> None:
    idle = replace(NEAR, recorded=0.0, simulated=12.0, correlation=None, accounts=())
    assert idle.brief == ""
    assert idle.verdict.startswith("no job waited in reality and the model's mean wait is 12 s, over 14 min")


CYCLE = 30  # s between two cycles of the backfiller, unless a site says otherwise


def judge(claim: Claim, schedule: Schedule) -> bool:
    """Whether a claim on the model holds, by the starts of the schedule and of the log."""
    trace, site = schedule.trace, schedule.policy.site
    assert site is not None
    submits, real = trace.submit.tolist(), trace.wait.tolist()
    # Jobs that the model was fitted to take no part in what it is judged by.
    jobs = [
        job
        for job in range(len(submits))
        if schedule.start[job] >= 0 and real[job] >= 0 and submits[job] >= site.fitted_until
    ]
    model = [int(schedule.start[job]) - submits[job] for job in range(len(submits))]
    span = min(submits[job] for job in jobs), max(submits[job] for job in jobs)
    if claim.population != Population(len(jobs), *span):
        return False
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    names = [trace.group.names[code] for code in trace.group.codes.tolist()]
    of_account = Counter(names[job] for job in jobs)
    # Accounts with few jobs have no mean worth comparing.
    accounts = {
        name: [
            sum(waits[job] for job in jobs if names[job] == name) / of_account[name]
            for waits in (real, model)
        ]
        for name in dict.fromkeys(names)
        if of_account[name] >= 30
    }
    recorded = float(sum(real[job] for job in jobs)) / len(jobs)
    simulated = float(sum(model[job] for job in jobs)) / len(jobs)
    # Pairs of accounts that the model has in the other order.
    turned = {
        frozenset(pair)
        for pair in combinations(accounts, 2)
        if (accounts[pair[0]][0] - accounts[pair[1]][0]) * (accounts[pair[0]][1] - accounts[pair[1]][1]) < 0
    }
    match claim.relation:
        case TwinRelation.LONGER | TwinRelation.SHORTER:
            off = 100 * (simulated / recorded - 1)
            longer = claim.relation is TwinRelation.LONGER
            return said["off"] == pytest.approx(abs(off)) and (off > 0) == longer
        case TwinRelation.AS_LONG:
            return f"{abs(100 * (simulated / recorded - 1)):.1f}" == "0.0"
        case TwinRelation.NO_REAL_WAIT:
            return recorded == 0 and said["wait"] == round(simulated)
        case TwinRelation.CORRELATED:
            ranks = rank_correlation(*(np.array([each[job] for job in jobs]) for each in (model, real)))
            return said["correlation"] == pytest.approx(ranks)
        case TwinRelation.IN_CYCLE:
            near = sum(abs(model[job] - real[job]) <= CYCLE for job in jobs)
            return said["share"] == pytest.approx(100 * near / len(jobs))
        case TwinRelation.WORST_ACCOUNT:
            (account,) = claim.about
            parts = {name: 100 * (after / before - 1) for name, (before, after) in accounts.items() if before}
            most = max(abs(each) for each in parts.values())
            return said["off"] == pytest.approx(parts[account.name]) and abs(parts[account.name]) == most
        case TwinRelation.WORST_OF_NO_WAIT:
            (account,) = claim.about
            modelled = {name: after for name, (past, after) in accounts.items() if not past}
            longest = max(modelled.values()) > 0 and modelled[account.name] == max(modelled.values())
            return longest and said["wait"] == pytest.approx(modelled[account.name])
        case TwinRelation.REVERSED | TwinRelation.REVERSED_MORE:
            (pairs,) = claim.about
            told = {frozenset(pair.split(" and ")) for pair in pairs.name.split("; ")}
            return told <= turned and len(told) + said.get("more", 0) == len(turned)
        case TwinRelation.ANOTHER_ORDER:
            return len(accounts) >= 3 and len(turned) > 0
        case TwinRelation.OVER | TwinRelation.OVER_LATER:
            fitted = (claim.relation is TwinRelation.OVER_LATER) == (site.fitted_until > 0)
            return fitted and (said["span"], said["jobs"]) == (span[1] - span[0], len(jobs))
    return False


def judged(schedule: Schedule) -> set[TwinRelation]:
    """The kinds of claims on a model, each of which holds; the judge refuses other numbers."""
    accuracy = accuracy_of(schedule)
    assert accuracy is not None
    for claim in accuracy.claims:
        assert judge(claim, schedule), claim
        check_words(render(claim))
        assert plain(render(claim)) in accuracy.verdict
        # The judge is judged too: it has to refuse every number that is off by one.
        for quantity in claim.quantities:
            wrong = tuple(
                replace(each, value=each.value + 1) if each is quantity else each for each in claim.quantities
            )
            assert not judge(replace(claim, quantities=wrong), schedule), claim
    return {TwinRelation(claim.relation) for claim in accuracy.claims}


def test_each_kind_of_claim_on_a_model_holds_before_a_judge(tmp_path: Path) -> None:
    """Waits in reality are drawn; none for the first log, and none of one account or two for some others."""
    conf, kinds = tmp_path / "slurm.conf", set()
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL\n")
    site = read_site_at(conf)
    later = replace(site, fitted_until=2000)
    for seed in range(24):
        draw, jobs = np.random.default_rng(seed), 150
        account = draw.integers(0, 4, jobs)
        waits = draw.integers(0, 900, jobs) * (account >= seed % 5 - 2)
        trace = make_trace(
            np.cumsum(draw.integers(0, 200, jobs)),
            draw.integers(60, 600, jobs),
            draw.integers(1, 5, jobs),
            queue=["batch"] * jobs,
            group=[f"g{code}" for code in account],
            wait=waits if seed else [0] * jobs,
        )
        policy = site_policy(later if seed % 2 else site)
        schedule = simulate(trace, site.conf.machine, policy)
        kinds |= judged(schedule)
        # In reality all waits were as by the model.
        same = replace(trace, wait=schedule.wait)
        kinds |= judged(simulate(same, site.conf.machine, policy))
    assert kinds >= set(TwinRelation) - {TwinRelation.REVERSED, TwinRelation.REVERSED_MORE}
    assert kinds & {TwinRelation.REVERSED, TwinRelation.REVERSED_MORE}


@pytest.mark.parametrize("relation", TwinRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: TwinRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(TWIN_SENTENCES[relation]) if name}
    names = parts & {"account", "pairs"}
    model = NamedThing("subject", "the model", ClaimPlace("runs", 0))
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("accounts", 0)) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    spans = render(Claim(model, relation, quantities, about, Population(1, 0, 0), (model.place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
