"""Sentences that explain a job's wait from the decision log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.answer.inferred_reasons import infer_wait
from engine.answer.wait_claims import event_claims, inferred_spans
from engine.claims.claim import Claim, ClaimQuantity, NamedThing
from engine.claims.words import TextSpan, sentence
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Schedule
from views.data.wait_kinds import KIND_COLOURS
from views.inspector.html import Html, bullets, exactly, job_link, join, paragraph, swatched, text
from views.inspector.subject import InspectorSubject
from views.text.values import duration


def reasons(subject: InspectorSubject, schedule: Schedule, job: int) -> Html:
    """The reasons of a job's wait, from its submission to its start, and other events of that time."""
    explanation = explain(schedule, job)
    of_others = explanation.note and not schedule.policy.simulated
    inferred = infer_wait(schedule, job) if of_others else None
    if inferred is not None:
        told = inferred_spans(schedule, job, inferred)
        return join([paragraph(text(explanation.note)), bullets(_told(subject, spans) for spans in told)])
    happened = event_claims(schedule, explanation, subject.axis.format)
    events = [_event(subject, claim) for claim in happened]
    return join(
        [paragraph(text(explanation.note)) if explanation.note else _causes(explanation), bullets(events)]
    )


def _causes(explanation: Explanation) -> Html:
    """A line a kind of reason, in its colour."""
    return swatched(
        (KIND_COLOURS[cause.kind], text(f"{duration(cause.seconds)} {cause.text}"))
        for cause in explanation.summary
    )


def _told(
    subject: InspectorSubject, spans: Iterable[TextSpan], times: Mapping[str, float] | None = None
) -> Html:
    """A text of claims, in which a click on a job or a date shows it; `times` are the seconds of dates."""
    parts = []
    for span in spans:
        says = span.says
        if isinstance(says, NamedThing) and says.role in _JOBS:
            parts.append(job_link(subject.trace, says.place.row))
        elif isinstance(says, NamedThing) and times and says.role.endswith(" date"):
            parts.append(subject.when(times[says.role.removesuffix(" date")]))
        elif isinstance(says, ClaimQuantity) and says.name == "off":
            parts.append(exactly(int(says.value)))
        else:
            parts.append(text(span.text))
    return join(parts)


_JOBS = ("job", "jobs")
"""The roles of jobs in claims on the wait of another one."""


def _event(subject: InspectorSubject, claim: Claim) -> Html:
    return _told(subject, sentence(claim), {each.name: each.value for each in claim.quantities})
