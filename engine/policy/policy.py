"""A policy: a small frozen value that says what the scheduler does, never how.

Its one-line spelling, `preset` or `preset:key=value,key=value`, is shared by the command
line, the session and the legend, and round-trips: `parse_policy(p.spelling) == p`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType

from engine.errors import InputError
from engine.policy.canonical import (
    bindings_of,
    canonical_bindings,
    canonical_partitions,
    canonical_weights,
    weights_of,
)
from engine.policy.keys import CRITERIA_OF_ENDS, KEY, KEYS, Value
from engine.policy.queue_file import canonical_limits, canonical_priorities, limits_of
from engine.policy.share import FAIR, Share, parse_share
from engine.policy.share_file import read_user_shares
from engine.policy.tuning import Tuning, canonical_tunings, parse_tunings
from engine.policy.unused_keys import LIMIT_KEYS, RESERVING_KEYS, idle_keys
from engine.score.parse import canonical_formula, names_of, parse_formula
from engine.spelling import DAY, MINUTE, nearest
from engine.value.prices import parse_prices, spell_prices
from engine.value.valuation import parse_valuation

FACTORS = ("age", "fairshare", "size", "small", "queue")
"""Factors of a multifactor priority, in the order in which they are summed."""

CRITERIA = (
    *("wait", "response", "slowdown", "nuwt_mean", "nuwt_std", "violated", "tardiness"),
    *("awq", "awf", "response_l2", "fair_slowdown"),
)
"""What a search for a better plan can improve, in the order in which gains are summed."""

_PART = re.compile(r'(?:[^,"]+|"[^"]*"?)+')  # up to a comma that stands in no quotes
_SCHEDULE = re.compile(r".*\.(?:csv|parquet|swf)(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)


@dataclass(frozen=True)
class Policy:
    """What the scheduler does. Made by `parse_policy`, changed by `with_keys`.

    Fields are the keys of the grammar; what each says is in KEYS. `user_shares` is what the
    file of `shares` says, `expectation` what `eet_share` does; `file` is that of a schedule that another
    program made. Raises InputError where keys contradict each other.
    """

    preset: str
    order: str = "fcfs"
    score: str = "wait"
    depth: str = "1"
    backfill: str = "queue"
    estimate: str = "requested"
    estimate_once: bool = False
    gate: bool = False
    ties: str = "fcfs"
    threshold: int | None = None  # s
    relaxed: float | None = None
    placement: str = "first"
    partitions: str = "any"
    constraints: bool = False
    penalty: str = "max"
    half_life: int | None = 3 * DAY  # s
    accrue: str = "always"
    shares: str = "equal"
    usage_of: str = "user"
    eet_share: str = "fair"
    bf: float = 1.0
    window: int = 1
    tune: str = "none"
    queue_depth: int = 1000  # minutes
    weights: str = "age=1;fairshare=1"
    max_age: int = 7 * DAY  # s
    queue_priority: str = "walltime"
    max_user_jobs: int | None = None
    max_user_cpus: int | None = None
    max_queue_cpus: int | None = None
    queue_limits: str = "none"
    queue_nodes: str = "any"
    pass_every: int | None = None  # s
    test_limit: int | None = None
    user_test_limit: int | None = None
    horizon: int | None = None  # s
    resolution: int | None = None  # s
    replan: str = "submission"
    gap: str = "earliest"
    search: str = "none"
    plan_depth: str = "all"
    search_every: int = 5 * MINUTE  # s
    trials: int = 500
    criteria: str = "wait=1;response=1;slowdown=1;nuwt_mean=1;nuwt_std=1"
    on_failure: str = "restart"
    max_restarts: int = 20
    n: int = 3
    prices: str = "100..10000"
    valuation: str = "normal:5000:2000"
    seed: int = 0
    user_shares: tuple[tuple[str, float], ...] = ()
    expectation: Share = FAIR
    file: str = ""

    def __post_init__(self) -> None:
        _refuse_contradictions(self)

    @property
    def recorded(self) -> bool:
        """Whether this is the log's own schedule, which is read and not simulated."""
        return self.preset == "recorded" and not self.file

    @property
    def simulated(self) -> bool:
        """Whether a schedule is worked out: it is neither the log's own nor that of a file."""
        return self.preset != "recorded"

    @property
    def uses_fairshare(self) -> bool:
        """Whether the users' usage counts."""
        return self.order in ("fairshare", "priority", "nuwt") or "usage" in self.score_names

    @property
    def uses_expected_ends(self) -> bool:
        """Whether the ends count that users may expect."""
        tuned = any(tuning.monitor == "violated" for tuning in self.tunings)
        judged = tuned or (self.search != "none" and any(weights_of(self.criteria, CRITERIA_OF_ENDS)))
        return judged or self.order == "slack" or "slack" in self.score_names

    @property
    def score_names(self) -> frozenset[str]:
        """What the formula names by which jobs are scored; nothing where none is."""
        return names_of(parse_formula(self.score)) if self.order == "score" else frozenset()

    @property
    def limits(self) -> dict[str, int]:
        """How much users and queues may have at once, by the keys of LIMIT_KEYS that are given."""
        return {name: most for name in LIMIT_KEYS if (most := getattr(self, name)) is not None}

    @property
    def limited(self) -> bool:
        """Whether users or queues may have only so much at once."""
        return bool(self.limits) or self.queue_limits != "none"

    def queue_limit(self, queue: str) -> int | None:
        """Processors that the jobs of a queue may hold at once; None for any number."""
        limits = (self.max_queue_cpus, limits_of(self.queue_limits).get(queue))
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def reserves_within_bounds(self) -> bool:
        """Whether any of RESERVING_KEYS is given."""
        return any(getattr(self, name) is not None for name in RESERVING_KEYS)

    @property
    def spelling(self) -> str:
        """The canonical spelling: the preset, then the keys that differ from it, in the order of KEYS.

        Of a schedule in a file `recorded` and the file.
        """
        if self.file:
            return f"{self.preset}:{self.file}"
        base = PRESETS[self.preset][0]
        changed = {
            key.name: self.spelled(key.name)
            for key in KEYS
            if getattr(self, key.name) != getattr(base, key.name)
        }
        return spell_policy(self.preset, changed)

    @property
    def absolute(self) -> Policy:
        """The same wherever the program runs: with the whole paths of its files."""
        if self.file:
            return replace(self, file=str(Path(self.file).absolute()))
        shares = self.shares if self.shares == "equal" else str(Path(self.shares).absolute())
        expectation = self.expectation.absolute
        return replace(self, shares=shares, eet_share=expectation.spelling, expectation=expectation)

    def spelled(self, name: str) -> str:
        """The value of one key as policies spell it."""
        return KEY[name].spell(getattr(self, name))

    def with_keys(self, **values: str) -> Policy:
        """The policy with some keys changed, each value spelled. Raises InputError."""
        if not self.simulated and values:
            raise InputError("policy recorded takes no keys: it is the log's own schedule, or that of a file")
        parsed: dict[str, Value | Share | tuple[tuple[str, float], ...]]
        parsed = {name: parse_value(name, text) for name, text in values.items()}
        parsed |= {"order": "score"} if "score" in values and "order" not in values else {}
        if "shares" in values:
            parsed["user_shares"] = read_user_shares(values["shares"])
        if "eet_share" in values:
            expectation = parse_share(values["eet_share"])
            parsed |= {"eet_share": expectation.spelling, "expectation": expectation}
        return replace(self, **parsed)  # type: ignore[arg-type]

    @property
    def factor_weights(self) -> tuple[float, ...]:
        """The weight of each of FACTORS, 0 where it is not named."""
        return weights_of(self.weights, FACTORS)

    @property
    def criteria_weights(self) -> tuple[float, ...]:
        """The weight of each of CRITERIA, 0 where it is not named."""
        return weights_of(self.criteria, CRITERIA)

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """What of the policy adapts while it runs."""
        return parse_tunings(self.tune, self.queue_depth)

    @property
    def allocates_windows(self) -> bool:
        """Whether jobs may be placed several together."""
        return self.window > 1 or any(tuning.tunable == "window" for tuning in self.tunings)

    @property
    def partition_sizes(self) -> tuple[int, ...]:
        """The numbers of nodes that contiguous jobs may get, ascending; () for any."""
        return () if self.partitions == "any" else tuple(map(int, self.partitions.split("+")))

    @property
    def bindings(self) -> dict[str, tuple[str, ...]]:
        """The node groups (names or numbers from 1) that each bound queue may use."""
        return bindings_of(self.queue_nodes)

    def __str__(self) -> str:
        return self.spelling


