"""Orders, priorities, predictors and schedulers of a user's own against built-in ones, start for start."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.own.allowed_code import UnnamedCodeError, allow
from engine.policy.own_policy import with_formula, with_own_keys
from engine.policy.policy import Policy, parse_policy
from engine.simulation.own import calls
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.own.in_place import run_in_place, with_own
from tests.engine.simulation.workloads import clusters, traces
from tests.traces import make_trace

ORDER = "import batchscope, numpy as np\n@batchscope.order\ndef f(jobs, now, machine):\n    return {}\n"
PRIORITY = "import batchscope, math\n@batchscope.priority\ndef f(job, now):\n    return {}\n"

ORDERS = (
    ('easy:score="(wait / walltime)^3 * procs"', "(jobs.wait / jobs.walltime) ** 3 * jobs.procs"),
    (
        'easy:score="wait / (log2(max(procs, 2)) * walltime)"',
        "jobs.wait / (np.log2(np.maximum(jobs.procs, 2)) * jobs.walltime)",
    ),
    ("easy:order=sjf", "-(jobs.estimate * 1000 + jobs.procs)"),
    ("easy:order=saf", "-jobs.estimate * jobs.procs"),
    ("easy:order=fcfs", "0"),
    ("easy:order=widest", "jobs.procs"),
)
"""Built-in orders, and the same written by a user."""

RULES = st.sampled_from(
    (
        *({}, {"depth": "stop"}, {"depth": "0"}, {"depth": "3"}, {"depth": "all"}, {"backfill": "sjf"}),
        *({"placement": "best"}, {"max_user_jobs": "2"}, {"threshold": "9"}, {"pass_every": "7"}),
        *({"relaxed": "0.5"}, {"window": "2"}, {"gate": "on"}, {"test_limit": "2"}, {"on_failure": "lose"}),
        *({"estimate": "last2"}, {"depth": "2", "estimate": "actual"}),
    )
)


def built_in(trace: Trace, cluster: Cluster, policy: Policy) -> list[int]:
    return simulate(trace, cluster, policy).start.tolist()


def own(trace: Trace, cluster: Cluster, policy: Policy) -> list[int]:
    s, called = run_in_place(trace, cluster, policy)
    assert called.fault is None
    return s.start.tolist()


@settings(max_examples=60)
@given(traces(), clusters(), RULES, st.sampled_from(ORDERS))
def test_an_order_starts_the_jobs_that_the_built_in_one_starts(
    trace: Trace, cluster: Cluster, rules: dict[str, str], orders: tuple[str, str]
) -> None:
    spelling, text = orders
    try:
        policy = parse_policy(spelling).with_keys(**rules)
    except InputError:  # some orders leave some rules without a use
        reject()
    mine = with_own(parse_policy("easy"), ORDER.format(text), "order", "order").with_keys(**rules)
    assert own(trace, cluster, mine) == built_in(trace, cluster, policy)


@pytest.mark.parametrize(
    ("role", "text"),
    [("order", "-(jobs.estimate * 1000 + jobs.procs)"), ("backfill", "-jobs.estimate")],
)
def test_an_order_sees_present_estimates_also_of_jobs_that_do_not_fit(role: str, text: str) -> None:
    """Else a wide job whose estimate has fallen would not go before a narrow one that fits."""
    trace, pool = crowd(200), Cluster.pool(16)
    mine = with_own(parse_policy("easy:estimate=last2"), ORDER.format(text), "order", role)
    plain = parse_policy("easy:estimate=last2").with_keys(**{role: "sjf"})
    assert own(trace, pool, mine) == built_in(trace, pool, plain)


@settings(max_examples=40)
@given(
    traces(),
    clusters(),
    st.sampled_from(("sjf", "saf", "widest")),
    st.sampled_from(("fcfs", "ljf", "fairshare")),
)
def test_an_order_serves_as_backfill_order(trace: Trace, cluster: Cluster, backfill: str, order: str) -> None:
    texts = {"sjf": "-jobs.estimate", "saf": "-jobs.estimate * jobs.procs", "widest": "jobs.procs"}
    plain = parse_policy(f"easy:order={order}")
    mine = with_own(plain, ORDER.format(texts[backfill]), "order", "backfill")
    assert own(trace, cluster, mine) == built_in(trace, cluster, plain.with_keys(backfill=backfill))


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ('easy:score="wait / walltime * procs"', "job.wait / job.walltime * job.procs"),
        ('easy:score="-sqrt(estimate) * procs"', "-math.sqrt(job.estimate) * job.procs"),
    ],
)
def test_a_compiled_priority_starts_the_jobs_that_the_formula_starts(spelling: str, text: str) -> None:
    trace = crowd(300)
    mine = with_own(parse_policy("easy"), PRIORITY.format(text), "priority", "order")
    assert own(trace, Cluster.pool(16), mine) == built_in(trace, Cluster.pool(16), parse_policy(spelling))


@settings(max_examples=60)
@given(
    traces(),
    clusters(),
    RULES,
    st.sampled_from(
        (("wait / walltime * procs", "job.wait / job.walltime * job.procs"), ("-walltime", "-job.walltime"))
    ),
)
def test_a_priority_that_is_a_formula_needs_no_process(
    trace: Trace, cluster: Cluster, rules: dict[str, str], texts: tuple[str, str]
) -> None:
    score, text = texts
    try:
        typed = parse_policy(f'easy:score="{score}"').with_keys(**rules)
    except InputError:  # some orders leave some rules without a use
        reject()
    mine = with_own(parse_policy("easy"), PRIORITY.format(text), "priority", "order").with_keys(**rules)
    assert mine.own is not None
    allow(mine.own.file)
    assert with_formula(mine).own is None
    schedule = simulate(trace, cluster, mine)
    assert schedule.start.tolist() == built_in(trace, cluster, typed)
    assert schedule.policy is mine


@pytest.mark.parametrize(
    "text",
    [
        "(job.wait / job.walltime) ** 3 * job.procs",
        "job.wait / (math.log2(max(job.procs, 2)) * job.walltime) if job.procs > 2 else 0.001 * job.wait",
    ],
)
def test_a_formula_starts_the_jobs_that_its_function_compiled_starts(text: str) -> None:
    trace = crowd(300)
    mine = with_own(parse_policy("easy"), PRIORITY.format(text), "priority", "order")
    assert mine.own is not None
    allow(mine.own.file)
    assert own(trace, Cluster.pool(16), mine) == built_in(trace, Cluster.pool(16), mine)


def test_a_priority_that_nobody_named_is_no_formula_either() -> None:
    mine = with_own(parse_policy("easy"), PRIORITY.format("job.wait * 7.5"), "priority", "order")
    with pytest.raises(UnnamedCodeError):
        simulate(crowd(3), Cluster.pool(16), mine)


PREDICTOR = """
import batchscope
@batchscope.predictor
class f:
    def __init__(self):
        self.last = {}
    def predict(self, job):
        seen = self.last.get(job.user, [])
        return sum(seen) // len(seen) if len(seen) == 2 else job.walltime
    def learn(self, job, runtime):
        self.last.setdefault(job.user, []).append(runtime)
        del self.last[job.user][:-2]
