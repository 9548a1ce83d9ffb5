"""The environment: Gymnasium's own check, and the same starts in training and as a scheduler."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import batchscope
from engine.errors import InputError
from engine.learning.observation import JOB_COLUMNS, MACHINE_COLUMNS, Observation
from engine.machine.cluster import Cluster, parse_cluster
from engine.own.allowed_code import allow_named
from engine.policy.policy import parse_policy
from engine.reading.log import Log
from engine.simulation.run import simulate
from tests.engine.simulation.own.in_place import run_in_place
from tests.engine.simulation.own.test_orders import crowd
from tests.traces import make_trace

pytest.importorskip("gymnasium")

LOG = Log(crowd(300), Cluster.pool(16))


def first_job(seen: Observation) -> int:
    return 0


def widest(seen: Observation) -> int:
    return int(np.argmax(seen["jobs"][:, JOB_COLUMNS.index("procs")]))


POLICIES = {"first_job": first_job, "widest": widest}

SCHEDULER = """
import batchscope
import numpy as np

def first_job(seen):
    return 0

def widest(seen):
    return int(np.argmax(seen["jobs"][:, 3]))

@batchscope.scheduler
def f(state):
    yield from batchscope.follow(state, {policy}, jobs=4, backfill={backfill})
"""


def episode(log: Log, policy: str, **how: object) -> tuple[list[int], int, float]:
    """The starts under a policy of one window, the number of steps, and the sum of rewards."""
    environment = batchscope.env(log, window=len(log), **how)  # type: ignore[arg-type]
    seen, _ = environment.reset(seed=1)
    steps, rewards, over = 0, 0.0, False
    while not over:
        seen, reward, over, _, _ = environment.step(np.int64(POLICIES[policy](seen)))
        steps, rewards = steps + 1, rewards + reward
    return environment.schedule.start.tolist(), steps, rewards


@pytest.mark.parametrize("baseline", ["", "easy"])
def test_gymnasium_finds_nothing_to_object(baseline: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(batchscope.env(LOG, window=40, jobs=5, baseline=baseline), skip_render_check=True)


@pytest.mark.parametrize(("backfill", "spelling"), [(True, "easy"), (False, "fcfs")])
def test_who_always_chooses_the_first_job_is_a_scheduler_that_is_known(backfill: bool, spelling: str) -> None:
    starts, steps, reward = episode(LOG, "first_job", backfill=backfill)
    schedule = simulate(LOG.trace, LOG.cluster, parse_policy(spelling))
    assert starts == schedule.start.tolist()
    assert reward == pytest.approx(-schedule.wait.mean())
    assert backfill or steps == len(LOG)


@pytest.mark.parametrize("backfill", [True, False])
@pytest.mark.parametrize("policy", ["first_job", "widest"])
def test_a_policy_starts_the_same_jobs_in_training_and_as_a_scheduler(
    tmp_path: Path, policy: str, backfill: bool
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SCHEDULER.format(policy=policy, backfill=backfill))
    allow_named(f"{path}:f")
    s, calls = run_in_place(LOG.trace, LOG.cluster, parse_policy(f"{path}:f"))
    assert calls.fault is None
    assert s.start.tolist() == episode(LOG, policy, jobs=4, backfill=backfill)[0]


def test_a_chosen_job_that_does_not_fit_starts_as_soon_as_it_does() -> None:
    # Of two jobs that wait behind the first, the wide one is chosen: the narrow one may not go before it...
    trace = make_trace([0, 1, 1], [100, 10, 10], [3, 1, 4])
    assert episode(Log(trace, Cluster.pool(4)), "widest", backfill=False)[0] == [0, 110, 100]
    # ...but where it ends before that one can start.
    assert episode(Log(trace, Cluster.pool(4)), "widest", backfill=True)[0] == [0, 1, 100]


def test_the_observation_is_what_waits_and_the_machine() -> None:
    trace = make_trace([0, 50, 60, 70], [100, 10, 20, 30], [3, 2, 1, 1], walltime=[100, 40, 40, 40])
    environment = batchscope.env(Log(trace, Cluster.pool(4)), window=4, jobs=3, backfill=False)
    environment.reset(seed=1)
    environment.step(np.int64(0))  # job 0 runs from 0 to 100; now only job 1 waits
    assert environment.state.now == 50
    assert environment.action_masks().tolist() == [True, False, False]
    seen, *_ = environment.step(np.int64(0))  # job 1 is chosen, and does not fit until 100
    assert environment.state.now == 100
    seen_jobs = dict(zip(JOB_COLUMNS, seen["jobs"].T.tolist(), strict=True))
    assert seen_jobs["there"] == [1, 1, 0]
    assert seen_jobs["procs"] == [0.25, 0.25, 0]
    assert seen_jobs["fits"] == [1, 1, 0]
    month = np.log1p(30 * 86_400)
    assert seen_jobs["wait"] == pytest.approx([np.log1p(40) / month, np.log1p(30) / month, 0])
    assert seen_jobs["estimate"] == pytest.approx([np.log1p(40) / month, np.log1p(40) / month, 0])
    machine = dict(zip(MACHINE_COLUMNS, seen["machine"].tolist(), strict=True))
    assert machine == pytest.approx({"free": 0.5, "waiting": 2 / 5, "running": 1 / 4})


def test_the_reward_is_any_metric_with_more_being_better() -> None:
    schedule = simulate(LOG.trace, LOG.cluster, parse_policy("easy"))
    area = (schedule.procs * schedule.runtime).sum()
    utilization = area / 16 / (schedule.end.max() - schedule.submit.min())
    assert episode(LOG, "first_job", metric="utilization")[2] == pytest.approx(utilization)
    assert episode(LOG, "first_job", metric="wait_max")[2] == -schedule.wait.max()
    assert episode(LOG, "first_job", metric="wait_max", baseline="easy")[2] == 0
    fcfs = simulate(LOG.trace, LOG.cluster, parse_policy("fcfs"))
    apart = fcfs.wait.mean() - schedule.wait.mean()
    assert episode(LOG, "first_job", baseline="fcfs")[2] == pytest.approx(apart)


def test_a_seed_draws_the_same_windows() -> None:
    environment = batchscope.env(LOG, window=20)

    def windows(seed: int) -> list[int]:
        firsts = [environment.reset(seed=seed)[1]["first"]]
        return firsts + [environment.reset()[1]["first"] for _ in range(5)]

    assert windows(3) == windows(3) != windows(4)
    assert environment.reset(options={"first": 7})[1]["first"] == 7
    with pytest.raises(InputError, match="first=281: a window of 20 jobs begins at 0 to 280"):
        environment.reset(options={"first": 281})


@pytest.mark.parametrize(
    ("log", "how", "message"),
    [
        (replace(LOG, cluster=Cluster.pool(16)), {"window": 301}, "has windows of 1 to 300 jobs"),
        (LOG, {"jobs": 0, "window": 9}, "1 or more are observed"),
        (LOG, {"metric": "wait_meen", "window": 9}, "did you mean"),
        (LOG, {"metric": "jobs", "window": 9}, "rates nothing, so that it cannot be a reward"),
        (LOG, {"baseline": "esy", "window": 9}, "esy"),
    ],
)
def test_what_does_not_serve_is_said(log: Log, how: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        batchscope.env(log, **how)  # type: ignore[arg-type]


def test_a_machine_of_nodes_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match='read the log with machine="16c"'):
        batchscope.env(replace(LOG, cluster=parse_cluster("4x4c8g")), window=9)
