"""Claims on logs before a judge that works each number out anew, job by job."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.logs import LOG_SENTENCES, LogRelation
from engine.claims.words import plain, render
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.trace import Trace
from engine.verdict.log_claims import (
    archive_claim,
    failures_claim,
    jobs_claim,
    load_claim,
    machine_claim,
    mean_job_claim,
    submitted_claim,
)
from tests.engine.verdict.drawn import DIGIT, PROCESSORS, check_words, logs
from tests.traces import make_trace


def judge(claim: Claim, trace: Trace) -> bool:
    """Whether a claim on load or width holds of the jobs of a log."""
    procs, runtimes, submits = (each.tolist() for each in (trace.procs, trace.runtime, trace.submit))
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    if claim.population != Population(len(procs), min(submits), max(submits)):
        return False
    if claim.relation in (LogRelation.JOBS, LogRelation.JOBS_WITHOUT_USER):
        names = [trace.user.names[code] for code in trace.user.codes.tolist()]
        counts = {"jobs": len(names), "users": len(set(names) - {""}), "queues": len({*trace.queue.codes})}
        without = {"nameless": names.count("")} if "" in names else {}
        return said == counts | without and bool(without) == (claim.relation is not LogRelation.JOBS)
    if claim.relation is LogRelation.SUBMITTED:
        times = {"first": min(submits), "last": max(submits)}
        return said == times and [each.name for each in claim.about] == [f"at {t}" for t in times.values()]
    if claim.relation in (LogRelation.MACHINE, LogRelation.MACHINE_OF_NODES):
        nodes = sum(group.count for group in trace.cluster.groups)
        of_nodes = claim.relation is LogRelation.MACHINE_OF_NODES
        return said == {"processors": PROCESSORS} | ({"nodes": nodes} if of_nodes else {})
    if claim.relation is LogRelation.MEAN_JOB:
        return said["phi"] == pytest.approx(100 * sum(procs) / len(procs) / PROCESSORS)
    needed = sum(cpus * seconds for cpus, seconds in zip(procs, runtimes, strict=True))
    return said["load"] == pytest.approx(100 * needed / PROCESSORS / (max(submits) - min(submits)))


@settings(max_examples=60, phases=(Phase.generate,))
@given(logs() | logs(with_nodes=True))
def test_load_and_width_of_random_logs_hold(trace: Trace) -> None:
    load = load_claim(trace, trace.cluster)
    assert (load is None) == (trace.submit[0] == trace.submit[-1])
    if trace.submit[0] % 2:  # some jobs have no user
        trace = replace(trace, user=replace(trace.user, names=("", *trace.user.names[1:])))
    facts = (jobs_claim(trace), submitted_claim(trace, "at {}".format), machine_claim(trace, trace.cluster))
    for claim in filter(None, (*facts, load, mean_job_claim(trace))):
        assert judge(claim, trace), claim
        check_words(render(claim))
        wrong = tuple(replace(each, value=each.value + 1) for each in claim.quantities)
        assert not judge(replace(claim, quantities=wrong), trace)
    check_words(render(archive_claim(trace)))


def test_failures_by_hand() -> None:
    """Two outages of a node of two, for 30 s and 20 s of 200 s."""
    trace = make_trace([0, 200], [10, 10], 1)
    cluster = Cluster.pool(4)
    none = Outages(*(np.zeros(0, np.int64) for _ in range(3)))
    assert failures_claim(trace, cluster, none) is None
    twice = Outages(node=np.array([0, 0]), start=np.array([10, 100]), end=np.array([40, 120]))
    claim = failures_claim(trace, cluster, twice)
    assert claim is not None
    assert plain(render(claim)) == "2 of 1 node, 25.0 % of the processors down, over the same time"
    check_words(render(claim))


@pytest.mark.parametrize("relation", LogRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: LogRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(LOG_SENTENCES[relation]) if name}
    subject = NamedThing("subject", "log", ClaimPlace("runs", 0))
    names = parts & {"known", "machine", "first date", "last date"}
    about = tuple(NamedThing(role, f"{role} 9", subject.place) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (subject.place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
