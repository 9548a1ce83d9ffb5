"""Random logs and runs of them, as the code under test and as judges see them."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from engine.claims.claim import ClaimQuantity, NamedThing
from engine.claims.words import TextSpan
from engine.machine.cluster import Cluster, NodeGroup
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.run import simulate
from engine.trace import MISSING, Pieces, Trace
from engine.trace.trace import WHOLE_PACKED
from engine.verdict.verdict import JudgedRun, judged_runs
from tests.engine.verdict.judges import agrees
from tests.engine.verdict.seen import Seen
from tests.traces import make_trace

POLICIES = (
    *("fcfs", "easy", "easy:order=sjf", "aggressive", "conservative"),
    *("easy:max_user_jobs=1", "aggressive:max_user_cpus=16"),
)
PROCESSORS = 16
WEEK = 7 * 86_400

SHARE = parse_share("1/3")

DIGIT = re.compile(r"\d")


@st.composite
def logs(draw: st.DrawFn, with_nodes: bool = False) -> Trace:
    """A few users whose jobs come in bursts, which may be weeks apart, with waits or without.

    `with_nodes`: on one or two groups of nodes with RAM and GPUs, for which jobs may ask. In some logs some
    jobs take their nodes whole, with all GPUs there.
    """
    weekly = draw(st.integers(0, 9)) == 0  # a burst each week, so that weeks can be compared
    jobs = draw(st.integers(24, 40) if weekly else st.integers(1, 12))
    drawn = np.frombuffer(draw(st.binary(min_size=6 * jobs, max_size=6 * jobs)), np.uint8).reshape(6, jobs)
    drawn = drawn.astype(np.int64)
    apart = draw(st.sampled_from((0, 0, 25 * 86_400)))  # so that some logs have several months
    far = np.arange(jobs) % 2 * WEEK if weekly else np.where(drawn[0] > 200, apart, 0)
    runtime = 1 + drawn[1] % draw(st.sampled_from((40, 250)))
    procs = 1 + drawn[2] % PROCESSORS
    machine: dict[str, Any] = {"cluster": Cluster.pool(PROCESSORS)}
    if with_nodes:
        # Half of the processors in either group; an odd count of processors is a task for each of them.
        sizes = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((2, 4, 8)))
        ram = draw(st.sampled_from((None, 12, 24)))
        gpus = draw(st.sampled_from((1, 0))), 1  # of each node: in some logs the first group has none
        nodes = tuple(
            NodeGroup(8 // size, size, ram, extra=(("gpu", count),) if count else ())
            for size, count in zip(sizes, gpus, strict=True)
        )
        wide = min(sizes)
        each = [wide if number % wide == 0 else 1 for number in procs.tolist()]
        of_task = (drawn[3] % 4).tolist() if ram else [0] * jobs
        counts = [number // cpus for number, cpus in zip(procs.tolist(), each, strict=True)]
        machine = {
            "cluster": Cluster(nodes),
            "tasks": [[task] for task in zip(counts, each, of_task, strict=True)],
            "gpus": drawn[4] // 8 % 2,
            "ram": [count * mib or MISSING for count, mib in zip(counts, of_task, strict=True)],
        }
    trace = make_trace(
        np.cumsum(drawn[0] % 40 + far),
        runtime,
        procs,
        walltime=runtime + drawn[3],
        user=[f"u{code}" for code in drawn[4] % 3],
        queue=[f"q{code}" for code in drawn[4] // 3 % 2],
        wait=drawn[5] * 3 if draw(st.booleans()) else None,
        **machine,
    )
    if with_nodes and draw(st.booleans()):
        whole = np.where(drawn[5] % 3 == 0, np.where(drawn[3] % 2 > 0, WHOLE_PACKED, 1), 0)
        columns = {**trace.tasks.columns, "whole": np.repeat(whole, np.diff(trace.tasks.offset))}
        trace = replace(trace, tasks=Pieces(trace.tasks.offset, columns))
    if draw(st.booleans()):
        return trace
    # What jobs used, as far as the log has it: of every third job it does not.
    known = np.arange(jobs) % 3 != 1
    return replace(
        trace,
        cpu_used=np.where(known, trace.recorded_procs * trace.recorded_runtime * (drawn[5] / 256), -1.0),
        ram_used=np.where(known & (trace.ram > 0), trace.ram * drawn[1] // 256, -1),
    )


def judged(trace: Trace, policies: list[str]) -> tuple[list[JudgedRun], list[Seen]]:
    """The runs of some policies, as the code under test and as judges see them."""
    schedules = [simulate(trace, trace.cluster, parse_policy(policy), log=True) for policy in policies]
    evaluations = evaluate(schedules, SHARE, schedules[0])
    runs = judged_runs(policies, evaluations)
    seen = [
        Seen(found.schedule, found.capacity.tolist(), np.flatnonzero(found.jobs).tolist())
        for found in evaluations
    ]
    return runs, seen


def check_words(spans: tuple[TextSpan, ...]) -> None:
    """Each number of a text is its quantity, and no other part has digits."""
    for span in spans:
        if isinstance(span.says, ClaimQuantity):
            assert agrees(span.text, span.says.value, span.says.unit), span
        elif isinstance(span.says, NamedThing):
            assert span.text.lower() == span.says.name.lower()  # it may begin a sentence
        else:
            assert not DIGIT.search(span.text), span
