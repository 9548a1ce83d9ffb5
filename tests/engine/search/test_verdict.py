"""What a search says in the end."""

from __future__ import annotations

from engine.policy.policy import parse_policy
from engine.search.answer import Advantage, Answer, Judged, Trial
from engine.search.question import Question, parse_bound, parse_objective
from engine.search.verdict import verdict

EASY, SAF = parse_policy("easy"), parse_policy("saf-easy")
QUESTION = Question(
    EASY,
    (),
    (parse_objective("wait_mean", False),),
    (parse_bound("veet_q3 <= 0 %"), parse_bound("wait_max <= 25 %")),
    EASY,
)


def judged(policy: str, veet: float, longest: float) -> Judged:
    values = {"wait_mean": 10.0, "veet_q3": veet, "wait_max": longest}
    kept = veet <= 50 and longest <= 125
    return Judged(Trial(parse_policy(policy), values, True), values, kept)


def said(best: Judged) -> str:
    change = Advantage(change=-10.0, low=-20.0, high=-5.0, weeks=9)
    return verdict(QUESTION, Answer((best.trial,), (best,), judged("easy", 50.0, 100.0), (change,)))


def test_only_bounds_that_are_broken_on_the_judged_span_are_named() -> None:
    assert said(judged("saf-easy", 40.0, 130.0)).endswith(
        "It does not keep wait_max <= 25 % there: no better policy was shown."
    )
    assert "does not keep veet_q3 <= 0 % and wait_max <= 25 % there" in said(judged("saf-easy", 60.0, 130.0))


def test_a_policy_that_is_better_is_told_with_its_interval() -> None:
    text = said(judged("saf-easy", 40.0, 110.0))
    assert text.endswith("wait_mean -10.0 % a week (95 % interval -20.0 to -5.0 %, 9 weeks).")