_CANONICAL: Mapping[str, Callable[[str], str]] = {
    "weights": lambda text: canonical_weights("weights", text, FACTORS),
    "criteria": lambda text: canonical_weights("criteria", text, CRITERIA),
    "queue_limits": canonical_limits,
    "queue_priority": canonical_priorities,
    "queue_nodes": canonical_bindings,
    "partitions": canonical_partitions,
    "score": canonical_formula,
    "tune": canonical_tunings,
    "prices": lambda text: spell_prices(*parse_prices(text)),
    "valuation": lambda text: parse_valuation(text).spelling,
}
"""What checks and spells the values of keys that are a small language each."""


def parse_value(name: str, text: str) -> Value:
    """The value of a key from its spelling. Raises InputError for an unknown key or value."""
    if name not in KEY:
        raise InputError(f"policies have no key {name!r}{nearest(name, KEY)}")
    value = KEY[name].parse(text)
    return _CANONICAL[name](text) if name in _CANONICAL else value


def _refuse_contradictions(policy: Policy) -> None:
    """Raise InputError for keys of which one makes the other impossible, or leaves it without a use."""
    if policy.depth == "kept" and policy.order != "fcfs":
        raise InputError(
            f"depth=kept plans each job when it is submitted, so order={policy.order} comes too late; "
            "depth=all plans anew at each pass, in any order"
        )
    if policy.search == "greedy" and any(weights_of(policy.criteria, ("violated", "tardiness"))):
        raise InputError(f"search=greedy goes by what seconds are worth, and cannot weigh {policy.criteria}")
    _refuse_tunings(policy)
    if policy.partitions != "any" and policy.placement != "contiguous":
        raise InputError(f"partitions={policy.partitions} needs placement=contiguous")
    if policy.placement == "contiguous" and policy.constraints:
        raise InputError("placement=contiguous takes nodes by their place: constraints=on has no use there")
    for name, why in idle_keys({key.name: policy.spelled(key.name) for key in KEYS}).items():
        if getattr(policy, name) != getattr(Policy, name):  # what it is where nothing is said of it
            raise InputError(f"{name}={policy.spelled(name)} has no use: {why}")


