"""Ranks of policies on both spans of a log: against their definition, on a log of some weeks."""

import numpy as np
import pytest

from engine.errors import InputError
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.reading.log import Log
from engine.search.interval import FEWEST, change_interval
from engine.search.ranking import RankedLog, _rank_bounds, rank_on
from engine.search.weeks import WEEK
from tests.traces import make_trace

POLICIES = [parse_policy(text) for text in ("fcfs", "easy", "saf-easy", "easy:order=sjf")]
EASY = POLICIES[1]


@pytest.fixture(scope="module")
def ranked() -> RankedLog:
    random = np.random.default_rng(7)
    jobs = 1500
    submit = np.sort(random.integers(0, 45 * WEEK, jobs))
    runtime = random.integers(600, 60 * 3600, jobs)
    trace = make_trace(submit.tolist(), runtime.tolist(), random.integers(1, 9, jobs).tolist())
    return rank_on(Log(trace, parse_cluster("8c")), POLICIES, EASY)


def test_each_span_has_its_weeks_and_every_policy_a_rank(ranked: RankedLog) -> None:
    for span in (ranked.train, ranked.test):
        assert [standing.policy for standing in span.standings] == POLICIES
        assert sorted(standing.rank for standing in span.standings) == [1, 2, 3, 4]
        assert span.standings[1].change is None  # the baseline, against itself
        for standing in span.standings:
            assert standing.best is not None
            assert standing.worst is not None
            assert 1 <= standing.best <= standing.rank <= standing.worst <= len(POLICIES)
    assert ranked.train.weeks > ranked.test.weeks >= FEWEST
    assert ranked.train.jobs > ranked.test.jobs


def test_in_order_of_arrival_waits_are_shown_to_be_longer(ranked: RankedLog) -> None:
    fcfs = ranked.test.standings[0]
    assert fcfs.change is not None
    assert fcfs.change.side == 1
    assert (fcfs.rank, fcfs.worst) == (4, 4)


def test_bounds_are_the_pairs_that_intervals_decide() -> None:
    random = np.random.default_rng(3)
    base = random.lognormal(1.0, 0.3, 20)
    table = np.array([base, base * 1.5, base * random.lognormal(0.0, 0.6, 20), base * 3])
    found = list(_rank_bounds(table))
    for place, row in enumerate(table):
        sides = []
        for other, values in enumerate(table):
            # The later of a pair is the one that is measured against the other.
            first, second = (row, values) if place > other else (values, row)
            interval = change_interval(first, second) if place != other else None
            side = interval.side if interval is not None else 0
            sides.append(side if place > other else -side)
        assert found[place] == (1 + sides.count(1), len(table) - sides.count(-1))
    assert list(_rank_bounds(table[:, : FEWEST - 1])) == [(None, None)] * 4


def test_other_metrics_and_short_logs_are_refused() -> None:
    log = Log(make_trace([0] * 10, [60] * 10, [1] * 10), parse_cluster("8c"))
    with pytest.raises(InputError, match="not by wait_max"):
        rank_on(log, POLICIES, EASY, "wait_max")
    with pytest.raises(InputError, match="needs 50 jobs"):
        rank_on(log, POLICIES, EASY)
