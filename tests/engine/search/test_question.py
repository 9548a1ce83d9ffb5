import math
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.search.question import WORST_USER, MetricBound, Question, parse_bound, parse_objective
from engine.search.space import parse_space
from engine.search.typed_question import TypedQuestion


def test_bounds_are_read_and_written_alike() -> None:
    for text in ("veet_q3 <= 20", "utilization >= 0.8", "wait_max <= 10 %", "psf:alpha=1.5 <= 3"):
        assert str(parse_bound(text)) == text
    assert str(parse_bound(f"{WORST_USER}<=10")) == f"{WORST_USER} <= 10 %"
    assert parse_bound("  wait_mean<=5% ") == MetricBound("wait_mean", False, 5.0, True)
    assert parse_bound("wait_mean <= 1.5h") == MetricBound("wait_mean", False, 5400.0)
    assert parse_bound("wait_max <= 2 d") == MetricBound("wait_max", False, 172_800.0)


def test_how_far_a_bound_is_missed() -> None:
    facts, baseline = {"wait_mean": 120.0, "utilization": 0.7}, {"wait_mean": 100.0, "utilization": 0.7}
    assert parse_bound("wait_mean <= 100").excess(facts, baseline) == 20.0
    assert parse_bound("wait_mean <= 150").excess(facts, baseline) == -30.0
    assert parse_bound("wait_mean <= 5 %").excess(facts, baseline) == pytest.approx(15.0)
    assert parse_bound("utilization >= 0.8").excess(facts, baseline) == pytest.approx(0.1)
    assert parse_bound("wait_mean <= 5").excess({"wait_mean": None}, baseline) == math.inf
    assert parse_bound(f"{WORST_USER} <= 10").excess({WORST_USER: 30.0}, {WORST_USER: 0.0}) == 20.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wait_mean",
        "wait_mean < 5",
        "wait_mean <= much",
        "wait_meen <= 5",
        "x <= 1e9",
        "<= 5",
        "veet_q3 <= 2h",
    ],
)
def test_what_is_no_bound(text: str) -> None:
    with pytest.raises(InputError):
        parse_bound(text)


def test_a_metric_has_one_objective_and_the_base_has_keys() -> None:
    easy, space = parse_policy("easy"), parse_space(["order=fcfs|sjf"])
    both = (parse_objective("wait_mean", False), parse_objective("wait_mean", True))
    with pytest.raises(InputError, match="wait_mean is to be minimized or maximized twice"):
        Question(easy, space, both, (), easy)
    with pytest.raises(InputError, match="recorded has no keys to vary"):
        Question(parse_policy("recorded"), space, both[:1], (), easy)


def test_objectives_are_metrics() -> None:
    assert str(parse_objective("wait_mean", False)) == "minimize wait_mean"
    assert str(parse_objective(" utilization", True)) == "maximize utilization"
    with pytest.raises(InputError, match="wait_mean"):
        parse_objective("wait_meen", False)


def test_a_policy_may_be_the_path_of_a_slurm_conf(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "SchedulerType=sched/backfill\nPriorityType=priority/multifactor\nPriorityWeightAge=1000\n"
        "NodeName=n[1-4] CPUs=8 RealMemory=1024\nPartitionName=p Nodes=n[1-4] Default=YES\n"
    )
    question = TypedQuestion(policy=str(conf), baseline="easy").question()
    assert question.base.spelling == f"site:{tmp_path}"  # the site's own Slurm
    assert [of.key.name for of in question.space][:2] == ["PriorityWeightAge", "PriorityWeightFairshare"]
    assert question.base != question.baseline
    with pytest.raises(InputError):
        TypedQuestion(policy=str(tmp_path / "missing.conf")).question()