"""


@settings(max_examples=30)
@given(traces(), clusters())
def test_a_predictor_starts_the_jobs_that_last2_starts(trace: Trace, cluster: Cluster) -> None:
    cluster = replace(cluster, failures=Cluster.pool(1).failures)  # last2 counts runs that were stopped
    mine = with_own(parse_policy("easy"), PREDICTOR, "predictor", "estimate")
    assert own(trace, cluster, mine) == built_in(
        trace, cluster, parse_policy("easy:estimate=last2,estimate_once=on")
    )


def crowd(jobs: int, seed: int = 3) -> Trace:
    """Many jobs of several users on a small machine, so that queues form."""
    draws = np.random.default_rng(seed)
    runtime = draws.integers(1, 400, jobs)
    return make_trace(
        np.sort(draws.integers(0, 60 * jobs, jobs)),
        runtime,
        draws.integers(1, 9, jobs),
        walltime=runtime + draws.integers(0, 300, jobs),
        user=[f"u{number}" for number in draws.integers(0, 5, jobs)],
    )


WATCHED = """
import batchscope
SEEN = []
@batchscope.predictor
class f:
    def predict(self, job):
        SEEN.append((job.submit, 0, job.index, 0))
        return job.walltime
    def learn(self, job, runtime):
        SEEN.append((0, 1, job.index, runtime))
