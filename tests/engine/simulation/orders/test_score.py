"""Formulas as orders: some are other orders, start for start; all equal the slow twin."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.formula_variables import clock_changes, score_moves
from engine.policy.policy import PRESETS, Policy, parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import clusters, policies, traces
from tests.traces import make_trace, with_zone

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers too large, in plain Python


def starts(trace: Trace, cluster: Cluster, policy: Policy | str) -> list[int]:
    parsed = policy if isinstance(policy, Policy) else parse_policy(policy)
    return simulate(trace, cluster, parsed).start.tolist()


@pytest.mark.parametrize(
    ("formula", "order"),
    [
        ("score=-(estimate + procs / 1000000)", "order=sjf"),
        ("score=wait", "order=fcfs"),
        ("score=-submit", "order=fcfs"),
        ("score=1", "order=fcfs"),
        ("score=0 / 0", "order=fcfs"),
        ("score=-area", "order=saf"),
        ('score="if(wait >= 0, -estimate, 0) * procs"', "order=saf"),
        ("score=-usage", "order=fairshare"),
        ("score=-usage,half_life=60,accrue=end", "order=fairshare,half_life=60,accrue=end"),
        ("score=-slack", "order=slack"),
        ("score=worth", "order=auction"),
        ("score=worth,threshold=10", "order=auction,threshold=10"),
        ("score=-procs,threshold=10", "order=narrowest,threshold=10"),
        ('score="min(wait, 0) - procs",threshold=10', "order=narrowest,threshold=10"),
        ("score=1 / 0,threshold=10", "order=fcfs"),
    ],
)
@settings(max_examples=25)
@given(traces(), clusters(), st.sampled_from(("requested", "actual", "last2")))
def test_formulas_that_are_orders(
    formula: str, order: str, trace: Trace, cluster: Cluster, estimate: str
) -> None:
    text = f"easy:estimate={estimate}"
    assert starts(trace, cluster, f"{text},{formula}") == starts(trace, cluster, f"{text},{order}")


@given(traces(), clusters(), policies(order="score"))
def test_formulas_equal_the_slow_twin(trace: Trace, cluster: Cluster, policy: Policy) -> None:
    twin = NaiveSimulation(trace, cluster, policy)
    twin.simulate()
    found = simulate(trace, cluster, policy)
    assert found.start[found.ran].tolist() == [job.start for job in twin.jobs if found.ran[job.number]]


@given(traces(), clusters())
def test_wfp3_equals_the_slow_twin(trace: Trace, cluster: Cluster) -> None:
    twin = NaiveSimulation(trace, cluster, parse_policy("wfp3"))
    twin.simulate()
    assert [start for start in starts(trace, cluster, "wfp3") if start >= 0] == [
        job.start for job in twin.jobs if not twin.never_starts(job)
    ]


OPEN = make_trace([0], [1])


def test_which_formulas_move() -> None:
    moving = {
        name for name in PRESETS if PRESETS[name][0].order == "score" and score_moves(PRESETS[name][0], OPEN)
    }
    assert moving == {"wfp3", "unicef"}
    assert score_moves(parse_policy("f1:estimate=last2"), OPEN)
    assert not score_moves(parse_policy("easy:score=procs / submit"), OPEN)
    assert score_moves(parse_policy("easy:score=procs / submit"), replace(OPEN, dependencies=True))


def test_the_hour_is_that_of_the_machine_also_after_its_clock_was_set() -> None:
    # In Stockholm clocks were set an hour ahead on 31 March 2002 at 1:00 UTC.
    day = 1_017_446_400  # 30 March, 0:00 UTC
    trace = with_zone(make_trace([0, 86_400 * 2], [60, 60]), "Europe/Stockholm", day)
    since, ahead = clock_changes(trace)
    assert since[:2].tolist() == [0, 86_400 + 3600]
    assert ((ahead - day) % 86_400)[:2].tolist() == [3600, 7200]


def test_jobs_at_night_by_hand() -> None:
    # 0 runs to 3:00. Then the short one goes first, and the wide one had it been before 3:00.
    trace = make_trace([0, 10, 20], [10_800, 60, 600], [4, 4, 4])
    formula = 'easy:score="if(hour < {}, walltime, -walltime)"'
    assert starts(trace, Cluster.pool(4), formula.format(3)) == [0, 10_800, 10_860]
    assert starts(trace, Cluster.pool(4), formula.format(4)) == [0, 11_400, 10_800]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("easy:score=  wait/  walltime", "easy:score=wait/ walltime"),
        ('easy:score="max(wait, 60)",estimate=actual', 'easy:score="max(wait, 60)",estimate=actual'),
        ('just:score="wait"', "just:order=score"),
        ("easy:order=score", "easy:order=score"),
        ("wfp3:score=wait", "wfp3:score=wait"),
        ("easy:score=wait <= 60 and procs == 1", "easy:score=wait <= 60 and procs == 1"),
    ],
)
def test_spellings(text: str, spelled: str) -> None:
    policy = parse_policy(text)
    assert policy.spelling == spelled
    assert parse_policy(spelled) == policy
    assert policy.order == "score"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("easy:score=wiat", "score 'wiat' cannot be read, at character 1: nothing is called 'wiat'"),
        ("easy:score=max(wait, 60)", "should be key=value"),
        ('easy:score="wait', "a quote that does not end"),
        ("easy:order=sjf,score=procs", "score=procs has no use: order=sjf goes by no formula"),
        ("easy:score=", "at character 1"),
        ("conservative:score=procs", "depth=kept plans each job when it is submitted"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text)
    assert message in str(caught.value)
