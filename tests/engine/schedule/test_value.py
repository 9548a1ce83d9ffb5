import math
from dataclasses import replace

import numpy as np
import pytest

from engine.metrics.evaluation import evaluate
from engine.metrics.groups import groups_of, per_group
from engine.metrics.summary import summary
from engine.policy.share import parse_share
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.schedule.value import delivered, total_value
from tests.traces import make_schedule, make_trace

PRICED = "queues:n=2,prices=0..20,valuation=column:status"


def scheduled(*start: int, policy: str = PRICED) -> Schedule:
    """Jobs of 10 s that are worth 4, 10, 16 and 8."""
    trace = make_trace([0, 0, 0, 0], [10] * 4, 1)
    return make_schedule(replace(trace, status=np.array([4, 10, 16, 8])), start, policy=policy)


def test_delay_takes_of_the_value() -> None:
    schedule = scheduled(0, 10, 100, NOT_RUN)
    jobs = schedule.ran
    assert delivered(schedule)[jobs].tolist() == [4, 10 * (1 - 1 / 5), 0]
    assert total_value(schedule, jobs, "linear", 20) == pytest.approx(4 + 9.5 + 16 * (1 - 10 / 20))
    assert total_value(schedule, jobs, "exponential", 20) == pytest.approx(
        4 + 10 * math.exp(-0.1) + 16 / math.e
    )
    assert total_value(schedule, jobs & False) is None


def test_metrics_of_value() -> None:
    values = summary(scheduled(0, 10, 100, NOT_RUN), extra=["value:delta=5", "value_exponential:delta=1"])
    assert (values["value"], values["value_percent"], values["revenue"]) == (12, None, 0 + 10 + 10)
    assert values["value:delta=5"] == 12
    assert values["value_exponential:delta=1"] == pytest.approx(4 + 10 * math.exp(-2) + 16 * math.exp(-20))
    assert summary(scheduled(0, 0, 0, 0, policy="easy"))["revenue"] is None


def test_value_is_reported_in_percent_of_the_auction_among_the_compared_runs() -> None:
    bids = "auction:valuation=column:status"
    auction, queues = scheduled(20, 10, 0, NOT_RUN, policy=bids), scheduled(0, 10, 20, 30)
    share = parse_share("1c")
    found = evaluate([queues, auction], share, queues)
    assert [match.summary["value_percent"] for match in found] == [
        pytest.approx(100 * (4 + 8 + 9.6) / (2.4 + 8 + 16)),
        100,
    ]
    (alone,) = evaluate([queues], share, queues, known=found)
    assert alone.summary["value_percent"] is None


def test_revenue_of_each_queue_with_a_price() -> None:
    schedule = scheduled(0, 10, 20, 30)
    table = per_group(schedule, groups_of(schedule, "price"))
    assert table.names == ("price 0", "price 10")
    assert table["revenue"].tolist() == [0, 20]
    assert table["value_lost"].tolist() == [4 * 0 + 8 * 3 / 5, 10 / 5 + 16 * 2 / 5]
    for policy, word in (("easy", "nothing is sold"), ("auction", "auction")):
        assert groups_of(scheduled(0, 0, 0, 0, policy=policy), "price").names == (word,)
    assert groups_of(schedule, "user") is schedule.trace.user