def _refuse_tunings(policy: Policy) -> None:
    """Raise InputError for windows and tunings that the rest of the policy has no use for."""
    for tuning in policy.tunings:
        if tuning.tunable == "bf" and policy.order != "balanced":
            raise InputError(f"tune={policy.tune}: bf belongs to order=balanced, not {policy.order}")
        initial = getattr(policy, tuning.tunable)
        if not tuning.low <= initial <= tuning.high:
            raise InputError(
                f"tune={policy.tune}: {tuning.tunable} begins at {initial:g}, "
                f"outside {tuning.low:g}..{tuning.high:g}"
            )
    if not policy.allocates_windows:
        return
    if policy.depth not in ("1", "all"):
        raise InputError(f"windows need depth=1 or depth=all, not depth={policy.depth}")
    for name in (*LIMIT_KEYS, "queue_limits", "test_limit", *RESERVING_KEYS, "relaxed"):
        if getattr(policy, name) not in (None, "none"):
            raise InputError(
                f"windows place jobs together: {name}, which is about single jobs, has no use there"
            )


def _scored(preset: str, formula: str) -> Policy:
    return Policy(preset, order="score", score=formula)


def _policies(*entries: tuple[Policy, str]) -> dict[str, tuple[Policy, str]]:
    return {policy.preset: (policy, text) for policy, text in entries}


PRESETS = _policies(
    (
        Policy("recorded"),
        "the log's own schedule, as it was; recorded:FILE that of a CSV, Parquet or SWF file",
    ),
    (Policy("fcfs", depth="stop"), "first come, first served: nothing passes a blocked job"),
    (Policy("aggressive", depth="0"), "backfilling without any reservation"),
    (Policy("easy"), "backfilling that never delays the first blocked job"),
    (
        Policy("just", depth="all"),
        "backfilling that delays no job ahead: reservations for all, made anew",
    ),
    (
        Policy("conservative", depth="kept"),
        "each job gets a slot when it comes, which only moves forward",
    ),
    (
        Policy("plan", depth="kept", replan="planned"),
        "each job has a planned start; plans are made anew in their own order",
    ),
    (
        Policy("plan-search", depth="kept", replan="planned", search="random"),
        "plan, improved by local search for short and fair waits",
    ),
    (Policy("easy-sjbf", backfill="sjf"), "easy, shortest jobs backfilled first"),
    (Policy("saf-easy", order="saf"), "easy over a queue with the smallest areas first"),
    (Policy("fairshare-fcfs", order="fairshare", depth="stop"), "least used user first, no backfilling"),
    (Policy("fairshare-easy", order="fairshare"), "least used user first, with easy backfilling"),
    (Policy("metric", order="balanced"), "easy over a queue that balances waits and walltimes"),
    (Policy("tuned-bf", order="balanced", tune="bf"), "metric with a balance factor that follows the queue"),
    (
        Policy("tuned-window", order="balanced", tune="window"),
        "metric with a window that follows the utilization",
    ),
    (Policy("tuned-2d", order="balanced", tune="2d"), "metric with both of them tuned"),
    (
        Policy("queues", order="queues", estimate="actual"),
        "easy over three queues with prices, the dearest first, and known runtimes",
    ),
    (
        Policy("auction", order="auction", estimate="actual"),
        "easy over an auction, the highest bid first, and known runtimes",
    ),
    (
        _scored("wfp3", "(wait / walltime)^3 * procs"),
        "easy over a formula of Tang et al. 2009",
    ),
    (
        _scored("unicef", "wait / (log2(max(procs, 2)) * walltime)"),
        "easy over another one, for small jobs",
    ),
    *(
        (_scored(name, formula), "easy over a formula learned by Carastan-Santos & de Camargo 2017")
        for name, formula in (
            ("f1", "-(log10(estimate) * procs + 870 * log10(submit))"),
            ("f2", "-(sqrt(estimate) * procs + 25600 * log10(submit))"),
            ("f3", "-(estimate * procs + 6860000 * log10(submit))"),
            ("f4", "-(estimate * sqrt(procs) + 530000 * log10(submit))"),
        )
    ),
)
"""Preset policies by name, each with its description."""

