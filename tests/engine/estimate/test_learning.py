"""Each predictor on examples worked by hand."""

import numpy as np
import pytest

from engine.estimate import predictor as parts
from engine.estimate.estimators import parse_estimate
from engine.estimate.predictor import make_predictor
from engine.trace import Trace
from tests.parts import from_python
from tests.traces import make_trace

predict = from_python(parts.predict)
predictor_ended = from_python(parts.predictor_ended)
predictor_started = from_python(parts.predictor_started)
predictor_submitted = from_python(parts.predictor_submitted)


class Compiled:
    """The engine's predictor, spoken to from Python."""

    def __init__(self, trace: Trace, name: str) -> None:
        self.state = make_predictor(parse_estimate(name), trace, trace.procs)

    def submitted(self, job: int, now: int) -> None:
        predictor_submitted(self.state, job, now)

    def started(self, job: int, now: int) -> None:
        predictor_started(self.state, job, now)

    def ended(self, job: int, start: int, now: int) -> None:
        predictor_ended(self.state, job, start, now, 0)

    def predict(self, job: int) -> int:
        return predict(self.state, job)


def jobs(*rows: tuple[str, str, int, int]) -> Trace:
    """Jobs of (executable, user, walltime, processors), all submitted at 0."""
    executable, user, walltime, procs = zip(*rows, strict=True)
    ones = [1] * len(rows)
    zeros = [0] * len(rows)
    return make_trace(zeros, ones, procs, walltime=walltime, user=user, executable=executable)


def learned(name: str, trace: Trace, runtimes: list[int]) -> Compiled:
    """The first jobs ran for so long, all of them from second 0 on."""
    predictor = Compiled(trace, name)
    for job in range(len(trace)):
        predictor.submitted(job, 0)
    for job, runtime in enumerate(runtimes):
        predictor.started(job, 0)
        predictor.ended(job, 0, runtime)
    return predictor


ALICE = ("-1", "alice", 100, 1)
BOB = ("-1", "bob", 100, 1)


@pytest.mark.parametrize("name", ["last2", "hierarchy", "survival2"])
def test_who_knows_nothing_believes_the_walltime(name: str) -> None:
    assert learned(name, jobs(ALICE), []).predict(0) == 100


@pytest.mark.parametrize("name", ["requested", "actual", "scaled2"])
def test_what_does_not_learn_shares_a_predictor_that_holds_no_job(name: str) -> None:
    state = make_predictor(parse_estimate(name), jobs(ALICE, ALICE), np.array([1, 1]))
    assert state is make_predictor(parse_estimate("requested"), jobs(BOB), np.array([1]))
    assert state.code == parts.NOTHING
    assert len(state.walltime) == len(state.user) == 0


@pytest.mark.parametrize("name", ["last2", "hierarchy", "survival2", "linear"])
def test_completions_are_counted(name: str) -> None:
    assert learned(name, jobs(ALICE, BOB, BOB), [1, 2, 3]).state.learned.tolist() == [3]


def test_no_jobs_at_all() -> None:
    nothing = make_trace([], [], [])
    for name in ("last2", "hierarchy", "survival2", "linear"):
        assert Compiled(nothing, name).state.learned.tolist() == [0]


def test_last_two_runtimes_of_the_user() -> None:
    trace = jobs(ALICE, ALICE, ALICE, ALICE, BOB, ("-1", "alice", 12, 1))
    assert learned("last2", trace, [30]).predict(3) == 100
    assert learned("last2", trace, [30, 11]).predict(3) == 20
    predictor = learned("last2", trace, [30, 10, 21])
    assert predictor.predict(3) == 15  # 15.5 is rounded down
    assert predictor.predict(4) == 100  # somebody else
    assert predictor.predict(5) == 12  # never beyond the walltime


def test_the_mean_of_a_group_decays() -> None:
    trace = jobs(ALICE, ALICE, ALICE)
    assert learned("hierarchy", trace, [10]).predict(2) == 10
    assert learned("hierarchy", trace, [10, 20]).predict(2) == 16  # 28 / 1.8 = 15.6


def test_the_group_most_alike_counts() -> None:
    trace = jobs(
        ("solver", "alice", 100, 1),  # ran 10
        ("other", "bob", 100, 2),  # ran 90
        ("solver", "bob", 100, 1),  # executable, walltime and processors before the user
        ("third", "bob", 50, 1),  # the user before all else, but at most the walltime
        ("third", "carol", 80, 2),  # only the processors
        ("third", "carol", 100, 64),  # only the walltime: both ran, 98 / 1.8 = 54.4
        ("third", "carol", 80, 64),  # nothing in common with anybody
    )
    predictor = learned("hierarchy", trace, [10, 90])
    assert [predictor.predict(job) for job in range(2, 7)] == [10, 50, 80, 54, 80]


