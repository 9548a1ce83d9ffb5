"""The keys of the policy grammar: their values, ranges and meaning, told once for everybody who asks.

The command line prints them, the window makes its form of them, and `parse` and `spell`
read and write their values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from engine.errors import InputError
from engine.limits import MAX_SPAN
from engine.policy.penalty import PENALTIES
from engine.policy.static_order import STATIC_ORDERS, TIES
from engine.score.names import FUNCTIONS, VARIABLES
from engine.spelling import DAY, HOUR, MINUTE, nearest, parse_duration, spell_duration

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Range:
    """Numbers that a key takes: whole ones (`count`), seconds (`duration`) or any (`real`).

    `low` and `high` are the least and the most; `reach` is as far as a slider goes, where
    larger values make little sense, and `step` its step.
    """

    kind: Literal["count", "real", "duration"]
    low: float
    high: float
    reach: float
    step: float = 1

    def parse(self, name: str, text: str) -> int | float:
        """The number; raises InputError that names the range."""
        if self.kind == "duration":
            value: int | float = parse_duration(text)
        else:
            pattern = r"\d{1,12}" if self.kind == "count" else r"\d{1,12}(\.\d{1,12})?|\.\d{1,12}"
            if not re.fullmatch(pattern, text):
                what = "a whole number" if self.kind == "count" else "a number"
                raise InputError(f"{name} cannot be {text!r}: it is {what} {self}")
            value = int(text) if self.kind == "count" else float(text)
        if not self.low <= value <= self.high:
            raise InputError(f"{name} cannot be {text}: it is {self}")
        return value

    def spell(self, value: float) -> str:
        """The shortest text that `parse` reads back."""
        if self.kind == "duration":
            return spell_duration(int(value))
        text = repr(value)
        return text.removesuffix(".0") if "e" not in text else format(value, ".12f").rstrip("0").rstrip(".")

    def __str__(self) -> str:
        unit = " s" if self.kind == "duration" else ""
        return f"from {self.spell(self.low)}{unit} to {self.spell(self.high)}"


@dataclass(frozen=True)
class Key:
    """One key of the policy grammar.

    A value is one of `words`, a word of `families` followed by a number, or a number of
    `range`. `switch` keys are on or off; `optional` ones may be `none`; `free` ones take a
    text that has a syntax of its own, such as `age=1;size=2` (`form` shows it), or is a `formula`. Words and
    numbers of a key without `range` alone are kept as text.
    """

    name: str
    help: str
    words: tuple[str, ...] = ()
    families: tuple[tuple[str, Range], ...] = ()
    range: Range | None = None
    switch: bool = False
    optional: bool = False
    form: str = ""
    formula: bool = False

    def parse(self, text: str) -> Value:
        """Read a value. Raises InputError that names the nearest right one."""
        if self.switch:
            return _parse_switch(self.name, text)
        if self.optional and text == "none":
            return None
        if text in self.words:
            return text
        for word, range_ in self.families:
            if text.startswith(word) and text[len(word) :][:1].isdigit():
                return word + range_.spell(range_.parse(self.name, text[len(word) :]))
        if self.form:
            return text
        if self.range is not None and (not self.words or text[:1].isdigit()):
            number = self.range.parse(self.name, text)
            return self.range.spell(number) if self.words else number
        known = [*self.words, *(word + range_.spell(range_.reach) for word, range_ in self.families)]
        numbers = [] if self.range is None else [f"a number {self.range}"]
        hint = nearest(text, known) or f": it is one of {', '.join(known + numbers)}"
        raise InputError(f"{self.name} cannot be {text!r}{hint}")

    def spell(self, value: Value) -> str:
        """The value as policies spell it."""
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, str):
            return value
        assert self.range is not None
        return self.range.spell(value)


MOVING_ORDERS = ("fairshare", "balanced", "slack", "nuwt", "priority")
"""Orders whose keys move with time, or need more than a job's own request."""

ON_FAILURE = ("restart", "continue", "lose")
"""What becomes of a job when a node fails under it."""

CRITERIA_OF_ENDS = ("violated", "tardiness", "fair_slowdown")
"""Criteria of plans that ask when users may expect their jobs to end."""

