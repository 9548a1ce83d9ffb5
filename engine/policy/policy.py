"""A policy: a small frozen value that describes the decisions of the scheduler, not its implementation.

Its spelling, `preset` or `preset:key=value,key=value`, is shared by the command line, the session and the
legend, and round-trips: `parse_policy(p.spelling) == p`. A workload of its own is spelled behind it, after
`with`, as `engine.trace.variant` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.estimate.estimators import Estimate
from engine.input import exists, user_path
from engine.own.code import OwnCode
from engine.policy.bids import bid_formula
from engine.policy.keys import KEY, KEYS, Keys, unused_keys
from engine.policy.names import CRITERIA, CRITERIA_OF_ENDS, FACTORS
from engine.policy.tuning import Tuning, parse_tunings
from engine.score.parse import Formula, parse_score
from engine.spelling import nearest
from engine.trace.variant import NO_VARIANT, WITH, Variant, parse_variant, split_variant

if TYPE_CHECKING:
    from engine.machine.cluster import Cluster
    from engine.slurm.site.site import Site

_PART = re.compile(r'(?:[^,"]+|"[^"]*"?)+')  # up to a comma outside of quotes
SITE = "site"
"""The prefix of a policy that is given by the path of a site's files."""

_SCHEDULE = re.compile(r".*\.(?:csv|parquet|swf)(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)


@dataclass(frozen=True)
class Policy(Keys):
    """The rules of a scheduler. Made by `parse_policy`, changed by `with_keys`.

    `file` is the path of a schedule from another program. With a `site` its own Slurm decides, and keys have
    no effect. The `variant` changes the jobs that it schedules. Raises InputError if keys are contradictory.
    """

    file: str = ""
    site: Site | None = None
    own: OwnCode | None = None  # a user's own code, which decides instead of some keys
    variant: Variant = NO_VARIANT

    def __post_init__(self) -> None:
        _refuse_contradictions(self)

    @property
    def recorded(self) -> bool:
        """True for the log's own schedule, which is read and not simulated."""
        return self.preset == "recorded" and not self.file

    @property
    def simulated(self) -> bool:
        """True if the schedule is computed: neither the log's own nor that of a file."""
        return self.preset != "recorded"

    @property
    def machine(self) -> Cluster | None:
        """The machine that the policy brings: that of its site's files, if these tell any."""
        return None if self.site is None else self.site.machine

    @property
    def uses_fairshare(self) -> bool:
        """True if the users' usage counts."""
        return self.order in ("fairshare", "priority", "nuwt") or "usage" in self.score_names

    @property
    def uses_expected_ends(self) -> bool:
        """True if the users' expected end times count."""
        by_search = self.search != "none" and any(self.criteria.of(CRITERIA_OF_ENDS))
        return by_search or "slack" in (self.order, *self.score_names) or "violated" in self.tune.monitors

    @property
    def score_names(self) -> frozenset[str]:
        """The variables of the formula that puts the queue in order; empty without a formula."""
        return frozenset() if self.formula is None else self.formula.names

    @cached_property
    def formula(self) -> Formula | None:
        """The formula that puts the queue in order, the highest first; None without one."""
        limited = bool(self.budget)
        return self.score if self.order == "score" else bid_formula(self.order, self.fade, self.bids, limited)

    @property
    def limited(self) -> bool:
        """True if there are limits on running jobs or processors of users or queues."""
        limits = (self.max_user_jobs, self.max_user_cpus, self.max_queue_cpus)
        return any(limit is not None for limit in limits) or bool(self.queue_limits)

    def queue_limit(self, queue: str) -> int | None:
        """Processors that the jobs of a queue may hold at once; None for any number."""
        limits = (self.max_queue_cpus, self.queue_limits.as_dict().get(queue))
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def reserves_within_bounds(self) -> bool:
        """True if passes make reservations for some jobs only, for a limited time ahead, or in coarse
        steps.
        """
        return any(bound is not None for bound in (self.user_test_limit, self.horizon, self.resolution))

    @cached_property
    def spelling(self) -> str:
        """The canonical spelling: the preset, then the keys that differ from it, in the order of KEYS.

        For a schedule in a file it is `recorded` and the file. A variant follows.
        """
        return self._spelled + self._suffix

    @property
    def _spelled(self) -> str:
        """The spelling without the variant."""
        if self.file:
            return f"{self.preset}:{self.file}"
        if self.site is not None:
            return self.site.spelling
        base = PRESETS[self.preset][0]
        changed = {
            key.name: self.format_key(key.name)
            for key in KEYS
            if getattr(self, key.name) != getattr(base, key.name)
        }
        if self.own is not None:
            return self.own.spelled(changed)
        return format_policy(self.preset, changed)

    @property
    def _suffix(self) -> str:
        return f"{WITH}{self.variant.spelling}" if self.variant else ""

    @property
    def label(self) -> str:
        """The spelling for people: of a site with the name of its folder alone."""
        return self.called(1)

    def called(self, parts: int | None) -> str:
        """The spelling; with `parts` a site is called by the last parts of its path."""
        return self.spelling if self.site is None or parts is None else self.site.label(parts) + self._suffix

    @property
    def absolute(self) -> Policy:
        """The policy with absolute paths of its files, so that it is the same in every working folder."""
        if self.file:
            return replace(self, file=str(Path(self.file).absolute()))
        if self.site is not None:
            return replace(self, site=replace(self.site, path=self.site.path.absolute()))
        if self.own is not None:
            return replace(self, own=self.own.absolute)
        return replace(self, shares=self.shares.absolute, eet_share=self.eet_share.absolute)

    def format_key(self, name: str) -> str:
        """The canonical text of the value of a key."""
        return KEY[name].format(getattr(self, name))

    def format_keys(self) -> dict[str, str]:
        """The canonical text of the value of each key."""
        return {key.name: self.format_key(key.name) for key in KEYS}

    def with_keys(self, **texts: str) -> Policy:
        """The policy with changed keys, given as texts; of a site its options. Raises InputError."""
        if not self.simulated and texts:
            raise InputError("policy recorded takes no keys: it is the log's own schedule, or that of a file")
        if self.site is not None and texts:
            from engine.slurm.site.changes import changed

            return site_policy(changed(self.site, texts))
        if self.own is not None and texts:
            from engine.policy.own_policy import with_own_keys

            return with_own_keys(self, self.own, texts)
        values = {name: parse_value(name, text) for name, text in texts.items()}
        if "score" in texts and "order" not in texts:
            values["order"] = "score"
        return replace(self, **values)

    def unused_with(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Keys that have no use once some keys are changed, each with the reason.

        The texts need not make a policy: a text that cannot be read changes nothing. A site has no keys.
        """
        if self.site is not None:
            return {key.name: "the files of the site say what its scheduler does" for key in KEYS}
        values: dict[str, Any] = {key.name: getattr(self, key.name) for key in KEYS}
        for name, text in texts.items():
            if text != self.format_key(name):
                with suppress(InputError):
                    values[name] = KEY[name].parse(text)
        return unused_keys(Keys(self.preset, **values))

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """The parameters of the policy that adapt during the run."""
        return self.tune.tunings(self.queue_depth)

    @property
    def allocates_windows(self) -> bool:
        """True if several jobs may be placed together."""
        return self.window > 1 or "window" in self.tune.tunables

    @property
    def factor_weights(self) -> tuple[float, ...]:
        """The weight of each of FACTORS; 0 for factors that are not named."""
        return self.weights.of(FACTORS)

    @property
    def criteria_weights(self) -> tuple[float, ...]:
        """The weight of each of CRITERIA; 0 for criteria that are not named."""
        return self.criteria.of(CRITERIA)

    def __str__(self) -> str:
        return self.spelling


def parse_value(name: str, text: str) -> Any:
    """The value of a key that `text` is. Raises InputError for an unknown key or an invalid text."""
    if name not in KEY:
        raise InputError(f"policies have no key {name!r}{nearest(name, KEY)}")
    return KEY[name].parse(text)


def _refuse_contradictions(policy: Policy) -> None:
    """Raise InputError for keys that exclude each other, or that leave another key without effect."""
    if policy.variant and not policy.simulated:
        raise InputError(
            f"{policy.spelling}: a schedule that is read has the jobs that it has; name a policy that is "
            f"simulated, like easy{WITH}{policy.variant.spelling}"
        )
    if policy.depth == "kept" and policy.order != "fcfs":
        raise InputError(
            f"depth=kept plans each job when it is submitted, so order={policy.order} comes too late; "
            "depth=all plans anew at each pass, in any order"
        )
    if policy.search == "greedy" and any(policy.criteria.of(("violated", "tardiness"))):
        raise InputError(f"search=greedy goes by what seconds are worth, and cannot weigh {policy.criteria}")
    _refuse_tunings(policy)
    if policy.partitions and policy.placement != "contiguous":
        raise InputError(f"partitions={policy.format_key('partitions')} needs placement=contiguous")
    if policy.placement == "contiguous" and policy.constraints:
        raise InputError("placement=contiguous takes nodes by their place: constraints=on has no use there")
    for name, why in unused_keys(policy).items():
        if getattr(policy, name) != KEY[name].default:
            raise InputError(f"{name}={policy.format_key(name)} has no use: {why}")


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
    if policy.depth not in (1, "all"):
        raise InputError(f"windows need depth=1 or depth=all, not depth={policy.depth}")
    for key in KEYS:
        if key.single and getattr(policy, key.name) != key.default:
            raise InputError(
                f"windows place jobs together: {key.name}, which is about single jobs, has no use there"
            )


def _scored(preset: str, formula: str) -> Policy:
    return Policy(preset, order="score", score=parse_score(formula))


def _policies(*entries: tuple[Policy, str]) -> dict[str, tuple[Policy, str]]:
    return {policy.preset: (policy, text) for policy, text in entries}


PRESETS = _policies(
    (
        Policy("recorded"),
        "the log's own schedule; recorded:FILE is that of a CSV, Parquet or SWF file",
    ),
    (Policy("fcfs", depth="stop"), "first come, first served: no job starts before a blocked one"),
    (Policy("aggressive", depth=0), "backfilling without any reservation"),
    (Policy("easy"), "backfilling that never delays the first blocked job"),
    (
        Policy("just", depth="all"),
        "backfilling that delays no job ahead: reservations for all, anew at each pass",
    ),
    (
        Policy("conservative", depth="kept"),
        "each job gets a reservation when it is submitted, which only moves forward",
    ),
    (
        Policy("plan", depth="kept", replan="planned"),
        "each job has a planned start; jobs are replanned in order of planned starts",
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
    (
        Policy("tuned-bf", order="balanced", tune=parse_tunings("bf")),
        "metric with a balance factor that follows the queue",
    ),
    (
        Policy("tuned-window", order="balanced", tune=parse_tunings("window")),
        "metric with a window that follows the utilization",
    ),
    (Policy("tuned-2d", order="balanced", tune=parse_tunings("2d")), "metric with both of them tuned"),
    (
        Policy("queues", order="queues", estimate=Estimate("actual")),
        "easy over three queues with prices, the dearest first, and known runtimes",
    ),
    (
        Policy("auction", order="auction", estimate=Estimate("actual")),
        "easy over an auction, the highest bid first, and known runtimes",
    ),
    (
        _scored("wfp3", "(wait / walltime)^3 * procs"),
        "easy over a formula of Tang et al. 2009",
    ),
    (
        _scored("unicef", "wait / (log2(max(procs, 2)) * walltime)"),
        "easy over a formula of Tang et al. 2009 that favours small jobs",
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


def parse_policy(text: str, estimate: str | None = None, seed: int | None = None) -> Policy:
    """Read `preset` or `preset:key=value,...`; `recorded:FILE` is a schedule from another program.

    `site:DIR`, or the path of a `slurm.conf`, is a site's own Slurm, and `FILE.py:NAME,...` is a user's own
    code. `estimate` and `seed` are the defaults
    for a policy that names none. A variant of the workload may follow: `easy with walltime_cap=4h`. Raises
    InputError that names the nearest valid spelling, or says what is wrong with a site's files.
    """
    spelled, variant = split_variant(text)
    if variant and not _is_path(text):
        return replace(parse_policy(spelled, estimate, seed), variant=parse_variant(variant))
    name = text.partition(":")[0].strip()
    if name not in PRESETS:
        from engine.policy.own_policy import own_policy

        usual = {"estimate": estimate, "seed": None if seed is None else str(seed)}
        if (own := own_policy(text, PRESETS["easy"][0], usual)) is not None:
            return own
        site = _site_named(text.strip())
        if site is not None:
            if estimate not in (None, "requested"):
                raise InputError(f"estimate {estimate} has no use with {text}: Slurm goes by time limits")
            return site_policy(site)
        hint = _nearest_policy(text.strip().lower()) or "; `batchscope policies` lists them"
        raise InputError(f"unknown policy {name!r}{hint}")
    policy = PRESETS[name][0]
    if policy.recorded and _SCHEDULE.fullmatch(file := text.partition(":")[2].strip()):
        return replace(policy, file=file)
    return _read_policy(text, {"estimate": estimate, "seed": None if seed is None else str(seed)})


def _is_path(text: str) -> bool:
    """True if a file or folder is called like this, be it of a site or a schedule."""
    before, _, path = text.partition(":")
    return before.strip() in (SITE, "recorded", "") and exists(user_path(path.strip()))


def _site_named(text: str) -> Site | None:
    """The site of `site:DIR` or of the path of a file of Slurm; None for other texts. Raises InputError."""
    from engine.slurm.conf.kind import conf_kind
    from engine.slurm.site.folder import read_site_at

    before, colon, path = text.partition(":")
    if colon and before.strip() == SITE:
        return read_site_at(user_path(path.strip()))
    return read_site_at(user_path(text)) if conf_kind(user_path(text)) else None


def site_policy(site: Site) -> Policy:
    """The policy by which a site's own Slurm decides, also whether jobs of failed nodes are queued again."""
    again = site.conf.option("JobRequeue", "1").strip() != "0"
    return replace(PRESETS["easy"][0], site=site, on_failure="restart" if again else "lose")


def format_policy(preset: str, changed: Mapping[str, str]) -> str:
    """A preset and keys, in their order, as `parse_policy` reads them; a formula implies its order."""
    left = {name: text for name, text in changed.items() if (name, text) != ("order", "score")}
    keys = left if "score" in changed else changed
    pairs = [f'{name}="{text}"' if "," in text else f"{name}={text}" for name, text in keys.items()]
    return preset + (":" + ",".join(pairs) if pairs else "")


def _read_policy(text: str, usual: Mapping[str, str | None] = MappingProxyType({})) -> Policy:
    """A policy with a known preset; `usual` has the values of keys that the text leaves out."""
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
        values = {key: usual_value for key, usual_value in usual.items() if usual_value is not None} | values
    return policy.with_keys(**values)


def _nearest_policy(text: str) -> str:
    """The suggestion `; did you mean ...?` for an unknown preset, or nothing."""
    keys = text.replace(":", ",", 1)  # of a text that leaves the preset out
    hint = _readable(text, text.replace(";", ":", 1).replace(";", ","))
    hint = hint or nearest(text.partition(":")[0].strip(), PRESETS)
    return hint or (_readable(f"easy:{keys}", f"easy:order={keys}") if text else "")


def _readable(*guesses: str) -> str:
    """The suggestion `; did you mean ...?` with the first guess that is a policy, or nothing."""
    for guess in guesses:
        if guess.partition(":")[0].strip() in PRESETS:
            with suppress(InputError):
                return f"; did you mean {_read_policy(guess).spelling!r}?"
    return ""
