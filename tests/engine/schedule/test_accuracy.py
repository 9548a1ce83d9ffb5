"""The accuracy of a site's model: by mean, by rank, by cycle and by account."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.schedule.accuracy import AccountWait, Accuracy

NEAR = Accuracy(
    recorded=100.0,
    simulated=106.0,
    jobs=429,
    span=860,
    fitted=False,
    correlation=0.87,
    cycle=0.59,
    accounts=(
        AccountWait("phys", 120.0, 115.0),
        AccountWait("bio", 60.0, 69.0),
        AccountWait("chem", 30.0, 31.0),
    ),
)


def test_a_verdict_has_mean_rank_cycle_worst_account_and_span() -> None:
    assert NEAR.verdict == (
        "the model's mean wait is 6.0 % above the real one, the rank correlation of waits is 0.87, 59 % of "
        "jobs start within a backfill cycle of their real start, account bio is farthest off (+15.0 %); over "
        "14 min 20 s of the log (429 jobs; nothing of it was fitted to this log)"
    )
    assert NEAR.brief == "model's mean wait +6.0 %, rank correlation 0.87"
    assert NEAR.order == pytest.approx(1.0)
    assert not NEAR.misleading


def test_accounts_in_another_order_are_named_although_the_mean_is_right() -> None:
    swapped = replace(
        NEAR, accounts=(AccountWait("phys", 120.0, 65.0), *NEAR.accounts[1:])
    )  # behind bio by the model alone
    assert swapped.reversed_pairs == (("phys", "bio"),)
    assert "accounts phys and bio change places" in swapped.verdict
    assert swapped.order == pytest.approx(0.5)
    assert not swapped.misleading
    turned = replace(
        NEAR,
        accounts=tuple(replace(each, simulated=200.0 - each.recorded) for each in NEAR.accounts),
    )
    assert turned.order == pytest.approx(-1.0)
    assert turned.misleading
    assert "accounts have another order than in reality" in turned.verdict


def test_a_single_account_has_no_order() -> None:
    alone = replace(NEAR, accounts=NEAR.accounts[:1])
    assert (alone.order, alone.worst, alone.misleading) == (None, None, False)
    assert "farthest" not in alone.verdict


def test_without_real_waits_the_models_wait_is_told() -> None:
    idle = replace(NEAR, recorded=0.0, simulated=12.0, correlation=None, accounts=())
    assert idle.brief == ""
    assert idle.verdict.startswith("no job waited in reality and the model's mean wait is 12 s, over 14 min")
