"""Random logs and runs of them, as the code under test and as judges see them."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st

from engine.claims.claim import Named, Quantity
from engine.claims.words import Span
from engine.machine.cluster import Cluster
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.verdict.verdict import JudgedRun, judged_runs
from tests.engine.verdict.judges import agrees
from tests.engine.verdict.seen import Seen
from tests.traces import make_trace

POLICIES = ("fcfs", "easy", "easy:order=sjf", "aggressive", "conservative")
PROCESSORS = 16
WEEK = 7 * 86_400

SHARE = parse_share("1/3")

DIGIT = re.compile(r"\d")


@st.composite
def logs(draw: st.DrawFn) -> Trace:
    """A few users whose jobs come in bursts, which may be weeks apart, with waits or without."""
    weekly = draw(st.integers(0, 9)) == 0  # a burst each week, so that weeks can be compared
    jobs = draw(st.integers(24, 40) if weekly else st.integers(1, 12))
    drawn = np.frombuffer(draw(st.binary(min_size=6 * jobs, max_size=6 * jobs)), np.uint8).reshape(6, jobs)
    drawn = drawn.astype(np.int64)
    apart = draw(st.sampled_from((0, 0, 25 * 86_400)))  # so that some logs have several months
    far = np.arange(jobs) % 2 * WEEK if weekly else np.where(drawn[0] > 200, apart, 0)
    runtime = 1 + drawn[1] % draw(st.sampled_from((40, 250)))
    return make_trace(
        np.cumsum(drawn[0] % 40 + far),
        runtime,
        1 + drawn[2] % PROCESSORS,
        walltime=runtime + drawn[3],
        user=[f"u{code}" for code in drawn[4] % 3],
        queue=[f"q{code}" for code in drawn[4] // 3 % 2],
        wait=drawn[5] * 3 if draw(st.booleans()) else None,
        cluster=Cluster.pool(PROCESSORS),
    )


def judged(trace: Trace, policies: list[str]) -> tuple[list[JudgedRun], list[Seen]]:
    """The runs of some policies, as the code under test and as judges see them."""
    schedules = [simulate(trace, trace.cluster, parse_policy(policy), log=True) for policy in policies]
    evaluations = evaluate(schedules, SHARE, schedules[0])
    runs = judged_runs(policies, evaluations)
    seen = [
        Seen(found.schedule, found.capacity[:, 0].tolist(), np.flatnonzero(found.jobs).tolist())
        for found in evaluations
    ]
    return runs, seen


def check_words(spans: tuple[Span, ...]) -> None:
    """Each number of a text is its quantity, and no other part has digits."""
    for span in spans:
        if isinstance(span.says, Quantity):
            assert agrees(span.text, span.says.value, span.says.unit), span
        elif isinstance(span.says, Named):
            assert span.text.lower() == span.says.name.lower()  # it may begin a sentence
        else:
            assert not DIGIT.search(span.text), span
