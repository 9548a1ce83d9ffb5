"""Valid spellings of every key, and which of them contradict each other."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from engine.policy.key import Key, Range
from engine.policy.keys import KEYS
from engine.policy.names import CRITERIA, FACTORS
from engine.policy.policy import PRESETS
from engine.spelling import format_duration

SIMULATED = [name for name in PRESETS if name != "recorded"]

AT_PASSES = (
    "gate",
    "threshold",
    "relaxed",
    "max_user_jobs",
    "max_user_cpus",
    "max_queue_cpus",
    "queue_limits",
    "price_below",
    "pass_every",
    "test_limit",
    "user_test_limit",
    "horizon",
    "resolution",
)
"""Keys that say something of scheduling passes."""

_NAMES = st.text("abcXYZ019-_.", min_size=1, max_size=6)


def numbers_of(span: Range) -> st.SearchStrategy[str]:
    """Numbers of a range as `spell` writes them, durations in their largest unit."""
    low, high = span.low, min(span.high, 10**12 - 1)
    if span.kind == "count":
        return st.integers(int(low), int(high)).map(str)
    if span.kind == "duration":
        return st.integers(int(low), int(high)).map(format_duration)
    return st.integers(0, 9).flatmap(lambda digits: _decimals(low, high, digits))


def _decimals(low: float, high: float, digits: int) -> st.SearchStrategy[str]:
    scale = 10**digits
    whole = st.integers(-int(-low * scale // 1), int(high * scale))
    return whole.map(lambda number: plain(number, digits))


def plain(number: int, digits: int) -> str:
    """`number` / 10^digits without zeros that say nothing."""
    if digits == 0:
        return str(number)
    text = f"{abs(number):0{digits + 1}d}"
    sign = "-" if number < 0 else ""
    return sign + f"{text[:-digits]}.{text[-digits:]}".rstrip("0").rstrip(".")


def _weights(names: Sequence[str]) -> st.SearchStrategy[str]:
    weight = st.integers(1, 10**12 - 1).map(lambda number: plain(number, 6))
    chosen = st.dictionaries(st.sampled_from(names), weight, min_size=1)
    return chosen.map(lambda of: ";".join(f"{name}={of[name]}" for name in names if name in of))


def _bindings() -> st.SearchStrategy[str]:
    groups = st.lists(_NAMES, min_size=1, max_size=3).map("+".join)
    bound = st.dictionaries(_NAMES, groups, min_size=1, max_size=3)
    return bound.map(lambda of: ";".join(f"{queue}@{of[queue]}" for queue in sorted(of)))


def _queue_limits() -> st.SearchStrategy[str]:
    limited = st.dictionaries(_NAMES, st.integers(1, 10**9 - 1), min_size=1, max_size=3)
    return limited.map(lambda of: ";".join(f"{queue}@{of[queue]}" for queue in sorted(of)))


def _queue_priorities() -> st.SearchStrategy[str]:
    number = st.tuples(st.integers(1, 10**9 - 1), st.integers(0, 6)).map(lambda of: plain(*of))
    found = st.dictionaries(_NAMES, number, min_size=1, max_size=3)
    return found.map(lambda of: ";".join(f"{queue}@{of[queue]}" for queue in sorted(of)))


def _partitions() -> st.SearchStrategy[str]:
    sizes = st.lists(st.integers(1, 9), max_size=4).map(lambda factors: sorted({1, *factors}))
    unit = st.integers(1, 100)
    return st.tuples(unit, sizes).map(lambda of: "+".join(str(of[0] * factor) for factor in of[1]))


TUNINGS = (
    "bf;window",
    "bf:-0.5:0..1:queue_depth>=400",
    "bf:+0.25:0..1:bounded_slowdown_50<2:10m;window",
    "window:+1:1..8:utilization_1h<=mean_1d:1h",
)
"""Of which some need order=balanced, and all but the second that windows can be placed."""

FREE = {
    "weights": _weights(FACTORS),
    "criteria": _weights(CRITERIA),
    "queue_limits": _queue_limits(),
    "queue_priority": _queue_priorities(),
    "queue_nodes": _bindings(),
    "partitions": _partitions(),
    "tune": st.sampled_from(TUNINGS),
    "score": st.sampled_from(("wait / walltime", "-usage", "max(wait, 60)^2", "procs")),
    "eet_share": st.sampled_from(("1/10", "64c256g", "2c:batches=10m", "fair:exact_last=on")),
    "prices": st.sampled_from(("100..10000", "0..1", "0.5..999999999")),
    "price_jobs": st.sampled_from(("procs <= 8", "walltime > 3600 and procs > 2", "max(procs, gpus) > 2")),
    "fade": st.sampled_from(("1h@1;12h@0.5", "0@1;90@-0.25;fall", "30m@0.5")),
    "bids": st.just("density"),
    "pay": st.just("displaced"),
    "budget": st.sampled_from(("3000", "0;50.5/1d", "20000;5000/2h;40000")),
    "valuation": st.sampled_from(("normal:1:0.5", "lognormal:5000:2000", "uniform:0:1", "column:procs")),
}
"""Texts with a syntax of their own; files of `shares` are tested by themselves."""


def spellings(key: Key) -> st.SearchStrategy[str]:
    """Everything that a key takes, spelled as policies spell it."""
    if key.switch:
        return st.sampled_from(("on", "off"))
    kinds = [st.just(word) for word in key.words]
    kinds += [numbers_of(span).map(word.__add__) for word, span in key.families]
    if key.range is not None:
        kinds.append(numbers_of(key.range))
    if key.optional:
        kinds.append(st.just("none"))
    if key.name in FREE:
        kinds.append(FREE[key.name])
    return st.one_of(kinds)


key_mixes = st.fixed_dictionaries({}, optional={key.name: spellings(key) for key in KEYS})
"""Some keys, each with a value."""


def _tuned_in_vain(value: Mapping[str, str]) -> bool:
    # Which tunables a spelling of `tune` moves.
    tuned = {"2d": {"bf", "window"}, "none": set()}.get(
        value["tune"], {part.partition(":")[0] for part in value["tune"].split(";")}
    )
    if "bf" in tuned and (value["order"] != "balanced" or float(value["bf"]) < _least_bf(value["tune"])):
        return True
    if "window" in tuned and int(value["window"]) > (8 if "1..8" in value["tune"] else 4):
        return True
    if "window" not in tuned and value["window"] == "1":
        return False
    # A window is for passes without limits and for a depth of one or all.
    single = (
        *("max_user_jobs", "max_user_cpus", "max_queue_cpus", "test_limit", "relaxed"),
        *("user_test_limit", "horizon", "resolution", "queue_limits", "price_below"),
    )
    return value["depth"] not in ("1", "all") or any(value[name] != "none" for name in single)


def _stops_nobody(value: Mapping[str, str]) -> bool:
    """Whether passes do not start single jobs from the front of the queue."""
    bounds = ("relaxed", "test_limit", "user_test_limit", "horizon", "resolution", "power_off")
    plain = value["depth"] in ("stop", "0", "1") and value["window"] == "1"
    plain &= "window" not in value["tune"] and value["tune"] != "2d" and value["power_cap"] != "series"
    return not plain or any(value[name] != "none" for name in bounds)


def _leaves_prices_open(value: Mapping[str, str]) -> bool:
    """Whether who runs and who waits does not tell whom a start displaced."""
    bounds = (
        *("relaxed", "test_limit", "max_user_jobs", "max_user_cpus", "max_queue_cpus"),
        *("queue_limits", "user_test_limit", "horizon", "resolution", "price_below"),
    )
    plain = value["depth"] in ("stop", "0", "1") and value["backfill"] == "queue" and value["window"] == "1"
    plain &= "window" not in value["tune"] and value["tune"] != "2d"
    known = value["estimate"] in ("requested", "actual") or value["estimate"].startswith("scaled")
    plain &= value["power_cap"] != "series"
    return not plain or not known or any(value[name] != "none" for name in bounds)


def _least_bf(tune: str) -> float:
    return 0 if "bf:" in tune else 0.5


def idle(value: Mapping[str, str]) -> set[str]:
    """Keys that change nothing, given what all keys say."""
    # One rule for each key: when does it change nothing? Written from the texts of the keys, not from the
    # code.
    order, depth, estimate = value["order"], value["depth"], value["estimate"]
    found: set[str] = set()
    if order not in ("ljf", "saf", "laf", "widest", "narrowest"):
        found.add("ties")
    if order == "fcfs":
        found.add("threshold")
    if order != "fairshare" and (order != "priority" or "fairshare" not in value["weights"]):
        found |= {"half_life", "accrue", "shares", "usage_of"}
    by_usage = order == "score" and "usage" in value["score"]
    if by_usage:
        found -= {"half_life", "accrue", "shares", "usage_of"}
    if order not in ("fairshare", "priority", "nuwt") and not by_usage and value["search"] == "none":
        found.add("penalty")
    if value["search"] == "none":
        found |= {"plan_depth", "search_every", "trials", "criteria"}
    elif value["replan"] != "planned":
        found.add("search")
    if value["search"] != "none":
        found.add("trials" if value["search"] == "greedy" else "plan_depth")
    if depth != "kept":
        found |= {"replan", "gap", "search"}
    if value["on_failure"] == "lose":
        found.add("max_restarts")
    if order != "priority":
        found.add("weights")
    if order != "priority" or "age" not in value["weights"]:
        found.add("max_age")
    if order != "priority" or "queue" not in value["weights"]:
        found.add("queue_priority")
    if order != "balanced":
        found.add("bf")
    if order != "score":
        found.add("score")
    if order != "queues":
        found |= {"n", "prices"}
    if value["price_below"] == "none" or depth == "kept":
        found |= {"price_jobs", "price_wait"}
    if order != "auction":
        found |= {"bids", "pay", "budget", "preempt_value"}
    if value["pay"] == "displaced":
        found.add("budget")
    if _stops_nobody(value):
        found.add("preempt_value")
    if value["preempt_value"] != "none" or _leaves_prices_open(value):
        found.add("pay")
    if value["tune"] not in ("bf", "2d", "bf;window"):
        found.add("queue_depth")
    if estimate in ("requested", "actual") or estimate.startswith("scaled") or depth == "kept":
        found.add("estimate_once")
    if depth in ("stop", "all", "kept"):
        found.add("backfill")
    if depth in ("stop", "0"):
        found |= {"relaxed", "user_test_limit", "horizon", "resolution"}
    if depth not in ("1", "all"):
        found.add("window")
    # Expected ends are used by the order of slack and by searches that judge violations alone.
    judged = value["search"] != "none" and any(
        name in value["criteria"] for name in ("violated", "tardiness")
    )
    if order != "slack" and not judged:
        found.add("eet_share")
    return found | set(AT_PASSES if depth == "kept" else ())


def text_of(preset: str, values: Mapping[str, str]) -> dict[str, str]:
    """What all keys of a preset say, with these values."""
    base = PRESETS[preset][0]
    text = {"order": "score", **values} if "score" in values else values  # a formula is an order
    return {key.name: text.get(key.name, base.format_key(key.name)) for key in KEYS}


@st.composite
def useful_mixes(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A preset and some of its keys, each of which has a use; they may still contradict each other."""
    preset, values = draw(st.sampled_from(SIMULATED)), draw(key_mixes)
    without = idle(text_of(preset, values))
    return preset, {name: text for name, text in values.items() if name not in without}


def contradict(preset: str, values: Mapping[str, str]) -> bool:
    """Whether the keys of a preset with these values make each other impossible, or useless."""
    value = text_of(preset, values)
    plain = text_of("easy", {})
    if any(value[name] != plain[name] for name in idle(value)):
        return True
    if value["placement"] != "contiguous" and value["partitions"] != "any":
        return True
    if value["placement"] == "contiguous" and value["constraints"] == "on":
        return True
    if value["search"] == "greedy" and any(name in value["criteria"] for name in ("violated", "tardiness")):
        return True
    return _tuned_in_vain(value) or (value["depth"] == "kept" and value["order"] != "fcfs")
