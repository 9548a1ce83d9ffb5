"""What a search showed, in a sentence: no more than the judged span bears out."""

from __future__ import annotations

from engine.search.answer import Advantage, Answer
from engine.search.question import Question
from engine.words import plural


def verdict(question: Question, answer: Answer) -> str:
    """What was found, on the span that no trial saw, and whether that may be luck."""
    baseline = question.baseline.spelling
    if not answer.front:
        return f"No policy that was tried keeps {listed_bounds(question)}."
    best = answer.front[0]
    if best.trial.policy == question.baseline:
        return f"Nothing that was tried beats {baseline}."
    told = "; ".join(
        f"{one.metric} {_interval(found)}"
        for one, found in zip(question.objectives, answer.advantages, strict=True)
    )
    text = f"{best.trial.policy.spelling} against {baseline} on the judged span: {told}"
    if not best.kept:
        base = answer.baseline.values
        broken = " and ".join(str(one) for one in question.bounds if one.excess(best.values, base) > 0)
        return f"{text}. It does not keep {broken} there: no better policy was shown."
    if not answer.shown(question.objectives):
        return f"{text}. No better policy was shown: so much may be luck."
    return f"{text}."


def _interval(found: Advantage | None) -> str:
    if found is None:
        return "cannot be told by weeks"
    return (
        f"{found.change:+.1f} % a week (95 % interval {found.low:+.1f} to {found.high:+.1f} %, "
        f"{plural(found.weeks, 'week')})"
    )


def listed_bounds(question: Question) -> str:
    """All bounds in words."""
    return " and ".join(map(str, question.bounds)) or "what is asked for"
