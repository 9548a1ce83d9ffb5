"""The table of how well predicted starts hold: a row by hand, and the predictions of a queue of one user."""

import numpy as np

from engine.machine.cluster import parse_cluster
from engine.now.calibration import Scored
from engine.now.start_spread import Draws
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.now.queue_coverage import WAYS, Past, Row, of_queue
from tests.traces import make_trace


def test_a_row_counts_claims_apart_from_errors() -> None:
    hour = 3600
    claimed = np.array([0.8, 0.8, np.nan, 0.8])
    early, middle, late, started = (
        hour * np.array(each) for each in ([0, 2, 0, 0], [1, 3, 1, 2], [2, 4, 2, 4], [1, 5, 9, 4])
    )
    row = Row((early, middle, late), started, claimed, np.array([0, 0, 1, 2]))
    # Off by 0, 2, 8 and 2 h; of the three with a claim two are within their spans: one of two at the
    # first instant, a third of a prediction less than the mean, and the one of the third, as much more.
    assert row.text().startswith("4 | 3 | 80.0 % | 66.7 ± 15.7 % | ")
    assert row.text().endswith(" | 3.00 h")
    none = np.zeros(0, np.int64)
    assert Row((none, none, none), none, np.zeros(0), none).text() == "0 | – | – | – | – | –"


def test_instants_count_thrice_where_they_are_late_or_as_long() -> None:
    instant = np.array([0, 0, 1, 2, 3])
    none = np.zeros(5, np.int64)
    past = Past(Scored(instant, none, none, none, none, instant, 0.8, none, none), np.array([9, 1, 8, 2]))
    assert WAYS["later instants thrice"](past, 0).instant.tolist() == [0, 0, 1, 2, 2, 2, 3, 3, 3]
    alike = WAYS["instants with as many jobs thrice"](past, 10)
    assert alike.instant.tolist() == [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3]
    assert WAYS["wider"](past, 0).cover == 0.9


def test_predictions_are_of_jobs_that_wait_at_the_scored_instants() -> None:
    """A job of an hour each half an hour: the queue grows, and each start is known from the walltimes."""
    jobs = 40
    trace = make_trace(np.arange(jobs) * 1800, [3600] * jobs, cluster=parse_cluster("1c"))
    schedule = simulate(trace, trace.cluster, parse_policy("easy"))
    found = of_queue(schedule, 10, Draws(4, 0.8, 0, arrivals=False), ["as it is"])
    row = found["as it is"]
    assert len(row.started) > 20
    assert np.isnan(row.claimed).all()  # ten instants are too few
    assert (row.spans[1] == row.started).all()
    assert "nothing | – | 0.00 h | 0.00 h" in row.text()
