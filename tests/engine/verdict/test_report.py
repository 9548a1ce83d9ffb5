"""Reports and differences of random runs: every claim holds before its judge, every number is a quantity."""

from dataclasses import replace

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Relation
from engine.claims.words import sentence
from engine.machine.outages import Outages
from engine.metrics.difference import difference
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.report import Compared, sections_of
from engine.report.fair_starts import fair_starts
from engine.schedule.schedule import FairBy
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.verdict.moved_claims import moved
from tests.engine.verdict.drawn import POLICIES, SHARE, check_words, judged, logs
from tests.engine.verdict.judges import judge
from tests.engine.verdict.seen import Seen

FAILURE = (0, 7), (0, 5000), (1, 4000)
"""Bounds of the node of a failure, its begin, and its length in s."""
GAVE_UP = (Relation.GAVE_UP_ONE, Relation.GAVE_UP_SOME)


@settings(max_examples=60, phases=(Phase.generate,))  # shrinking takes minutes
@given(
    logs() | logs(with_nodes=True),
    st.lists(st.sampled_from(POLICIES), min_size=1, max_size=3, unique=True),
    st.booleans(),
)
def test_each_statement_of_a_report_holds(trace: Trace, policies: list[str], with_log: bool) -> None:
    if with_log and trace.has_recorded_schedule:
        policies = ["recorded", *policies]
    runs, seen = judged(trace, policies)
    said: dict[object, float] = {}
    for section in sections_of(Compared(policies, [run.evaluation for run in runs])):
        for statement in section.statements:
            for claim in statement.claims:
                assert judge(claim, seen), (
                    claim.relation,
                    [(q.name, q.value) for q in claim.quantities],
                    claim,
                )
            for claim in statement.claims:
                for quantity in claim.quantities:
                    # What stands twice is the same number: late jobs here and there, changes above and below.
                    key = (claim.subject.name, claim.relation, claim.about, claim.population, quantity.name)
                    assert said.setdefault(key, quantity.value) == quantity.value, key
            check_words(statement.spans)  # also of what claims nothing of the log


@settings(max_examples=40, phases=(Phase.generate,))
@given(logs() | logs(with_nodes=True), st.sampled_from(POLICIES), st.sampled_from(("estimate", "actual")))
def test_jobs_that_later_ones_put_off_are_counted(trace: Trace, policy: str, by: FairBy) -> None:
    schedule = simulate(trace, trace.cluster, parse_policy(policy), fair_starts=True, fair_by=by)
    (run,) = evaluate([schedule], SHARE, schedule)
    own = Seen(schedule, [], np.flatnonzero(run.jobs).tolist())
    told, meaning = fair_starts(Compared([policy], [run])).statements
    (claim,) = told.claims
    assert judge(claim, [own]), claim
    assert meaning.text.endswith("estimated." if by == "estimate" else "as they were.")
    for statement in (told, meaning):
        check_words(statement.spans)
    for quantity in claim.quantities:
        wrong = [replace(each, value=each.value + (each is quantity)) for each in claim.quantities]
        assert not judge(replace(claim, quantities=tuple(wrong)), [own])


@settings(max_examples=60, phases=(Phase.generate,))
@given(logs() | logs(with_nodes=True), st.sampled_from(POLICIES), st.sampled_from(POLICIES))
def test_each_sentence_of_a_difference_holds(trace: Trace, first: str, second: str) -> None:
    runs, seen = judged(trace, [first, second])
    compared = difference(runs[0].schedule, runs[1].schedule, runs[0].jobs)
    for claim in moved(compared, (first, second)):
        assert judge(claim, seen), (claim.relation, [(q.name, q.value) for q in claim.quantities], claim)
        check_words(sentence(claim))


@settings(max_examples=60, phases=(Phase.generate,))
@given(
    logs(with_nodes=True),
    st.sampled_from(("easy:on_failure=lose", "easy:max_restarts=0", "fcfs:on_failure=lose")),
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 5000), st.integers(1, 4000)), min_size=1, max_size=6
    ),
    st.booleans(),
)
def test_jobs_that_a_run_gives_up_are_named_with_what_is_lost(
    trace: Trace, policy: str, failures: list[tuple[int, int, int]], swapped: bool
) -> None:
    first = int(trace.submit[0])
    rows = [
        (node % trace.cluster.nodes, first + begin, first + begin + length)
        for node, begin, length in failures
    ]
    cluster = replace(trace.cluster, failures=Outages.merged(*np.array(rows, np.int64).T))
    names = ("easy:on_failure=continue", policy)
    if swapped:
        names = names[::-1]
    schedules = [simulate(trace, cluster, parse_policy(name), log=True) for name in names]
    compared = difference(schedules[0], schedules[1])
    alike = np.flatnonzero(compared.jobs).tolist()
    seen = [Seen(schedule, [], alike) for schedule in schedules]
    lost = [int((~own.ran & np.isin(np.arange(len(own.start)), own.stopped.job)).sum()) for own in schedules]
    found = [claim for claim in moved(compared, names) if claim.relation in GAVE_UP]
    assert len(found) == sum(count > 0 for count in lost)
    for claim in found:
        assert judge(claim, seen), claim
        check_words(sentence(claim))
        for quantity in claim.quantities:
            wrong = [replace(each, value=each.value + (each is quantity)) for each in claim.quantities]
            assert not judge(replace(claim, quantities=tuple(wrong)), seen)
