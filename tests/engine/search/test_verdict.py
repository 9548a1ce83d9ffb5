"""What a search says in the end."""

from dataclasses import replace

import pytest

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.phases import PhaseRelation
from engine.claims.words import TextSpan
from engine.policy.policy import parse_policy
from engine.search.answer import Advantage, CheckedTrial, SearchResult, Trial
from engine.search.beliefs import Beliefs
from engine.search.question import Question, parse_bound, parse_objective
from engine.search.verdict import belief_spans, verdict
from engine.slurm.scheduler.phases import PhasedChange
from tests.engine.verdict.drawn import check_words

EASY, SAF = parse_policy("easy"), parse_policy("saf-easy")
QUESTION = Question(
    EASY,
    (),
    (parse_objective("wait_mean", False),),
    (parse_bound("veet_q3 <= 0 %"), parse_bound("wait_max <= 25 %")),
    EASY,
)


BETTER = Advantage(change=-10.0, weeks=15, effective_weeks=15.0, low=-20.0, high=-5.0)
UNSURE = replace(BETTER, high=1.0)
WORSE = Advantage(change=10.0, weeks=15, effective_weeks=15.0, low=5.0, high=20.0)
FEW = Advantage(change=-8.6, weeks=7, effective_weeks=7.0)
DEPENDING = Advantage(change=-8.6, weeks=20, effective_weeks=3.2)


def judged(policy: str, veet: float = 40.0, longest: float = 110.0) -> CheckedTrial:
    values = {"wait_mean": 10.0, "veet_q3": veet, "wait_max": longest}
    kept = veet <= 50 and longest <= 125
    return CheckedTrial(Trial(parse_policy(policy), values, True), values, kept)


def messages_of(best: CheckedTrial, *found: Advantage | None, question: Question = QUESTION) -> str:
    answer = SearchResult((best.trial,), (best,), judged("easy", 50.0, 100.0), found or (BETTER,))
    return verdict(question, answer)


def test_only_bounds_that_are_broken_on_the_judged_span_are_named() -> None:
    assert messages_of(judged("saf-easy", 40.0, 130.0)).endswith(
        "It does not keep wait_max <= 25 % there: no better policy was shown."
    )
    assert "does not keep veet_q3 <= 0 % and wait_max <= 25 % there" in messages_of(
        judged("saf-easy", 60.0, 130.0)
    )


def test_a_policy_that_is_better_is_reported_with_its_interval() -> None:
    assert messages_of(judged("saf-easy")) == (
        "saf-easy against easy on the judged span: mean wait 10.0 % lower, averaged over 15 weeks "
        "(95 % CI: 20.0 % lower to 5.0 % lower)."
    )


@pytest.mark.parametrize(
    ("found", "expected", "shown"),
    [
        (
            UNSURE,
            "mean wait 10.0 % lower, averaged over 15 weeks (95 % CI: 20.0 % lower to 1.0 % higher). "
            "No better policy was shown: the difference may be due to chance.",
            False,
        ),
        (
            WORSE,
            "mean wait 10.0 % higher, averaged over 15 weeks (95 % CI: 5.0 % higher to 20.0 % higher). "
            "It is worse in mean wait. No better policy was shown.",
            False,
        ),
        (
            FEW,
            "mean wait 8.6 % lower, averaged over 7 weeks (no CI: it needs 12 weeks). "
            "No better policy was shown: the difference may be due to chance.",
            False,
        ),
        (
            DEPENDING,
            "mean wait 8.6 % lower, averaged over 20 weeks "
            "(no CI: the weeks are correlated and count only as 3). "
            "No better policy was shown: the difference may be due to chance.",
            False,
        ),
        (
            None,
            "mean wait cannot be compared week by week. "
            "No better policy was shown: the difference may be due to chance.",
            False,
        ),
    ],
)
def test_a_difference_within_chance_is_no_result(found: Advantage | None, expected: str, shown: bool) -> None:
    best = judged("saf-easy")
    assert messages_of(best, found).endswith(f"on the judged span: {expected}")
    answer = SearchResult((best.trial,), (best,), judged("easy"), (found,))
    assert answer.shown(QUESTION.objectives) is shown


