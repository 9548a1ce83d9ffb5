import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.machine.cluster import parse_cluster
from engine.metrics.summary import summary
from engine.quantities import QUANTITIES, Jobs
from engine.schedule.schedule import NOT_RUN, Schedule
from tests.traces import make_schedule, make_trace


def waits_of(schedule: Schedule, jobs: NDArray[np.bool_]) -> NDArray[np.float64]:
    values = QUANTITIES["nuwt"].of_each(Jobs(schedule.trace, schedule), jobs, schedule.trace.user)
    assert isinstance(values, np.ndarray)
    return values


rows = st.lists(
    st.tuples(
        st.integers(0, 2), st.integers(0, 50), st.integers(1, 30), st.integers(1, 8), st.integers(-1, 64)
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(rows, st.sampled_from(["pool", "nodes"]), st.sampled_from(["easy", "fairshare-easy:penalty=cpu"]))
def test_as_user_by_user(rows: list[tuple[int, ...]], machine: str, policy: str) -> None:
    cluster = parse_cluster("32c" if machine == "pool" else "4x8c128m")
    user, wait, runtime, procs, ram = (list(column) for column in zip(*rows, strict=True))
    asked = [-1 if m <= 0 else r * -(-m // r) for m, r in zip(ram, procs, strict=True)]
    trace = make_trace([0] * len(rows), runtime, procs, user=user, ram=asked, cluster=cluster)
    schedule = make_schedule(trace, wait, policy=policy)
    weighs_ram = machine == "nodes"  # whatever the penalty of the policy
    expected = []
    for name in trace.user.names:
        mine = [j for j in range(len(rows)) if str(user[j]) == name]
        used = sum(
            32 * max(procs[j] / 32, max(asked[j], 0) / 512 if weighs_ram else 0) * runtime[j] for j in mine
        )
        expected.append(sum(wait[j] for j in mine) / max(used, 1))
    assert waits_of(schedule, schedule.ran) == pytest.approx(expected)
    values = summary(schedule)
    mean = sum(expected) / len(expected)
    assert values["nuwt_mean"] == pytest.approx(mean)
    spread = (sum((x - mean) ** 2 for x in expected) / len(expected)) ** 0.5
    assert values["nuwt_std"] == pytest.approx(spread, abs=1e-12)


def test_another_penalty_weighs_all_runs_alike() -> None:
    cluster = parse_cluster("4x8c128m")
    trace = make_trace([0, 0], [10, 10], [8, 4], user=["a", "b"], ram=[128, 256], cluster=cluster)
    for policy in ("easy", "fairshare-easy:penalty=cpu"):
        schedule = make_schedule(trace, [20, 40], policy=policy)
        for penalty, used in (("cpu", (8, 4)), ("max", (8, 16)), ("product", (32 * (1 - 0.75**2), 18))):
            waits = [20 / (used[0] * 10), 40 / (used[1] * 10)]
            assert summary(schedule, penalty=penalty)["nuwt_mean"] == pytest.approx(sum(waits) / 2), penalty


def test_users_without_measured_jobs_have_none() -> None:
    trace = make_trace([0, 0, 0], [10, 10, 10], user=["a", "b", "c"])
    schedule = make_schedule(trace, [5, NOT_RUN, 30])
    np.testing.assert_array_equal(waits_of(schedule, schedule.ran), [0.5, np.nan, 3.0])
    assert np.isnan(waits_of(schedule, schedule.ran & False)).all()


def test_who_got_hardly_anything_got_one_processor_second() -> None:
    trace = make_trace([0], [1], [1], ram=[-1])
    schedule = make_schedule(trace, [7], runtime=[0])
    assert waits_of(schedule, schedule.ran).tolist() == [7.0]
