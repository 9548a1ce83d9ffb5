"""The verdict of a search in words, which claims no more than the judged span supports."""

from __future__ import annotations

from engine.metrics.named import parse_metric
from engine.schedule.accuracy import WEEK
from engine.search.answer import Advantage, Answer
from engine.search.interval import FEWEST
from engine.search.question import WORST_USER, Question
from engine.words import format_seconds, in_sentence, listed, plural


def verdict(question: Question, answer: Answer) -> str:
    """The result on the span that no trial saw, and its significance."""
    baseline = question.baseline.label
    if not answer.front:
        return _why_none(question, answer)
    best = answer.front[0]
    if best.trial.policy == question.baseline:
        return f"Nothing that was tried beats {baseline}."
    text = "; ".join(
        f"{_label(objective.metric)} {_change(found)}"
        for objective, found in zip(question.objectives, answer.advantages, strict=True)
    )
    sentences = [f"{best.trial.policy.label} against {baseline} on the judged span: {text}"]
    sentences += _beliefs(answer)
    if worse := answer.worse(question.objectives):
        sentences.append(f"It is worse in {listed([_label(objective.metric) for objective in worse])}")
    if not best.kept:
        base = answer.baseline.values
        broken = " and ".join(str(bound) for bound in question.bounds if bound.excess(best.values, base) > 0)
        sentences.append(f"It does not keep {broken} there: no better policy was shown")
    elif not answer.shown(question.objectives):
        doubtful = answer.beliefs is not None and answer.beliefs.misleading
        luck = "" if question.objectives[0] in worse or doubtful else ": the difference may be due to chance"
        sentences.append(f"No better policy was shown{luck}")
    return "".join(f"{sentence}. " for sentence in sentences).rstrip()


def _beliefs(answer: Answer) -> list[str]:
    """Sentences on a search that varied a site: what chance explains of the first, and the verdict."""
    beliefs = answer.beliefs
    if beliefs is None:
        return []
    lines = [f"Its mean wait changes by {beliefs.changes[0]}"] if any(beliefs.changes[:1]) else []
    lines += [beliefs.verdict] if beliefs.verdict else []
    if beliefs.misleading:
        lines.append(
            f"{beliefs.misleading[0].upper()}{beliefs.misleading[1:]}: changes of it cannot be believed"
        )
    return lines


def _why_none(question: Question, answer: Answer) -> str:
    """Why no policy that was tried is on the front."""
    if not answer.trials and answer.contradiction:
        return (
            f"No policy was tried: the keys that were drawn contradict one another ({answer.contradiction})."
        )
    if not answer.trials:
        return "None of the policies that were tried fits this log."
    unknown = [
        objective.metric
        for objective in question.objectives
        if all(trial.values[objective.metric] is None for trial in answer.trials)
    ]
    if unknown:
        return f"{listed(unknown)} cannot be computed for any policy that was tried: nothing was found."
    if question.bounds:
        return f"No policy that was tried keeps {listed_bounds(question)}."
    return "No policy that was tried has a value of every objective."


def listed_bounds(question: Question) -> str:
    """All bounds in words."""
    return " and ".join(map(str, question.bounds))


def _label(metric: str) -> str:
    """The name of a metric inside a sentence."""
    if metric == WORST_USER:
        return "mean wait of the user who fares worst"
    return in_sentence(parse_metric(metric).label)


def _change(found: Advantage | None) -> str:
    if found is None:
        return "cannot be compared week by week"
    short = 0 < found.span < WEEK
    over = f"over {format_seconds(found.span)}" if short else f"averaged over {plural(found.weeks, 'week')}"
    return f"{_percent(found.change)}, {over} ({_interval(found)})"


def _interval(found: Advantage) -> str:
    """The interval, or why there is none."""
    if found.low is not None and found.high is not None:
        return f"95 % CI: {_percent(found.low)} to {_percent(found.high)}"
    if found.weeks < FEWEST:
        return f"no CI: it needs {FEWEST} weeks"
    return f"no CI: the weeks are correlated and count only as {found.effective_weeks:.0f}"


def _percent(change: float) -> str:
    """A change in words, such as `8.6 % lower`, or `0.0 %`."""
    text = f"{abs(change):.1f}"
    if float(text) == 0.0:
        return "0.0 %"
    return f"{text} % {'higher' if change > 0 else 'lower'}"
