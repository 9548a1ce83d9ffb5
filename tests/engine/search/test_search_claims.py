"""What searches on random logs say: every claim holds before its judge, every number is its quantity."""

from string import Formatter

import numpy as np
import pytest

from engine.claims.claim import NOBODY, Claim, ClaimPlace, ClaimQuantity, NamedThing, Unit
from engine.claims.searches import SEARCH_SENTENCES, SearchRelation
from engine.claims.words import render, sentence
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.search.question import Question, parse_objective
from engine.search.search import search, split
from engine.search.space import parse_space
from engine.search.verdict import search_claims
from engine.trace import Trace
from tests.engine.search.search_judges import JUDGES, judge
from tests.engine.verdict.drawn import DIGIT, WEEK, check_words
from tests.traces import make_trace


def drawn_log(seed: int, weeks: float, jobs: int) -> Trace:
    """Jobs that come in bursts, with walltimes that may be far too long."""
    random = np.random.default_rng(seed)
    burst = np.sort(random.uniform(0, weeks * WEEK, jobs // 8)).astype(np.int64)
    submit = np.sort(np.repeat(burst, 8) + random.integers(0, 600, len(burst) * 8))
    runtime = 1 + random.lognormal(6, 1.5, len(submit)).astype(np.int64)
    procs = random.integers(1, 17, len(submit))
    walltime = runtime * random.integers(1, 6, len(submit))
    return make_trace(submit, runtime, procs, walltime=walltime, cluster=Cluster.pool(16))


@pytest.mark.parametrize(
    ("seed", "weeks", "base", "keys"),
    [
        (1, 0.8, "easy", "order=fcfs|sjf"),
        (2, 12, "fcfs", "order=fcfs|sjf|saf"),
        (3, 60, "fcfs", "depth=stop|1"),
        (4, 60, "easy:order=sjf", "order=fcfs|ljf"),
        (5, 60, "easy", "backfill=queue|ljf"),
        (6, 60, "easy", "gap=earliest|best"),
    ],
)
def test_each_claim_of_a_search_holds(seed: int, weeks: float, base: str, keys: str) -> None:
    trace = drawn_log(seed, weeks, 480)
    asked = (parse_objective("wait_mean", False), parse_objective("wait_max", False))
    policy = parse_policy(base)
    question = Question(policy, parse_space((keys,)), asked, (), policy)
    answer = search(trace, trace.cluster, question, trials=4)
    claims = search_claims(question, answer)
    assert claims
    _, rest = split(trace)
    for claim in claims:
        assert judge(claim, claims, rest), (claim.relation, claim.quantities)
        check_words(sentence(claim))


def test_each_kind_of_a_search_with_a_front_has_a_judge() -> None:
    assert set(SearchRelation) - set(JUDGES) == {
        SearchRelation.BREAKS,
        SearchRelation.DROPPED,
        SearchRelation.CONTRADICTION,
        SearchRelation.NONE_FITS,
        SearchRelation.NO_VALUES,
        SearchRelation.NONE_KEEPS,
        SearchRelation.NONE_HAS_ALL,
    }


NAMES = {"best", "base", "metric", "metrics", "bounds", "why"}


@pytest.mark.parametrize("relation", SearchRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: SearchRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(SEARCH_SENTENCES[relation]) if name}
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("runs", 0)) for role in parts & NAMES)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - NAMES)
    subject = NamedThing("subject", "easy", ClaimPlace("runs", 0))
    spans = render(Claim(subject, relation, quantities, about, NOBODY, (subject.place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
