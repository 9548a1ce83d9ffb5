"""Claims on logs before a judge that works each number out anew, job by job."""

from dataclasses import replace
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import NOBODY, Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.logs import LOG_SENTENCES, LogRelation
from engine.claims.words import plain, render
from engine.machine.cluster import Cluster, NodeGroup
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

JOBS = (
    *(LogRelation.JOBS, LogRelation.JOBS_WITHOUT_USER),
    *(LogRelation.JOBS_WITHOUT_QUEUE, LogRelation.JOBS_WITHOUT_BOTH),
)
"""What is said of the jobs of a log: with all names, without those of users, of queues, of both."""


def judge(claim: Claim, trace: Trace) -> bool:
    """Whether a claim on load or width holds of the jobs of a log."""
    procs, runtimes, submits = (each.tolist() for each in (trace.procs, trace.runtime, trace.submit))
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    # Whatever is said, it is said of all jobs of the log.
    if claim.population != Population(len(procs), min(submits), max(submits)):
        return False
    # Users without a name are no users, and the text has to mention them then, and only then.
    if claim.relation in JOBS:
        names = [trace.user.names[code] for code in trace.user.codes.tolist()]
        queues = {trace.queue.names[code] for code in trace.queue.codes.tolist()} - {"-1"}
        counts = {"jobs": len(names), "users": len(set(names) - {""})}
        counts |= {"queues": len(queues)} if queues else {}
        without = {"nameless": names.count("")} if "" in names else {}
        return said == counts | without and claim.relation is JOBS[2 * (not queues) + bool(without)]
    if claim.relation is LogRelation.SUBMITTED:
        times = {"first": min(submits), "last": max(submits)}
        return said == times and [each.name for each in claim.about] == [f"at {t}" for t in times.values()]
    if claim.relation in (LogRelation.MACHINE, LogRelation.MACHINE_OF_NODES):
        nodes = sum(group.count for group in trace.cluster.groups)
        of_nodes = claim.relation is LogRelation.MACHINE_OF_NODES
        return said == {"processors": PROCESSORS} | ({"nodes": nodes} if of_nodes else {})
    if claim.relation is LogRelation.MEAN_JOB:
        return said["phi"] == pytest.approx(100 * sum(procs) / len(procs) / PROCESSORS)
    if claim.relation is not LogRelation.LOAD:
        return False
    # Offered load: work over capacity, from the first submission to the last.
    needed = sum(cpus * seconds for cpus, seconds in zip(procs, runtimes, strict=True))
    return said["load"] == pytest.approx(100 * needed / PROCESSORS / (max(submits) - min(submits)))


@settings(max_examples=60, phases=(Phase.generate,))
@given(logs() | logs(with_nodes=True))
def test_load_and_width_of_random_logs_hold(trace: Trace) -> None:
    load = load_claim(trace, trace.cluster)
    assert (load is None) == (trace.submit[0] == trace.submit[-1])
    if trace.submit[0] % 2:  # some jobs have no user
        trace = replace(trace, user=replace(trace.user, names=("", *trace.user.names[1:])))
    if trace.submit[-1] % 3 == 0:  # some have no queue, or all
        trace = replace(trace, queue=replace(trace.queue, names=("-1", *trace.queue.names[1:])))
    facts = (jobs_claim(trace), submitted_claim(trace, "at {}".format), machine_claim(trace, trace.cluster))
    for claim in filter(None, (*facts, load, mean_job_claim(trace))):
        assert judge(claim, trace), claim
        check_words(render(claim))
        wrong = tuple(replace(each, value=each.value + 1) for each in claim.quantities)
        assert not judge(replace(claim, quantities=wrong), trace)
    of_archive = archive_claim(trace)
    assert is_published(of_archive)
    check_words(render(of_archive))
    for quantity in of_archive.quantities:
        wrong = tuple(
            replace(each, value=each.value + 0.1 * (each is quantity)) for each in of_archive.quantities
        )
        assert not is_published(replace(of_archive, quantities=wrong))


def is_published(claim: Claim) -> bool:
    """Whether what is said of other logs stands in the paper, and is about no job of this one.

    (Vanden Bossche, Vanmechelen & Broeckhove 2011, table 1 and section 5.2.)
    """
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    (known,) = claim.about
    return (
        claim.relation is LogRelation.MEAN_OF_ARCHIVE
        and claim.population == NOBODY
        and said == pytest.approx({"low": 2.84, "high": 5.94, "level": 95})
        and known.name == "SDSC Blue Horizon 3.78, SDSC SP2 10.75, HPC2N 2.64"
    )


def fails(claim: Claim, trace: Trace, cluster: Cluster, outages: Outages) -> bool:
    """Whether so many failures are of so many nodes, and so much of the processors was down, s by s."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    rows = list(zip(outages.node.tolist(), outages.start.tolist(), outages.end.tolist(), strict=True))
    cpus = [group.cpus for group in cluster.groups for _ in range(group.count)]
    first, last = int(trace.submit[0]), int(trace.submit[-1])
    down = sum(cpus[node] for now in range(first, last) for node, begin, end in rows if begin <= now < end)
    return claim.relation is LogRelation.FAILURES and said == pytest.approx(
        {
            "failures": len(rows),
            "nodes": len({node for node, _, _ in rows}),
            "down": 100 * down / (sum(cpus) * (last - first)),
        }
    )


@settings(max_examples=40, phases=(Phase.generate,))
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-50, 250), st.integers(1, 90)), min_size=1, max_size=6),
    st.integers(1, 9),
)
def test_failures_of_drawn_nodes_hold(spans: list[tuple[int, int, int]], wide: int) -> None:
    """Those of the span of submissions, as the command counts them; spans of a node that touch are one."""
    trace = make_trace([0, 200], [10, 10], 1)
    cluster = Cluster((NodeGroup(2, 4), NodeGroup(2, wide)))
    node, start, length = (np.array(column) for column in zip(*spans, strict=True))
    outages = Outages.merged(node, start, start + length).clipped(0, 200)
    claim = failures_claim(trace, cluster, outages)
    assert (claim is None) == (not len(outages))
    if claim is None:
        return
    assert fails(claim, trace, cluster, outages)
    check_words(render(claim))
    for quantity in claim.quantities:
        wrong = tuple(replace(each, value=each.value + (each is quantity)) for each in claim.quantities)
        assert not fails(replace(claim, quantities=wrong), trace, cluster, outages)


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
