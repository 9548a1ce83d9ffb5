import math

import pytest

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.reasons import score_at
from engine.simulation.run import simulate
from tests.traces import make_trace

TRACE = make_trace([0, 10, 20, 30], [100, 50, 20, 10], [4] * 4, user=["a", "a", "b", "b"])


def text_of(policy: str, job: int) -> str:
    schedule = simulate(TRACE, Cluster.pool(4), parse_policy(f"easy:depth=stop,{policy}"), log=True)
    return str(explain(schedule, job))


def test_a_wait_is_explained_by_the_score_and_those_of_a_higher_one() -> None:
    # By walltime: 1 before 2 before 3; at 20 the score of 2 is 20 and 1 is ahead of it.
    assert "score 20, behind 1 job of higher score" in text_of("score=walltime", 2)
    assert "score −20, behind 1 job of higher score" in text_of("score=-walltime", 2)
    assert "behind 1 job of higher score" in text_of("score=walltime / (1 + usage)", 3)
    assert "score" not in text_of("score=walltime / (1 + usage)", 3).partition("behind")[0].rpartition(";")[2]


@pytest.mark.parametrize(
    ("formula", "score"),
    [
        ("wait", 15),
        ("queued * 10 + user_queued", 21),
        ("procs * estimate", 80),
        ("hour", 0),
        ("0 / 0", -math.inf),
        ("slack", None),
        ("usage", None),
    ],
)
def test_scores_at_a_moment(formula: str, score: float | None) -> None:
    schedule = simulate(TRACE, Cluster.pool(4), parse_policy(f"easy:score={formula}"))
    assert schedule.start[0] == 0
    assert score_at(schedule, 2, 35 if formula == "wait" else 25) == score