def test_what_is_to_be_large_is_worse_where_it_is_lower() -> None:
    question = replace(QUESTION, objectives=(parse_objective("utilization", True),))
    assert messages_of(judged("saf-easy"), BETTER, question=question).endswith(
        "It is worse in utilization. No better policy was shown."
    )
    assert "worse" not in messages_of(judged("saf-easy"), WORSE, question=question)
    both = replace(QUESTION, objectives=(*QUESTION.objectives, parse_objective("wait_max", False)))
    found = messages_of(judged("saf-easy"), BETTER, WORSE, question=both)
    assert found.endswith("It is worse in longest wait.")


@pytest.mark.parametrize(
    ("values", "bounds", "expected"),
    [
        ([], (), "None of the policies that were tried fits this log."),
        ([{"wait_mean": None}], (), "No policy that was tried has a value of wait_mean: nothing was found."),
        (
            [{"wait_mean": 1.0, "wait_max": 9.0}],
            ("wait_max <= 5",),
            "No policy that was tried keeps wait_max",
        ),
    ],
)
def test_without_a_front_the_reason_is_given(
    values: list[dict[str, float | None]], bounds: tuple[str, ...], expected: str
) -> None:
    asked = (parse_objective("wait_mean", False),)
    question = Question(EASY, (), asked, tuple(map(parse_bound, bounds)), EASY)
    trials = tuple(Trial(EASY, value, not bounds) for value in values)
    assert verdict(question, SearchResult(trials, (), judged("easy"), ())).startswith(expected)


def test_keys_that_contradict_one_another_are_reported() -> None:
    found = verdict(QUESTION, SearchResult((), (), judged("easy"), (), "windows have no use"))
    assert (
        found == "No policy was tried: the keys that were drawn contradict one another (windows have no use)."
    )


def test_a_search_on_a_site_says_what_chance_explains_and_how_near_the_model_is() -> None:
    best = judged("saf-easy")
    site, people = NamedThing("subject", "site:a", ClaimPlace("runs", 0)), Population(9, 0, 9)
    quantities = PhasedChange(-0.09, -0.2, -0.01, 8).quantities
    change = Claim(site, PhaseRelation.CHANGED, quantities, (), people, (site.place,))
    beliefs = Beliefs((TextSpan("site:a: the verdict"),), (change,), None)
    answer = SearchResult((best.trial,), (best,), judged("easy"), (BETTER,), beliefs=beliefs)
    assert verdict(QUESTION, answer).endswith(
        "Its mean wait changes by −9.0 % (−20.0 % to −1.0 % over 8 phases of slurmctld's loops). "
        "site:a: the verdict."
    )
    assert answer.shown(QUESTION.objectives)
    order = (
        ClaimQuantity("correlation", -0.5, Unit.CORRELATION),
        ClaimQuantity("accounts", 3, Unit.ACCOUNTS),
    )
    doubt = Claim(site, PhaseRelation.OTHER_ORDER, order, (), people, (site.place,))
    misleading = replace(answer, beliefs=replace(beliefs, misleading=doubt))
    for spans in belief_spans(misleading):
        check_words(spans)
    assert not misleading.shown(QUESTION.objectives)
    assert verdict(QUESTION, misleading).endswith(
        "Site:a has accounts in another order than the log (rank correlation −0.50 of 3 accounts): "
        "changes of it cannot be believed. "
        "No better policy was shown."
    )


def test_a_span_under_a_week_is_told_in_its_own_unit() -> None:
    short = replace(FEW, weeks=1, span=300)
    assert "mean wait 8.6 % lower, over 5 min (no CI: it needs 12 weeks)" in messages_of(
        judged("saf-easy"), short
    )
