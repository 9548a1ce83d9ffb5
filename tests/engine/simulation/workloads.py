"""Random small workloads, machines and policies for property tests."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.names import VALUE_ORDERS
from engine.policy.policy import Policy, parse_policy
from engine.policy.share_file import UserShares
from engine.policy.static_order import STATIC_ORDERS
from engine.trace import MISSING, Pieces, Trace
from engine.trace.trace import WHOLE_PACKED
from tests.engine.simulation.naive_machine import FEATURES
from tests.engine.simulation.naive_order import SCORES
from tests.traces import make_trace

USERS, QUEUES, EXECUTABLES = 4, 3, 2

Case = tuple[Trace, Cluster, Policy]


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """A pool, or one or two groups of nodes; no group, one or all have a known RAM."""
    with_ram = draw(st.booleans())
    # Pools are a third of all: their simulation has paths of its own.
    if draw(st.integers(0, 2)) == 0:
        return Cluster(
            (NodeGroup(1, draw(st.integers(5, 24)), draw(st.integers(10, 60)) if with_ram else None),)
        )

    def group(number: int) -> NodeGroup:
        ram = draw(st.none() | st.integers(4, 40)) if with_ram else None
        name = draw(st.sampled_from(("", f"rack{number}")))
        features = draw(st.sampled_from(((), (), ("a",), ("b",), ("a", "b"))))
        # Few and small nodes, so that jobs often do not fit by fragmentation alone.
        return NodeGroup(draw(st.integers(1, 4)), draw(st.integers(2, 8)), ram, name=name, features=features)

    cluster = Cluster(tuple(group(number) for number in range(draw(st.integers(1, 2)))))
    # Failures are of nodes, and only in a third of the machines: they change everything that follows.
    if cluster.pooled or draw(st.integers(0, 2)):
        return cluster
    return replace(cluster, failures=draw(outages(cluster.nodes)))


@st.composite
def outages(draw: st.DrawFn, nodes: int) -> Outages:
    """Some failures of so many nodes, also before the first job, and several at one second."""
    span = st.tuples(st.integers(0, nodes - 1), st.integers(0, 90), st.integers(1, 25))
    node, start, length = np.array(draw(st.lists(span, min_size=1, max_size=8)), np.int64).T
    return Outages.merged(node, start, start + length)


@st.composite
def traces(draw: st.DrawFn, max_jobs: int = 25) -> Trace:
    """Jobs that come in quick succession, so that queues form, with ties of all kinds."""
    jobs = draw(st.integers(1, max_jobs))

    def numbers(low: int, high: int, of_job: int = 1) -> list[int]:
        # Bytes: one is drawn ten times as fast as an integer.
        size = jobs * of_job
        return [low + byte % (high - low + 1) for byte in draw(st.binary(min_size=size, max_size=size))]

    submit, now = [], 0
    # Small gaps and long runtimes: without a queue policies would all do the same.
    for gap in numbers(0, draw(st.sampled_from((2, 8)))):
        now += gap
        submit.append(now)
    runtime = numbers(1, 30)
    walltime = [d + extra for d, extra in zip(runtime, numbers(0, 20), strict=True)]
    if draw(st.booleans()):  # round ones, so that many are the same
        walltime = [-(-time // 15) * 15 for time in walltime]
    # Groups of tasks with a count, processors and RAM each; RAM of 0 is not known.
    pairs = list(zip(numbers(1, 3, 2), numbers(1, 3, 2), numbers(0, 6, 2), strict=True))
    tasks = [pairs[2 * job : 2 * job + many] for job, many in enumerate(numbers(1, 2))]
    return make_trace(
        submit,
        runtime,
        [sum(count * cpus for count, cpus, _ in groups) for groups in tasks],
        walltime=walltime,
        user=[f"u{number}" for number in numbers(0, USERS - 1)],
        queue=[f"q{number}" for number in numbers(0, QUEUES - 1)],
        executable=numbers(1, EXECUTABLES),
        group=[f"g{number}" for number in numbers(0, 1)],
        ram=[sum(count * ram for count, _, ram in groups) or MISSING for groups in tasks],
        tasks=tasks,
    )


@st.composite
def policies(draw: st.DrawFn, /, **fixed: str) -> Policy:
    """Any policy that is simulated, but for nodes of queues; the `fixed` keys have that spelled value."""
    values = dict(fixed)

    def choose(name: str, *options: str) -> str:
        # A fixed key is not drawn, so no choice is spent on it.
        values.setdefault(name, draw(st.sampled_from(options)) if name not in fixed else "")
        return values[name]

    def seldom(name: str, *options: str) -> None:
        # Each option is set in a third of the cases: several limits at once would leave few jobs to start.
        choose(name, *["none"] * 2 * len(options), *options)

    # Depths that are most used come most often; plans are kept in order of submission only.
    depths = ["stop", "0", "1", "1", "1", "2", "3", "all", "all"]
    if fixed.get("order", "fcfs") == "fcfs":
        depths += ["kept", "kept"]
    depth = choose("depth", *depths)
    choose("placement", "first", "first", "best", "worst", "reliable")
    if choose("on_failure", "restart", "restart", "continue", "continue", "lose") != "lose":
        choose("max_restarts", "20", "20", "1", "0")
    estimate = choose(
        "estimate",
        *("requested", "requested", "requested", "actual", "scaled0.5", "scaled1.5", "scaled2"),
        *("last2", "hierarchy", "survival5", "linear"),
    )
    # A kept plan takes none of the keys of passes, so it is complete here.
    if depth == "kept":
        choose("gap", "earliest", "earliest", "best")
        searches = choose("replan", "submission", "planned") == "planned" and draw(st.booleans())
        if searches and "search" not in fixed:
            choose("search", "gap", "random", "random", "tabu", "annealing", "greedy", "greedy")
            choose("search_every", "1", "5", "20")
            if values["search"] == "greedy":
                choose("plan_depth", "all", "1", "2")
            else:
                choose("trials", "1", "4", "12")
            choose("seed", "0", "1", "99")
            choose("penalty", "cpu", "max", "sqrt", "product", "equivalent")
            ends = ("violated=1;wait=0.1", "tardiness=1;slowdown=1", "violated=1")
            # Criteria with expected ends are those that the greedy search cannot follow.
            choose(
                "criteria",
                *("wait=1", "slowdown=2;nuwt_std=1", "wait=1;response=1;nuwt_mean=0.5;nuwt_std=1"),
                *(ends if values["search"] != "greedy" else ()),
                *("awq=1;awf=1", "response_l2=2;wait=1", "fair_slowdown=1;response_l2=0.5"),
            )
            if values["criteria"].startswith(("violated", "tardiness", "fair_slowdown")):
                choose("eet_share", *_EXPECTED)
        return parse_policy("conservative").with_keys(**values)
    if not estimate.startswith(("requested", "actual", "scaled")):
        choose("estimate_once", "off", "on")
    order = choose(
        "order", *STATIC_ORDERS, *("fairshare", "priority", "balanced") * 2, "slack", "nuwt", *VALUE_ORDERS
    )
    # Windows of permutations are allowed only where no limit holds.
    windows = depth in ("1", "all") and not (_limited(fixed) or "window" in fixed) and draw(st.booleans())
    if order == "slack":
        choose("eet_share", *_EXPECTED)
    if order == "balanced":
        choose("bf", "1", "0.5", "0.3", "0")
        seldom("tune", *_TUNE_BF)
    if order == "score":
        choose("score", *SCORES)
    if order in VALUE_ORDERS or "worth" in values.get("score", ""):
        choose("seed", "0", "1", "2")
        choose("valuation", "normal:5000:2000", "normal:0:50")  # the second nearly all alike
    if order == "queues":
        choose("n", "1", "2", "3", "50")
        choose("prices", "100..10000", "4000..6000")
    if windows:
        values.setdefault("window", draw(st.sampled_from(("2", "3", "4"))))
        if "tune" not in fixed and draw(st.booleans()):
            window = draw(st.sampled_from(_TUNE_WINDOW))
            both = values.get("tune", "none") != "none"
            values["tune"] = f"{values['tune']};{window}" if both else window
    # These orders leave ties, which a second rule may break.
    if order in ("ljf", "saf", "laf", "widest", "narrowest"):
        choose("ties", "fcfs", "longest", "shortest", "widest")
    if depth not in ("stop", "all"):
        choose("backfill", "queue", "queue", "queue", *STATIC_ORDERS)
    if depth not in ("stop", "0") and not windows:
        seldom("relaxed", "0", "0.3", "2")
    if order != "fcfs":
        seldom("threshold", "5", "20", "60")
    # Limits and bounds, none of which goes with windows.
    if not windows:
        seldom("max_user_jobs", "1", "2")
        seldom("max_user_cpus", "6", "12")
        seldom("max_queue_cpus", "8", "14")
        seldom("queue_limits", "q0@9", "q0@12;q1@7")
        seldom("test_limit", "1", "2", "5")
        if depth not in ("stop", "0"):
            seldom("user_test_limit", "1", "2")
            seldom("horizon", "1", "10", "60")
            seldom("resolution", "2", "7", "60")
    seldom("pass_every", "3", "20")
    choose("gate", "off", "off", "off", "on")
    if order == "nuwt":
        choose("penalty", "cpu", "max", "sqrt", "product", "equivalent")
    # From here on only orders that count usage.
    if order not in ("fairshare", "priority") and "usage" not in values.get("score", ""):
        return parse_policy("easy").with_keys(**values)
    choose("penalty", "cpu", "max", "sqrt", "product", "equivalent")
    weights = (
        "age=1;fairshare=1",
        "age=1000;size=1",
        "fairshare=0.3;queue=0.1;size=0.5",
        "queue=1",
        "small=1;queue=0.5",
    )
    weighed = choose("weights", *weights) if order == "priority" else ""
    if "age=" in weighed:
        choose("max_age", "1", "20", "7d")
    if "queue=" in weighed:
        choose("queue_priority", "walltime", "q0@1;q1@3", "q1@0.5")
    if order == "priority" and "fairshare=" not in weighed:
        return parse_policy("easy").with_keys(**values)
    choose("half_life", "none", "1", "5", "60", "3d")
    choose("usage_of", "user", "group")
    choose("accrue", "always", "end")
    policy = parse_policy("easy").with_keys(**values)
    return with_shares(policy, draw(st.lists(st.sampled_from((0.5, 1.0, 3.0)), max_size=USERS)))


_EXPECTED = ("fair", "2c", "1/3:batches=3", "1/2:share_decay=9,exact_last=on")

_LIMITS = (
    *("max_user_jobs", "max_user_cpus", "max_queue_cpus", "test_limit", "relaxed"),
    *("user_test_limit", "horizon", "resolution", "queue_limits"),
)

_TUNE_BF = (
    "bf:-0.5:0..1:queue_depth>=1:10",
    "bf:0.3:0..1:queue_length<=3:7",
    "bf:-0.25:0..1:utilization>0.8:1m",
    "bf:-0.5:0..1:bounded_slowdown_3>2:5",
    "bf:-0.25:0..1:queue_depth>=1|<0.5:10",
    "bf:-0.02:0..1:wait=5:5",
    "bf:-0.3:0..1:wait>mean_30|<=3:4",
    "bf:-0.5:0..1:violated_3=0.3:5",
    "bf:-0.02/-0.01:0..1:wait=5:5",
    "bf:0/0.1:0..1:queue_length=2:3",
)
_TUNE_WINDOW = (
    "window:1:1..4:utilization_20<=mean_50:10",
    "window:2:1..4:queue_depth>=mean_30:15",
    "window:-1:1..4:queue_length<2:1",
    "window:0.2:1..4:bounded_slowdown_3=2:5",
    "window:0.3/0.1:1..4:queue_length=3:5",
    "window:1:1..4:utilization_20<0.5|>0.8:10",
)


def _limited(fixed: Mapping[str, str]) -> bool:
    return any(fixed.get(name, "none") != "none" for name in _LIMITS)


def with_shares(policy: Policy, shares: list[float]) -> Policy:
    """As if a file gave the first users these shares."""
    if not shares:
        return policy
    whose = "g" if policy.usage_of == "group" else "u"
    named = tuple((f"{whose}{number}", share) for number, share in enumerate(shares))
    return replace(policy, shares=UserShares("shares.csv", named))


@st.composite
def constrained(draw: st.DrawFn, trace: Trace, cluster: Cluster) -> Trace:
    """The same jobs, some of which name node groups or nodes, exclude them, or take whole nodes."""
    words = [
        "brno",
        "rack0",
        "cl_rack0",
        "cl_rack1",
        "rack01",
        "rack12.site.org",
        "host=rack11.site.org",
    ]
    word = st.sampled_from([*words, *(f"^{word}" for word in words)])
    found = draw(st.lists(st.lists(word, min_size=1, max_size=2).map(":".join), max_size=4))
    numbers = st.integers(0, len(found))
    rows = len(trace.tasks["count"])
    constraint = np.array(draw(st.lists(numbers, min_size=rows, max_size=rows)), np.int64)
    # An exclusive job is so with all its tasks.
    exclusive = np.array(draw(st.lists(st.booleans(), min_size=len(trace), max_size=len(trace))), np.bool_)
    constraint += np.repeat(exclusive, np.diff(trace.tasks.offset)) * (len(found) + 1)
    tasks = Pieces(trace.tasks.offset, {**trace.tasks.columns, "constraint": constraint})
    texts = ("", *found)
    return replace(trace, tasks=tasks, constraints=(*texts, *(f"{text}#excl" for text in texts)))


@st.composite
def demanding(draw: st.DrawFn, trace: Trace) -> Trace:
    """The same jobs, some of which take whole nodes, and some of whose tasks ask for features of nodes."""
    texts = tuple(FEATURES)
    rows = len(trace.tasks["count"])
    drawn = np.frombuffer(draw(st.binary(min_size=3 * rows, max_size=3 * rows)), np.uint8).reshape(3, rows)
    whole = np.repeat(drawn[0, : len(trace)] % 2 > 0, np.diff(trace.tasks.offset))  # with all its tasks
    least = 1 + drawn[1].astype(np.int64) % trace.tasks["cpus"]
    least = np.where(drawn[1] % 3 == 0, WHOLE_PACKED, least)
    columns = {"whole": np.where(whole, least, 0), "feature": drawn[2].astype(np.int64) % len(texts)}
    tasks = Pieces(trace.tasks.offset, {**trace.tasks.columns, **columns})
    return replace(trace, tasks=tasks, features=texts)


@st.composite
def cases(draw: st.DrawFn, /, max_jobs: int = 25, **fixed: str) -> Case:
    """A trace, a machine and a policy, which may give queues of the trace, or its jobs, their own nodes."""
    trace, cluster, policy = draw(traces(max_jobs)), draw(clusters()), draw(policies(**fixed))
    # Constraints name groups and hosts that machines here may have, and some that none has.
    if fixed.get("constraints") == "on" or draw(st.integers(0, 2)) == 0:
        trace, policy = draw(constrained(trace, cluster)), policy.with_keys(constraints="on")
    if draw(st.integers(0, 3)) == 0:
        trace = draw(demanding(trace))
    # Contiguous partitions are of machines whose nodes are all alike.
    alike = len(cluster.groups) == 1 and not cluster.pooled and "placement" not in fixed
    if alike and not policy.constraints and draw(st.booleans()):
        sizes = ["any", "1", *(f"1+{size}" for size in range(2, cluster.nodes + 1))]
        policy = policy.with_keys(placement="contiguous", partitions=draw(st.sampled_from(sizes)))
    # In a quarter of the cases queues are bound to groups of nodes.
    if cluster.pooled or draw(st.integers(0, 3)):
        return trace, cluster, policy
    groups = [group.name or str(number) for number, group in enumerate(cluster.groups, 1)]
    bound = draw(st.lists(st.sampled_from(trace.queue.names), unique=True, min_size=1))
    # Each of these queues has one or more groups.
    chosen = ["+".join(draw(st.lists(st.sampled_from(groups), unique=True, min_size=1))) for _ in bound]
    bindings = ";".join(f"{queue}@{names}" for queue, names in zip(bound, chosen, strict=True))
    return trace, cluster, policy.with_keys(queue_nodes=bindings)


@st.composite
def limited_cases(draw: st.DrawFn) -> Case:
    """First come, first served on a pool, where passes end early or limits hold jobs, with any depth."""
    names = ("test_limit", "max_user_jobs", "max_user_cpus", "max_queue_cpus")
    limits = dict.fromkeys(names, "none")
    for name in draw(st.lists(st.sampled_from((*names, "test_limit")), min_size=1, max_size=2)):
        limits[name] = str(draw(st.integers(1, 4 if name in ("test_limit", "max_user_jobs") else 14)))
    depth = draw(st.sampled_from(("stop", "0", "1", "2", "3", "all", "all")))
    estimate = draw(st.sampled_from(("requested", "actual", "scaled0.5", "scaled2", "last2")))
    policy = parse_policy("easy").with_keys(depth=depth, estimate=estimate, **limits)
    return draw(traces()), Cluster.pool(draw(st.integers(5, 24))), policy


@st.composite
def bags(draw: st.DrawFn) -> Case:
    """Long queues with runs of jobs that are all the same, under policies with many reservations."""
    trace = draw(traces(max_jobs=12))
    copies = draw(st.lists(st.integers(1, 6), min_size=len(trace), max_size=len(trace)))
    names = ("just", "just:order=saf", "just:estimate=actual", "just:placement=best", "easy:depth=3")
    return (
        trace.take(np.repeat(np.arange(len(trace)), copies)),
        draw(clusters()),
        parse_policy(draw(st.sampled_from((*names, "conservative")))),
    )


@st.composite
def simple_cases(draw: st.DrawFn, /, **fixed: str) -> Case:
    """What most simulations are: one pool of processors, no limits, no bounds of reservations, no tuning."""
    limits = ("max_user_jobs", "max_user_cpus", "max_queue_cpus", "queue_limits", *_LIMITS[-4:-1])
    without = dict.fromkeys(limits, "none")
    policy = draw(policies(**{**without, **fixed}).filter(lambda policy: not policy.tunings))
    return draw(traces()), Cluster.pool(draw(st.integers(5, 24))), policy


@st.composite
def following_cases(draw: st.DrawFn, /, max_jobs: int = 20, **fixed: str) -> Case:
    """A case some of whose jobs follow others; several have one number, and some numbers nobody has."""
    # Expected ends need submissions that are known, which those of followers are not.
    trace, cluster, policy = draw(
        cases(max_jobs, **fixed).filter(lambda case: not case[2].uses_expected_ends)
    )
    jobs = len(trace)
    # Numbers may come twice and name jobs that are not there or come later: logs have all of that.
    numbers = st.lists(st.integers(1, jobs), min_size=jobs, max_size=jobs)
    asked = st.lists(st.sampled_from((MISSING, 1)) | st.integers(1, jobs), min_size=jobs, max_size=jobs)
    think = st.lists(st.sampled_from((MISSING, 0, 0, 1)) | st.integers(0, 20), min_size=jobs, max_size=jobs)
    changed = replace(
        trace,
        job_id=np.array(draw(numbers)) if draw(st.booleans()) else trace.job_id,
        preceding=np.array(draw(asked)),
        think_time=np.array(draw(think)),
        dependencies=True,
    )
    return changed, cluster, policy


@st.composite
def bounded_cases(draw: st.DrawFn) -> Case:
    """Passes that reserve, and look at some jobs of a user, so far ahead and so exactly."""
    bounds = {"user_test_limit": ("1", "2"), "horizon": ("1", "10", "40"), "resolution": ("2", "7", "60")}
    chosen = {name: draw(st.sampled_from(("none", *words))) for name, words in bounds.items()}
    depth = draw(st.sampled_from(("1", "1", "2", "all")))
    return draw(cases(depth=depth, window="1", **chosen))
