"""Reports and differences of random runs: every claim holds before its judge, every number is a quantity."""

from __future__ import annotations

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.words import sentence
from engine.metrics.difference import difference
from engine.report import Compared, sections_of
from engine.trace import Trace
from engine.verdict.moved_claims import moved
from tests.engine.verdict.drawn import POLICIES, check_words, judged, logs
from tests.engine.verdict.judges import judge


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


@settings(max_examples=60, phases=(Phase.generate,))
@given(logs() | logs(with_nodes=True), st.sampled_from(POLICIES), st.sampled_from(POLICIES))
def test_each_sentence_of_a_difference_holds(trace: Trace, first: str, second: str) -> None:
    runs, seen = judged(trace, [first, second])
    compared = difference(runs[0].schedule, runs[1].schedule, runs[0].jobs)
    for claim in moved(compared, second, 1):
        assert judge(claim, seen), (claim.relation, [(q.name, q.value) for q in claim.quantities], claim)
        check_words(sentence(claim))