VALUE_ORDERS = ("queues", "auction")
"""Orders by what jobs are worth."""

_LIMIT = Range("count", 1, 10**9, 1000)
_QUEUES = Range("count", 1, 10**9, 5)

KEYS = (
    Key(
        "order",
        "queue order: fcfs by submission; sjf, ljf shortest, longest estimate E first; saf, laf smallest, "
        "largest area r E; widest, narrowest by processors r; fairshare the user with the smallest usage "
        "factor; balanced the highest S_p = bf S_w + (1 - bf) S_r, S_w = 100 wait / longest wait, "
        "S_r = 100 (L_max - L) / (L_max - L_min) over the waiting jobs; slack the earliest EET - E, the "
        "latest start that meets the user's expected end; nuwt the user who waited most for what was used so "
        "far, the sum of waits over the sum of P D; priority the highest sum of weighed factors; "
        "queues the dearest queue, where a job is in that with the highest price not above its value; "
        "auction the highest value, which is bid; score the highest value of a formula",
        words=(*STATIC_ORDERS, *MOVING_ORDERS, *VALUE_ORDERS, "score"),
    ),
    Key(
        "score",
        "for order=score, a formula of what is known of a waiting job, in quotes where it holds a comma: of "
        f"{', '.join(VARIABLES)}; with + - * / ^ < <= > >= == and or not, and {', '.join(FUNCTIONS)}",
        form="wait / walltime",
        formula=True,
    ),
    Key(
        "depth",
        "blocked jobs that get a reservation at a pass: stop ends the pass at the first one; 0 goes past it; "
        "1 is EASY; all reserves for every job; kept also keeps reservations from pass to pass",
        words=("stop", "all", "kept"),
        range=Range("count", 0, 10**6, 20),
    ),
    Key(
        "backfill",
        "order in which jobs behind the reservations are tried: the queue's own, or another one; "
        "sjf goes by the estimate alone",
        words=("queue", *STATIC_ORDERS),
    ),
    Key(
        "estimate",
        "what the scheduler believes a job will run for: requested the walltime L; actual the runtime D; "
        "scaledK K times D; last2 mean of the user's last two; hierarchy mean of the most similar jobs; "
        "survivalX a runtime that X % of similar jobs exceed; linear an online regression",
        words=("requested", "actual", "last2", "hierarchy", "linear"),
        families=(
            ("scaled", Range("real", 0.01, 100, 1.5, 0.05)),
            ("survival", Range("real", 0.001, 99.999, 2, 0.5)),
        ),
    ),
    Key(
        "estimate_once",
        "keep the estimate made at submission, not a new one at each pass",
        switch=True,
    ),
    Key(
        "gate",
        "an arrival alone triggers a pass only where the new job fits into what is free at that moment",
        switch=True,
    ),
    Key(
        "ties",
        "among equal keys: first submitted first, or longest or shortest estimate, or most processors",
        words=tuple(TIES),
    ),
    Key(
        "threshold",
        "jobs that waited longer than this go first, by submission: nobody starves",
        range=Range("duration", 1, MAX_SPAN, 7 * DAY, HOUR),
        optional=True,
    ),
    Key(
        "relaxed",
        "a reserved job may be delayed by x times (its first reserved start - its submission) "
        "so that more jobs can be backfilled",
        range=Range("real", 0, 1000, 2, 0.05),
        optional=True,
    ),
    Key(
        "placement",
        "nodes tried: first by number, best those with the fewest free CPUs, worst those with the most; "
        "contiguous whole nodes side by side",
        words=("first", "best", "worst", "contiguous"),
    ),
    Key(
        "partitions",
        "for placement=contiguous, the numbers of nodes that a job may get: the next larger one, "
        "from a multiple of it on",
        words=("any",),
        form="1+2+4+8",
    ),
    Key(
        "constraints",
        "obey what the log says of a job's nodes: properties that name node groups, host names, and #excl, "
        "by which each task takes a whole node",
        switch=True,
    ),
    Key(
        "penalty",
        "how shares x of CPU and y of RAM weigh in a user's usage: cpu x; max the larger; "
        "sqrt 1 - sqrt((1-x)(1-y)); product 1 - (1-x)(1-y); equivalent largest share of a node times nodes",
        words=tuple(PENALTIES),
    ),
    Key(
        "half_life",
        "time in which past usage loses half its weight",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        optional=True,
    ),
    Key("accrue", "usage counts while a job runs, or when it ends", words=("always", "end")),
    Key(
        "shares",
        "each user's share, by which usage is divided: equal, a CSV file with the columns user,share, or "
        "Alea's .users or .groups file",
        words=("equal",),
        form="FILE.csv",
    ),
    Key(
        "usage_of",
        "whose usage counts: each user's, or that of all users of the job's group (Slurm's account) together",
        words=("user", "group"),
    ),
    Key(
        "eet_share",
        "what of the machine users may expect, where order=slack, a formula, a tuning or a search goes by "
        "expected ends: as --share spells it, with more behind it, as in 1/10:batches=10m",
        words=("fair",),
        form="1/10, 64c256g or FILE.csv",
    ),
    Key(
        "bf",
        "balance factor of order=balanced: 1 goes by wait alone, 0 by the requested walltime alone",
        range=Range("real", 0, 1, 1, 0.05),
    ),
    Key(
        "window",
        "waiting jobs that are placed together: in the order of all that lets the last of them end first "
        "(of more than six jobs, in the best order found after as many trials as six jobs have)",
        range=Range("count", 1, 8, 8),
    ),
    Key(
        "tune",
        "what adapts at checks: bf is 0.5 while queue_depth is reached, else 1; window is 4 while 10 h of "
        "utilization are not above 24 h, else 1; 2d both; or TUNABLE:STEP:LOW..HIGH:CONDITION:INTERVAL, a "
        "condition like utilization_10h<=mean_24h, bounded_slowdown_50>20 or, to raise and to lower, "
        "queue_depth>=1000|<400; or with a target, like wait=600 or violated_50=0.1, STEP times the "
        "distance from it; several joined by ;",
        words=("none", "bf", "window", "2d"),
        form="bf:-0.5:0.5..1:queue_depth>=1000:30m",
    ),
    Key(
        "queue_depth",
        "threshold of tune=bf and 2d: minutes that all waiting jobs together have waited so far",
        range=Range("count", 0, 10**9, 10_000, 100),
    ),
    Key(
        "weights",
        "for order=priority, the sum of weight times factor, each 0 to 1: age wait / max_age; fairshare "
        "2^-(part of all usage / part of all shares); size r / R; small 1 - r / R; queue that of "
        "queue_priority",
        form="age=w;fairshare=w;size=w;small=w;queue=w",
    ),
    Key(
        "max_age",
        "for order=priority, the wait from which on a job's age counts in full",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
    ),
    Key(
        "queue_priority",
        "for order=priority, the factor of queues: 1 for the shortest median walltime down to 0 for the "
        "longest (walltime); or QUEUE@PRIORITY, each over the highest of them, 0 for other queues; or a "
        ".queues file of the Alea simulator",
        words=("walltime",),
        form="QUEUE@PRIORITY;QUEUE@PRIORITY",
    ),
    Key("max_user_jobs", "jobs of one user that run at once", range=_LIMIT, optional=True),
    Key("max_user_cpus", "processors that one user's jobs hold at once", range=_LIMIT, optional=True),
    Key("max_queue_cpus", "processors that the jobs of one queue hold at once", range=_LIMIT, optional=True),
    Key(
        "queue_limits",
        "processors that the jobs of some queues hold at once: QUEUE@PROCESSORS, or a .queues file of the "
        "Alea simulator, whose priorities are for queue_priority",
        words=("none",),
        form="QUEUE@PROCESSORS;QUEUE@PROCESSORS",
    ),
    Key(
        "queue_nodes",
        "queues whose jobs run on some node groups only: QUEUE@GROUP, groups by name or by number from 1",
        words=("any",),
        form="QUEUE@GROUP;QUEUE@GROUP+GROUP",
    ),
    Key(
        "pass_every",
        "passes are made at multiples of this interval after the first submission only",
        range=Range("duration", 1, MAX_SPAN, 10 * MINUTE, 10),
        optional=True,
    ),
    Key(
        "test_limit",
        "waiting jobs that one pass looks at",
        range=Range("count", 1, 10**9, 1000),
        optional=True,
    ),
    Key(
        "user_test_limit",
        "waiting jobs of one user that one pass looks at; it goes past the others, and they do not count "
        "for test_limit (Slurm's bf_max_job_user; its main scheduler may start the others all the same)",
        range=Range("count", 1, 10**9, 100),
        optional=True,
    ),
    Key(
        "horizon",
        "how far ahead a pass reserves: a blocked job that fits only later than this gets no reservation, "
        "and does not count for depth (Slurm's bf_window)",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        optional=True,
    ),
    Key(
        "resolution",
        "in reservations, ends of running and of reserved jobs count as the next multiple of this (Slurm's "
        "bf_resolution, which rounds begins and ends down, and lets them overlap)",
        range=Range("duration", 1, MAX_SPAN, HOUR, 10),
        optional=True,
    ),
    Key(
        "replan",
        "order in which kept reservations are moved forward after early ends, and made anew after "
        "overruns and failures: by submission, or by planned start",
        words=("submission", "planned"),
    ),
    Key(
        "gap",
        "for depth=kept, where a job that is planned goes: into the earliest gap, or the best one, in which "
        "the fewest processors stay idle beside it; after early ends jobs move to earlier ones",
        words=("earliest", "best"),
    ),
    Key(
        "search",
        "local search for a better plan: gap puts a job into the earliest gap; random puts one of two jobs "
        "first; tabu so with jobs not moved of late; annealing keeps some worse plans on the way; greedy "
        "plans all anew, first who gains most by a second for what the job holds",
        words=("none", "gap", "random", "tabu", "annealing", "greedy"),
    ),
    Key(
        "plan_depth",
        "for search=greedy, how many of the jobs that cannot start at once keep their places in the plan "
        "against others that could, first those that gain most: all, or a number",
        words=("all",),
        range=Range("count", 1, 10**6, 20),
    ),
    Key(
        "search_every",
        "interval of the searches; a job that ends so long before its planned end calls for one too",
        range=Range("duration", 1, MAX_SPAN, HOUR, MINUTE),
    ),
    Key("trials", "moves that one search tries", range=Range("count", 1, 10**6, 5000, 100)),
    Key(
        "criteria",
        "what a search improves, the sum of weight times relative gain: mean wait, response and bounded "
        "slowdown, mean and deviation of the users' normalized waits (nuwt_mean, nuwt_std), share of the "
        "jobs that are to end behind their expected ends (violated), mean tardiness, wait and response "
        "weighted by areas (awq, awf), the root of the sum of squared responses (response_l2), mean "
        "response against what the user's own share would give (fair_slowdown)",
        form="wait=w;slowdown=w;nuwt_std=w ...",
    ),
    Key(
        "on_failure",
        "what becomes of a job when a node fails under it: restart lets it wait again, at its place in the "
        "queue, and run from scratch; continue lets it run the rest, as from a checkpoint; lose gives it up",
        words=ON_FAILURE,
    ),
    Key(
        "max_restarts",
        "times that a job is started again after nodes failed under it; then it is given up",
        range=Range("count", 0, 10**6, 100),
    ),
    Key("n", "queues with prices, of order=queues; 1 is first come, first served", range=_QUEUES),
    Key(
        "prices",
        "for order=queues, a..b: the price of queue i, from 0 on, is a + i (b - a) / n",
        form="100..10000",
    ),
    Key(
        "valuation",
        "what jobs are worth to their users: normal, lognormal or uniform, each with two numbers, draws a "
        "value for each job, at least 100; column takes it from the log: runtime, walltime, procs, ram or "
        "status. All runs have metrics of value; order=queues and order=auction go by it",
        form="normal:MEAN:SD, lognormal:MEAN:SD, uniform:LOW:HIGH, column:NAME",
    ),
    Key("seed", "which values are drawn, and which moves a search tries", range=Range("count", 0, 10**9, 4)),
)
"""All keys, in the order of canonical spellings."""

KEY = {key.name: key for key in KEYS}


def _parse_switch(name: str, text: str) -> bool:
    if text.lower() in ("on", "true", "yes", "1"):
        return True
    if text.lower() in ("off", "false", "no", "0"):
        return False
    raise InputError(f"{name} cannot be {text!r}: it is on or off")
