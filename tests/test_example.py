"""The findings of Toth & Klusacek 2014 (section 4.2) show on the bundled example."""

import gzip
from dataclasses import dataclass

import numpy as np
import pytest

from engine.fairness.violations import violation_steps
from engine.logs.read import read_trace
from engine.metrics.evaluation import Evaluation, evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.run import reference_schedule, simulate
from engine.trace import Trace
from engine.trace.file_names import machines_path
from engine.trace.generate import EXAMPLE_SEED, campus_log
from engine.trace.generate.log import log_text, machines_text
from resources import example_path

POLICIES = ("fcfs", "fairshare-fcfs", "easy", "fairshare-easy")
FAIRSHARE = ("fairshare-fcfs", "fairshare-easy")
HOUR = 3600
DAY = 24 * HOUR


@dataclass(frozen=True)
class Example:
    trace: Trace
    of: dict[str, Evaluation]

    def metric(self, policy: str, name: str) -> float:
        value = self.of[policy].summary[name]
        assert value is not None
        return value


@pytest.fixture(scope="module")
def example() -> Example:
    trace = read_trace(example_path())
    schedules = [simulate(trace, trace.cluster, parse_policy(policy)) for policy in POLICIES]
    reference = reference_schedule(trace, trace.cluster, schedules)
    evaluations = evaluate(schedules, parse_share("fair"), reference)
    return Example(trace, dict(zip(POLICIES, evaluations, strict=True)))


def heaviest(trace: Trace, weight: np.ndarray) -> set[int]:
    """The three users with the most of `weight` times runtime."""
    work = np.bincount(trace.user.codes, weight * trace.runtime)
    return set(np.argsort(work)[-3:].tolist())


def longest_lines(evaluation: Evaluation) -> np.ndarray:
    """The longest unbroken run of minutes with a violated job, of each user's row in the heatmap."""
    steps = violation_steps(evaluation.schedule, evaluation.violations)
    longest = np.zeros(len(steps.offset) - 1, np.int64)
    for user in range(len(longest)):
        minutes, counts = steps.of_user(user)
        line = 0
        for begin, end, count in zip(minutes[:-1], minutes[1:], counts[:-1], strict=True):
            line = line + (end - begin) if count > 0 else 0
            longest[user] = max(longest[user], line)
    return longest


def test_the_generator_makes_the_bundled_file() -> None:
    """Compared unpacked, because compressed bytes depend on the version of zlib."""
    log = campus_log(EXAMPLE_SEED)
    packed = example_path().read_bytes()
    assert gzip.decompress(packed).decode("ascii") == log_text(log)
    assert packed[4:8] == bytes(4), "the time of packing is in the file"
    assert machines_path(example_path()).read_text("ascii") == machines_text(log.cluster)


def test_the_bundled_files_are_small() -> None:
    assert example_path().stat().st_size < 500_000


def test_it_is_the_machine_and_the_size_of_the_paper(example: Example) -> None:
    trace = example.trace
    assert trace.cluster.spelling == "7x80c504g"
    assert len(trace) == pytest.approx(17_250, rel=0.05)
    assert len(trace.user.names) == 70
    assert trace.submit[-1] - trace.submit[0] == pytest.approx(150 * DAY, rel=0.02)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_job_is_run(example: Example, policy: str) -> None:
    assert example.metric(policy, "refused") == 0
    assert example.metric(policy, "ran") == len(example.trace)


def test_fcfs_waits_longest_but_for_days_not_months(example: Example) -> None:
    waits = {policy: example.metric(policy, "wait_mean") for policy in POLICIES}
    assert max(waits, key=waits.__getitem__) == "fcfs"
    assert 6 * HOUR < waits["fcfs"] < 5 * DAY
    assert HOUR < waits["fairshare-easy"] < 2 * DAY


def test_backfilling_uses_more_of_the_machine(example: Example) -> None:
    assert example.metric("easy", "utilization") > example.metric("fcfs", "utilization")
    assert example.metric("fairshare-easy", "utilization") > example.metric("fairshare-fcfs", "utilization")


def test_only_fairshare_is_fair_to_most_users(example: Example) -> None:
    """With it three quarters of the users have at most 35 % violated EETs, without it they have more."""
    q3 = {policy: example.metric(policy, "veet_q3") for policy in POLICIES}
    assert all(q3[policy] <= 35 for policy in FAIRSHARE)
    assert q3["fairshare-fcfs"] < q3["fcfs"]
    assert q3["fairshare-easy"] < q3["easy"]
    assert min(q3["fcfs"], q3["easy"]) > 45


def test_fairshare_and_backfilling_together_violate_least(example: Example) -> None:
    for name in ("violated_jobs", "veet_mean", "wt_median"):
        values = {policy: example.metric(policy, name) for policy in POLICIES}
        assert min(values, key=values.__getitem__) == "fairshare-easy", name


def test_by_expected_ends_fairshare_without_backfilling_beats_easy(example: Example) -> None:
    """Though not by mean wait: what metrics that do not know users cannot show (section 4.2)."""
    assert example.metric("easy", "wait_mean") < example.metric("fairshare-fcfs", "wait_mean")
    assert example.metric("fairshare-fcfs", "veet_q3") < example.metric("easy", "veet_q3")
    assert example.metric("fairshare-fcfs", "wt_median") < example.metric("easy", "wt_median")


@pytest.mark.parametrize("weight", ["processors", "dominant share"])
def test_the_longest_violated_lines_are_those_of_the_heaviest_users(example: Example, weight: str) -> None:
    trace = example.trace
    assert trace.cluster.ram is not None
    cpu, ram = trace.procs / trace.cluster.cpus, trace.ram / trace.cluster.ram
    heavy = heaviest(trace, cpu if weight == "processors" else np.maximum(cpu, ram))
    lines = longest_lines(example.of["fairshare-easy"])
    assert set(np.argsort(lines)[-3:].tolist()) == heavy
    ordered = np.sort(lines)
    assert ordered[-3] > 1.5 * ordered[-4], "they stand out from the others"
    assert ordered[-3] > 7 * 1440, "they last for weeks"


def test_without_fairshare_many_users_have_long_lines(example: Example) -> None:
    """A day or more without a break: many under easy, few under fairshare-easy."""
    long = {policy: int((longest_lines(example.of[policy]) >= 1440).sum()) for policy in POLICIES}
    assert long["easy"] > 2 * long["fairshare-easy"]
    assert long["fcfs"] > long["easy"]


def test_the_machine_is_full_for_weeks_and_calm_for_others(example: Example) -> None:
    """Waiting processors at noon of each day under fairshare-easy, in machines."""
    schedule = example.of["fairshare-easy"].schedule
    noons = np.arange(12 * HOUR, 150 * DAY, DAY)
    submit, start, procs = example.trace.submit, schedule.start, example.trace.procs
    queued = np.array([procs[(submit <= t) & (start > t)].sum() for t in noons]) / schedule.cluster.cpus
    assert (queued > 1).sum() > 21
    assert (queued < 0.1).sum() > 21
