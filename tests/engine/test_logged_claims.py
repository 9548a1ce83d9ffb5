"""Claims on a job of a schedule before a judge that knows the log and the starts alone."""

from dataclasses import replace
from datetime import UTC, datetime
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.answer.logged_job import LoggedJob
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.job_claims import LOGGED_SENTENCES, LoggedRelation
from engine.claims.words import render
from engine.now.what_if import Outcome
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace import MISSING, Trace
from tests.engine.verdict.drawn import DIGIT, check_words, logs


def holds(claim: Claim, schedule: Schedule, outcome: Outcome) -> bool:
    """Whether what is said of a job, or of its changed request, is so."""
    job = claim.subject.place.row
    submit, start = int(schedule.submit[job]), int(schedule.start[job])
    end, waited = int(schedule.end[job]), start - submit
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    dates = {named.role: named.name for named in claim.about if named.role.endswith(" date")}
    trace = schedule.trace
    match claim.relation:
        case LoggedRelation.NOT_RUN | LoggedRelation.SUBMITTED_NOT_RUN:
            return start < 0 and not said
        case LoggedRelation.ASKED:
            return said == {"processors": trace.procs[job]} and trace.walltime[job] < 0
        case LoggedRelation.ASKED_FOR_TIME:
            return said == {"processors": trace.procs[job], "limit": trace.walltime[job]}
    if start < 0 or outcome.start is None or outcome.end is None:
        return False
    match claim.relation:
        case LoggedRelation.AT_ONCE | LoggedRelation.SUBMITTED_AT_ONCE:
            return waited == 0 and not said
        case LoggedRelation.WAITED | LoggedRelation.SUBMITTED_WAITED:
            moment = datetime.fromtimestamp(start, UTC)  # these logs begin with the epoch
            day, clock = f"{moment:%Y-%m-%d}", f"{moment:%H:%M}"
            date = dates["start date"]
            return said == {"waited": waited} and day in date and clock in date
        case LoggedRelation.SAME_START:
            return outcome.start == start
        case LoggedRelation.SOONER:
            return outcome.start < start and said == {
                "waited": outcome.start - submit,
                "less": start - outcome.start,
            }
        case LoggedRelation.LATER:
            return outcome.start > start and said == {"later": outcome.start - start}
        case LoggedRelation.SAME_END:
            return outcome.end == end
        case LoggedRelation.ENDED_SOONER:
            return outcome.end < end and said == {"by": end - outcome.end}
        case LoggedRelation.ENDED_LATER:
            return outcome.end > end and said == {"by": outcome.end - end}
    return False


@settings(max_examples=30, deadline=None, phases=(Phase.generate,))
@given(
    logs(),
    st.sampled_from(("fcfs", "easy", "easy:max_user_cpus=8")),
    st.integers(-90, 90),
    st.integers(-90, 90),
    st.booleans(),
)
def test_what_is_said_of_jobs_of_random_logs_holds(
    trace: Trace, policy: str, moved: int, longer: int, with_limits: bool
) -> None:
    """In some logs half of the jobs have no time limit; jobs above a limit on users are not run."""
    if not with_limits:
        own = np.arange(len(trace)) % 2 == 0
        trace = replace(trace, walltime=np.where(own, trace.walltime, MISSING))
    schedule = simulate(trace, trace.cluster, parse_policy(policy), log=True)
    for job in range(len(trace)):
        told = LoggedJob.of(schedule, job)
        start, end = int(schedule.start[job]), int(schedule.end[job])
        if start < 0:
            never = Outcome("half the processors", None, None, None, None)
            for claim in (told.waiting, *told.request):
                assert holds(claim, schedule, never), claim
                check_words(render(claim))
            assert trace.procs[job] > 8
            assert told.waited is None
            continue
        # A start that is drawn, and not before the submission.
        then = max(start + moved, int(schedule.submit[job]))
        done = then + max(end - start + longer, 1)
        outcome = Outcome("half the processors", then, done, start - then, end - done)
        claims = [told.waiting, *told.request, *told.change(outcome)]
        assert len(told.change(outcome)) == 1 + (end - done != start - then)
        for claim in claims:
            assert holds(claim, schedule, outcome), claim
            assert claim.population == Population(1, int(schedule.submit[job]), int(schedule.submit[job]))
            check_words(render(claim))
            for own in claim.quantities:  # and it would be refused with another number
                wrong = [replace(each, value=each.value + 7 * (each is own)) for each in claim.quantities]
                assert not holds(replace(claim, quantities=tuple(wrong)), schedule, outcome)


@pytest.mark.parametrize("relation", LoggedRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: LoggedRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(LOGGED_SENTENCES[relation]) if name} - {"subject"}
    names = parts & {"by", "submit date", "start date"}
    place = ClaimPlace("jobs", 0)
    about = tuple(NamedThing(role, f"{role} 9", place) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    subject = NamedThing("subject", "job 7", place)
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