"""


def test_a_runtime_is_handed_over_when_its_job_has_ended_and_not_before() -> None:
    trace = crowd(200)
    mine = with_own(parse_policy("easy"), WATCHED, "predictor", "estimate")
    s, _ = run_in_place(trace, Cluster.pool(16), mine)
    seen = sys.modules["mine"].SEEN
    learned: dict[int, int] = {}
    predicted_at: dict[int, int] = {}
    clock = 0
    for submit, learns, job, runtime in seen:
        if learns:
            end = int(s.start[job] + trace.runtime[job])
            assert end >= clock  # in order of time
            clock = end
            assert job in predicted_at
            learned[job] = runtime
        else:
            assert submit >= clock
            clock = submit
            predicted_at[job] = submit
            # What was learned by then has ended: at its own second a job that ends is not known yet.
            assert all(s.start[other] + trace.runtime[other] < submit for other in learned)
    assert learned == {job: int(runtime) for job, runtime in enumerate(trace.runtime)}


USERS = """
import batchscope, numpy as np
SEEN = []
@batchscope.order
def f(jobs, now, machine):
    columns = jobs.user_running, jobs.user_procs, jobs.user_ended, jobs.user_runtime, jobs.user_usage
    SEEN.append((now, jobs.index.tolist(), *(column.tolist() for column in columns), machine.free))
    return jobs.user_usage
"""


def test_what_is_known_of_users_is_what_has_happened_by_now() -> None:
    trace = crowd(150)
    mine = with_own(parse_policy("easy"), USERS, "order", "order")
    s, _ = run_in_place(trace, Cluster.pool(16), mine)
    seen = sys.modules["mine"].SEEN
    user, procs, end = trace.user.codes, trace.procs, s.start + trace.runtime
    assert len(seen) > 100
    for now, jobs, running, held, ended, mean, usage, free in seen:
        # Jobs that start at this very second do so after the call.
        runs, over = (s.start < now) & (end > now), (s.start >= 0) & (end <= now) & (s.start < now)
        assert free == 16 - procs[runs].sum()
        for place, job in enumerate(jobs):
            mine_running, mine_over = runs & (user == user[job]), over & (user == user[job])
            assert running[place] == mine_running.sum()
            assert held[place] == procs[mine_running].sum()
            assert ended[place] == mine_over.sum()
            assert mean[place] == (trace.runtime[mine_over].mean() if mine_over.any() else 0)
            used = (trace.runtime * procs)[mine_over].sum() + ((now - s.start) * procs)[mine_running].sum()
            assert usage[place] == pytest.approx(used)


EASY = """
import batchscope

@batchscope.scheduler
def f(state):
    for job, procs in zip(state.waiting.index, state.waiting.procs):
        if procs > state.free:
            break
        yield job
    else:
        return
    head, at = job, state.earliest(job)
    yield head, at
    running = state.running
    spare = state.free + int(running.procs[running.expected_end <= at].sum()) - int(procs)
    waiting = state.waiting
    for job, procs, estimate in list(zip(waiting.index, waiting.procs, waiting.estimate))[1:]:
        if procs <= state.free and (state.now + estimate <= at or procs <= spare):
            if state.now + estimate > at:
                spare -= procs
            yield job