EXAMPLES = (
    ("just:order=saf,estimate=actual", "smallest areas first, reservations for all, perfect estimates"),
    ("easy:depth=10,estimate=last2", "ten reservations, runtimes predicted"),
    ("saf-easy:threshold=3d,relaxed=0.2", "nobody waits more than three days behind smaller jobs"),
    ("fairshare-easy:penalty=cpu,half_life=2h", "usage of processors alone, soon forgotten"),
    ("metric:bf=0.5,window=4", "waits and walltimes weigh the same, four jobs are placed together"),
    ("tuned-2d:queue_depth=400", "balance factor and window adapt, as on an SP2"),
    ("easy:order=priority,weights=age=1;size=2", "a multifactor priority"),
    ("easy:max_user_jobs=20,pass_every=30", "limits of a production system"),
    ('easy:score="max(wait, 60) / walltime"', "a formula: the longest wait for its walltime goes first"),
    ("queues:n=5,seed=1", "five queues with prices, other values drawn"),
)
"""Spellings to learn from, each with what it does."""


def parse_policy(text: str, estimate: str | None = None, seed: int | None = None) -> Policy:
    """Read `preset` or `preset:key=value,...`; `recorded:FILE` is a schedule that another program made.

    `estimate` and `seed` are those of a policy that names none itself. Raises InputError that
    names the nearest right spelling.
    """
    name = text.partition(":")[0].strip()
    if name not in PRESETS:
        hint = _nearest_policy(text.strip().lower()) or "; `batchscope policies` lists them"
        raise InputError(f"unknown policy {name!r}{hint}")
    policy = PRESETS[name][0]
    if policy.recorded and _SCHEDULE.fullmatch(file := text.partition(":")[2].strip()):
        return replace(policy, file=file)
    return _read_policy(text, {"estimate": estimate, "seed": None if seed is None else str(seed)})


def spell_policy(preset: str, changed: Mapping[str, str]) -> str:
    """A preset and keys, in their order, as `parse_policy` reads them; a formula implies its order."""
    left = {name: text for name, text in changed.items() if (name, text) != ("order", "score")}
    keys = left if "score" in changed else changed
    spelled = [f'{name}="{text}"' if "," in text else f"{name}={text}" for name, text in keys.items()]
    return preset + (":" + ",".join(spelled) if spelled else "")


def _read_policy(text: str, usual: Mapping[str, str | None] = MappingProxyType({})) -> Policy:
    """A policy whose preset there is; `usual` is what keys say that it leaves out."""
    name, _, rest = (part.strip() for part in text.partition(":"))
    values: dict[str, str] = {}
    for part in _PART.findall(rest):
        key, equals, value = (word.strip() for word in part.partition("="))
        if value[:1] == '"':
            if len(value) < 2 or value[-1] != '"':
                raise InputError(f"policy {text!r}: a quote that does not end")
            value = value[1:-1]
        if not equals:
            raise InputError(f"policy {text!r}: {part!r} should be key=value")
        if key in values:
            raise InputError(f"policy {text!r} gives {key} twice")
        values[key] = value
    policy = PRESETS[name][0]
    if not policy.recorded:
        values = {key: said for key, said in usual.items() if said is not None} | values
    return policy.with_keys(**values)


def _nearest_policy(text: str) -> str:
    """`; did you mean ...?` of what comes nearest to a text that names no preset, or nothing."""
    keys = text.replace(":", ",", 1)  # of a text that leaves the preset out
    hint = _readable(text, text.replace(";", ":", 1).replace(";", ","))
    hint = hint or nearest(text.partition(":")[0].strip(), PRESETS)
    return hint or (_readable(f"easy:{keys}", f"easy:order={keys}") if text else "")


def _readable(*guesses: str) -> str:
    """`; did you mean ...?` of the first that is a policy, or nothing."""
    for guess in guesses:
        if guess.partition(":")[0].strip() in PRESETS:
            with suppress(InputError):
                return f"; did you mean {_read_policy(guess).spelling!r}?"
    return ""


assert [*KEY] == [entry.name for entry in fields(Policy)][1:-3]