def test_the_threshold_of_survival() -> None:
    trace = jobs(ALICE, ALICE, ALICE, ALICE, BOB)
    # The walltime weighs 10 and counts 1: after 40 s there are 0.9 + 40, and (40.9 - 10) / 40.9 = 0.756.
    assert learned("survival20", trace, [40]).predict(3) == 100
    assert learned("survival30", trace, [40]).predict(3) == 40
    # Then 30.9 and 10, decayed: 27.8 of 96.8 is too little, and 87.8 of it is enough.
    assert learned("survival30", trace, [40, 60]).predict(3) == 60
    # 79.0 + 10 and 8.1: without the 54 of 60 s, 35.0 of 97.1 would be too little.
    predictor = learned("survival30", trace, [40, 60, 10])
    assert predictor.predict(3) == 60
    assert predictor.predict(4) == 100


def test_equal_runtimes_share_a_place() -> None:
    survival = learned("survival2", jobs(*[ALICE] * 6), [40, 100, 40, 7, 40]).state.survival
    assert survival.size.tolist() == [3]
    assert survival.value[:3].tolist() == [7, 40, 100]


def test_weights_too_small_to_shrink_do_no_harm() -> None:
    """9000 completions on, the smallest number that there is times 0.9 is itself."""
    count = 9000
    trace = jobs(*[("-1", "alice", 100, 1)] * (count + 2))
    predictor = learned("survival2", trace, [100, *[10] * count])
    assert predictor.predict(count + 1) == 10
    predictor.ended(count + 1, 0, 100)
    assert predictor.predict(count + 1) == 100


def test_linear_starts_from_nothing() -> None:
    assert learned("linear", jobs(ALICE), []).predict(0) == 1


def test_the_first_step_of_linear() -> None:
    """All terms but zeros are 1 when scaled, so each changes the estimate by 5000 / sqrt(their number)."""
    predictor = learned("linear", jobs(ALICE, ALICE), [40])
    model = predictor.state.linear
    predictor.predict(0)
    used = model.term != 0
    step = 5000 / np.sqrt(used.sum())
    assert used[0]
    assert model.term[0] == 1
    np.testing.assert_allclose((model.weight * model.term)[used], step, rtol=1e-6)
    assert model.state.tolist() == [pytest.approx(used.sum()), 3]
    assert predictor.predict(1) == 100  # far too much: capped


def test_features_of_linear() -> None:
    trace = make_trace(
        submit=[0, 10, 20, 30, 1000],
        runtime=[100, 50, 1, 1, 1],
        procs=[4, 8, 1, 2, 3],
        walltime=[400, 500, 600, 700, 980],
        user=["alice", "alice", "bob", "alice", "alice"],
    )
    predictor = Compiled(trace, "linear")
    for job, submit in enumerate([0, 10, 20, 30]):
        predictor.submitted(job, submit)
    predictor.started(0, 40)
    predictor.started(1, 50)
    predictor.started(2, 60)
    predictor.ended(1, 50, 100)
    predictor.ended(0, 40, 140)
    predictor.started(3, 200)
    predictor.submitted(4, 1000)
    predictor.predict(4)
    x = predictor.state.linear.term
    assert x[:14].tolist() == [
        1,
        *(980, 980, 980),  # since 0 (capped), since 10 (capped: 990); no third
        980,
        *(980, 980),
        75,  # (50 + 100) / 2
        860,  # since 140
        0.5,  # 3 / 6
        *(2, 800, 1, 800),  # job 3 runs
    ]
    day, week = 2 * np.pi * 1000 / 86_400, 2 * np.pi * 1000 / 604_800
    np.testing.assert_allclose(x[14:18], [np.cos(day), np.sin(day), np.cos(week), np.sin(week)])
    assert x[18] == 3
    assert not x[157:].any()
    pairs = {19: (1, 2), 33: (1, 16), 34: (2, 3), 138: (15, 16), 139: (1, 1), 156: (18, 18)}
    for index, (i, j) in pairs.items():
        assert x[index] == x[i] * x[j]


def test_three_past_jobs_of_linear() -> None:
    trace = make_trace([0, 5, 9, 1000], [1] * 4, walltime=[5000] * 4)
    predictor = Compiled(trace, "linear")
    for job in range(3):
        predictor.submitted(job, job)
        predictor.started(job, 20)
    for job in (1, 2, 0):
        predictor.ended(job, 20, 30)
    predictor.submitted(3, 1000)
    predictor.predict(3)
    x = predictor.state.linear.term
    assert x[1:4].tolist() == [1000, 991, 995]  # the newest end first
    assert x[5:7].tolist() == [995.5, 0.33 * (1000.0 + 991.0 + 995.0)]
