"""Caps on power and prices as the audit judges them: planted violations, and none in simulated schedules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.machine.cluster import Cluster
from engine.machine.power import NodePower, PowerModel, Rates, with_power
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.audit.tables import found, make_table, only
from tests.engine.simulation.test_power_cap import capped_cases, hours_cases
from tests.engine.simulation.test_power_off import switched_cases
from tests.engine.simulation.test_price_below import priced_cases
from tests.engine.simulation.workloads import Case
from tests.traces import make_trace

POOL = Cluster.pool(10)
CAPS = Rates(np.array([0, 50, 200]), np.array([1.2, 1.08, 1.2]))
PRICES = Rates(np.array([0, 60]), np.array([0.3, 0.1]))
MODEL = PowerModel((NodePower(idle_w=100, core_w=20),), cap=CAPS, price=PRICES)
TRACE = replace(
    make_trace([0, 1, 2], [100, 100, 30], [4, 4, 2], cluster=POOL), cluster=with_power(POOL, MODEL)
)
KEPT = "that no start takes the power of the machine above its cap"


@settings(max_examples=60)
@given(st.one_of(capped_cases(), hours_cases(), priced_cases(), switched_cases()))
def test_simulated_schedules_keep_caps_and_wait_for_prices(case: Case) -> None:
    schedule = simulate(*case, log=True)
    report = audit(table_of(schedule), case[1], case[2])
    assert not {"power", "price", "idle", "false_price", "false_power"} & set(found(report))
    if case[2].power_cap is not None and case[1].failures is None:
        assert KEPT in report.checked


def test_a_start_above_a_number_is_found() -> None:
    # Idle 1 kW, a busy core 20 W more: eight cores take 1.16 kW, ten 1.2 kW.
    policy = parse_policy("easy:power_cap=1.16")
    assert audit(make_table(TRACE, [0, 1, 100]), POOL, policy).clean
    finding = only(audit(make_table(TRACE, [0, 1, 2]), POOL, policy))
    assert (finding.kind, finding.count, finding.worst) == ("power", 1, 0.04)
    assert finding.cases[0].text == "1.2 kW under a cap of 1.16 kW"
    assert (finding.cases[0].job, finding.cases[0].time) == ("3", 2)


def test_a_start_that_reaches_into_a_lower_cap_is_found() -> None:
    policy = parse_policy("easy:power_cap=series")
    # The third job ends before the cap falls; the second does not, beside the first.
    assert audit(make_table(TRACE, [0, 100, 2]), POOL, policy).clean
    finding = only(audit(make_table(TRACE, [0, 1, 2]), POOL, policy))
    assert (finding.kind, finding.count, finding.worst) == ("power", 1, 0.08)
    assert finding.cases[0].text == "1.16 kW under a cap of 1.08 kW, which it is from 50 s on"
    assert (finding.cases[0].job, finding.cases[0].time) == ("2", 1)


def test_a_start_in_a_dear_hour_is_found() -> None:
    policy = parse_policy("easy:price_below=0.2,price_jobs=procs > 2")
    assert audit(make_table(TRACE, [60, 60, 2]), POOL, policy).clean
    finding = only(audit(make_table(TRACE, [60, 59, 2]), POOL, policy))
    assert (finding.kind, finding.count) == ("price", 1)
    assert finding.cases[0].text == "energy costs 0.3, more than 0.2"
    assert audit(make_table(TRACE, [60, 59, 2]), POOL, policy, tolerance=1).clean
    soon = policy.with_keys(price_wait="58")
    assert audit(make_table(TRACE, [58, 59, 2]), POOL, soon).clean


@pytest.mark.parametrize(
    ("spelling", "reason"),
    [
        ("easy:power_cap=2", "the cap on power: the power of the machine, or its caps, are not known here"),
        ("easy:price_below=1", "that jobs wait for cheap energy: no prices are known (--power)"),
    ],
)
def test_what_cannot_be_judged_is_said(spelling: str, reason: str) -> None:
    trace = make_trace([0], [9], [1], cluster=POOL)
    report = audit(make_table(trace, [0]), POOL, parse_policy(spelling))
    assert any(said.startswith(reason) for said in report.not_checked)
