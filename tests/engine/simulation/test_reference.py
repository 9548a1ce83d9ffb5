"""Start for start against the published simulator of Goponenko et al. 2022 on KTH-SP2."""

import pytest

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.paths import needs
from tests.published import KTH_SP2, STARTS, columns, kth_sp2, spelling, starts


@needs(STARTS)
def test_every_published_schedule_is_compared() -> None:
    assert len(columns()) == 58
    assert len({parse_policy(spelling(column)) for column in columns()}) == 58


@needs(KTH_SP2)
@pytest.mark.parametrize("column", columns())
def test_no_start_differs_from_the_published_simulator(column: str) -> None:
    trace = kth_sp2()
    assert trace.cluster == Cluster.pool(100)
    assert trace.job_id.tolist() == starts()["job_id"].tolist()
    schedule = simulate(trace, trace.cluster, parse_policy(spelling(column)))
    assert schedule.start.tolist() == starts()[column].tolist()


@needs(STARTS)
def test_slots_kept_are_those_made_anew_where_runtimes_are_known() -> None:
    assert starts()["conservative:actual"].tolist() == starts()["just:actual"].tolist()
