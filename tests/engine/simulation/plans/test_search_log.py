"""What is noted of searches, against the slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.names import CRITERIA
from engine.policy.policy import parse_policy
from engine.simulation.plans import search_log
from engine.simulation.plans.search_log import AFTER, BEFORE, GAIN, PARTS, make_search_table
from engine.simulation.run import simulate
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.parts import from_python
from tests.traces import make_trace

begin_search = from_python(search_log.begin_search)
note_kept = from_python(search_log.note_kept)
end_search = from_python(search_log.end_search)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(("gap", "random", "tabu", "annealing", "greedy", "greedy")).flatmap(
        lambda search: cases(
            12,
            depth="kept",
            replan="planned",
            search=search,
            search_every="5",
            **({} if search == "greedy" else {"trials": "12"}),
        )
    )
)
def test_it_is_what_the_twin_did(case: Case) -> None:
    trace, cluster, policy = case
    sim = NaiveSimulation(trace, cluster, policy)
    sim.simulate()
    log = simulate(trace, cluster, policy, log=True).searches
    assert log is not None
    names = [part.partition("=")[0] for part in str(policy.criteria).split(";")]
    judged = [CRITERIA.index(name) for name in names]
    assert len(log) == len(sim.searches)
    assert (log.searches == 1).all()
    for row, (now, jobs, tried, kept, gain, before, after) in enumerate(sim.searches):
        assert (log.time[row], log.jobs[row], log.tried[row], log.kept[row]) == (now, jobs, tried, kept)
        assert log.gain[row] == pytest.approx(gain, abs=1e-9)
        assert log.before[row, judged] == pytest.approx([before[name] for name in names])
        assert log.after[row, judged] == pytest.approx([after[name] for name in names])
    assert log.part_gain.sum() == pytest.approx(log.gain.sum())
    assert log.part_kept.sum() == log.kept.sum()


def test_nothing_is_noted_without_a_log_or_without_searches() -> None:
    trace, pool = make_trace([0, 1, 2], [100, 50, 20], 4), Cluster.pool(4)
    assert simulate(trace, pool, parse_policy("plan-search")).searches is None
    assert simulate(trace, pool, parse_policy("plan"), log=True).searches is None
    log = simulate(trace, pool, parse_policy("plan-search"), log=True).searches
    assert log is not None
    assert log.seconds is None or (log.seconds >= 0).all()


def test_of_long_simulations_each_two_rows_become_one() -> None:
    table = make_search_table(True)
    table = table._replace(counted=table.counted[:4].copy(), judged=table.judged[:4].copy())
    value = np.arange(len(CRITERIA), dtype=np.float64)
    for number in range(11):
        begin_search(table, 10 * number, number, value)
        note_kept(table, 19 if number % 2 else 0, 20, 0.5)
        end_search(table, 7, 3, value / 2)
    assert table.used.tolist() == [3, 4]
    assert table.counted[:3, 0].tolist() == [0, 40, 80]
    assert table.counted[:3, 1].tolist() == [4, 4, 3]
    assert table.counted[:3, 2].tolist() == [0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9 + 10]
    assert table.counted[:3, 3:].tolist() == [[28, 4, 12], [28, 4, 12], [21, 3, 9]]
    assert table.judged[:3, GAIN].tolist() == [2.0, 2.0, 1.5]
    assert table.judged[1, BEFORE:AFTER].tolist() == (4 * value).tolist()
    assert table.judged[1, AFTER:].tolist() == (2 * value).tolist()
    assert not table.counted[3].any()
    assert table.parts[[0, PARTS - 1], 0].tolist() == [3.0, 2.5]