"""


@pytest.mark.parametrize("once", ["off", "on"])
@pytest.mark.parametrize("estimate", ["last2", "survival5", "linear"])
def test_a_scheduler_sees_the_present_estimates(estimate: str, once: str) -> None:
    trace, cluster = crowd(400), Cluster.pool(16)
    keys = f"estimate={estimate},estimate_once={once}"
    mine = with_own(parse_policy("easy"), EASY, "scheduler", "scheduler")
    assert mine.own is not None
    learns = with_own_keys(mine, mine.own, {"estimate": estimate, "estimate_once": once})
    assert own(trace, cluster, learns) == built_in(trace, cluster, parse_policy(f"easy:{keys}"))


def test_a_scheduler_that_only_asks_to_be_called_again_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_IDLE_CALLS", 100)
    text = "import batchscope\n@batchscope.scheduler\ndef f(state):\n    yield None, state.now + 10\n"
    mine = with_own(parse_policy("easy"), text, "scheduler", "scheduler")
    _, called = run_in_place(make_trace([0, 500], [5, 5], 1), Cluster.pool(4), mine)
    assert called.fault is not None
    assert called.fault.text == "f asks 100 times to be called again, and starts nobody"
    assert called.fault.time == 500 + 10 * 100


@settings(max_examples=40)
@given(traces(), st.integers(5, 24))
def test_easy_as_a_scheduler_of_a_dozen_lines_is_easy(trace: Trace, procs: int) -> None:
    cluster = Cluster.pool(procs)
    mine = with_own(parse_policy("easy"), EASY, "scheduler", "scheduler")
    assert own(trace, cluster, mine) == built_in(trace, cluster, parse_policy("easy"))


@pytest.mark.parametrize(
    ("body", "job", "message"),
    [
        ("yield 1", 1, "f starts it, but it does not wait"),
        ("yield 7", -1, "f starts it, but 7 is no job"),
        ("yield 0\n    yield 0", 0, "f starts it, but it has started before"),
        ("yield from state.waiting.index", 2, "f starts it, but the free resources are too few"),
        ("yield 'x'", -1, "f yields 'x': yield a job's number to start it"),
        ("yield None, 0", -1, "f names 0, which is no later second"),
        ("return 3", -1, "f yields nothing: write `yield job` for each start"),
        ("yield 1 // 0", -1, "line 4: f fails: ZeroDivisionError: "),
    ],
)
def test_a_lie_of_a_scheduler_is_one_sentence_with_job_and_instant(body: str, job: int, message: str) -> None:
    trace = make_trace([5, 9, 9], [100, 10, 10], [3, 2, 2])
    text = f"import batchscope\n@batchscope.scheduler\ndef f(state):\n    {body}\n"
    _, calls = run_in_place(
        trace, Cluster.pool(6), with_own(parse_policy("easy"), text, "scheduler", "scheduler")
    )
    assert calls.fault is not None
    assert calls.fault.text.startswith(message)
    assert calls.fault.job == job
    assert calls.fault.time in (5, 9)


def test_a_scheduler_may_wait_for_an_instant_without_any_event() -> None:
    text = (
        "import batchscope\n@batchscope.scheduler\ndef f(state):\n"
        "    yield from state.waiting.index if state.now >= 50 else [(None, 50)]\n"
    )
    trace = make_trace([5, 9], [100, 10], [1, 1])
    mine = with_own(parse_policy("easy"), text, "scheduler", "scheduler")
    assert own(trace, Cluster.pool(6), mine) == [50, 50]


def test_limits_and_reservations_of_a_scheduler_are_those_of_the_policy() -> None:
    trace = make_trace([0, 0], [10, 10], [1, 1], user=["a", "a"])
    text = "import batchscope\n@batchscope.scheduler\ndef f(state):\n    yield from state.waiting.index\n"
    mine = with_own(parse_policy("easy:max_user_jobs=1"), text, "scheduler", "scheduler")
    _, calls = run_in_place(trace, Cluster.pool(6), mine)
    assert calls.fault is not None
    assert (calls.fault.job, calls.fault.text) == (
        1,
        "f starts it, but a limit of its user or queue forbids that",
    )


@pytest.mark.parametrize(
    ("returned", "job", "message"),
    [
        ("jobs.wait / 0 * 0", 0, "f returns NaN for it"),
        ("jobs.wait[:-1]", -1, "f returns an array of shape (0) for 1 jobs that wait"),
        ("None", -1, "f returns NoneType, not a number for each job"),
        ("'x'", -1, "f returns str, not a number for each job"),
        ("jobs.wait.fill(1)", -1, "line 4: f fails: ValueError: assignment destination is read-only"),
        (
            "machine.nothing",
            -1,
            "line 4: f fails: AttributeError: 'Machine' object has no attribute 'nothing'",
        ),
        ("exit()", -1, "line 4: f fails: "),
    ],
)
def test_what_is_wrong_with_an_order_is_one_sentence(returned: str, job: int, message: str) -> None:
    text = ORDER.format(returned).replace("    return", "    np.seterr(all='ignore')\n    return", 1)
    text = text.replace("    np.seterr(all='ignore')\n", "") if "line 4" in message else text
    trace = make_trace([5, 9, 9], [100, 10, 10], [6, 6, 6])
    _, calls = run_in_place(trace, Cluster.pool(6), with_own(parse_policy("easy"), text, "order", "order"))
    assert calls.fault is not None
    assert calls.fault.text.startswith(message)
    assert (calls.fault.job, calls.fault.time) == (job, 5)
