"""The table of all keys of policies.

An entry declares everything about a key: the type of its value, its default, its texts, how values are read
and written, its group and help in forms, and which values of other keys leave it without effect. Policies,
their spelling, forms, sliders, searches, the command line and the reference read this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.estimate.estimators import Estimate, parse_estimate
from engine.limits import MAX_SPAN
from engine.machine.power import PowerCap
from engine.policy import power_keys, unused, value_keys
from engine.policy.bids import VALUE
from engine.policy.key import Key, Range, keys_of
from engine.policy.key_values import (
    ANY_NODES,
    OfQueues,
    Weights,
    format_partitions,
    read_partitions,
    read_queue_nodes,
    weights_reader,
)
from engine.policy.names import CRITERIA, FACTORS, MOVING_ORDERS, ON_FAILURE, VALUE_ORDERS, KeyGroup
from engine.policy.penalty import PENALTIES
from engine.policy.queue_file import BY_WALLTIME, NO_LIMITS, read_limits, read_priorities
from engine.policy.share import FAIR, Share, parse_share
from engine.policy.share_file import EQUAL, UserShares, read_user_shares
from engine.policy.static_order import STATIC_ORDERS, TIES
from engine.policy.tuning import TuningScheme, parse_tunings
from engine.policy.unused import Rule
from engine.score.names import FUNCTIONS, VARIABLES
from engine.score.parse import Formula, parse_score
from engine.spelling import DAY, HOUR, MINUTE
from engine.value.budget import Budget
from engine.value.fade import Fade
from engine.value.prices import Prices, parse_prices
from engine.value.valuation import Valuation, parse_valuation

_read_weights = weights_reader("weights", FACTORS)
_read_criteria = weights_reader("criteria", CRITERIA)
_LIMIT = Range("count", 1, 10**9, 1000)


def _limit(
    group: KeyGroup, help: str, range: Range = _LIMIT, needs: str = "", rules: tuple[Rule, ...] = ()
) -> int | None:
    """A key without a limit by default; it has no effect without passes, nor where one of `rules` holds."""
    rules = (unused.no_passes, *rules)
    key = Key(group, help, range=range, optional=True, needs=needs, unused=rules, single=True)
    return key.field(None)


@dataclass(frozen=True)
class Keys:
    """The values of all keys of a policy, in the order of canonical spellings.

    Durations are in seconds, `queue_depth` in minutes; `preset` names the policy whose keys are changed.
    """

    preset: str
    order: str = Key(
        KeyGroup.ORDER,
        "order of the queue: fcfs first submitted first; sjf, ljf shortest or longest estimated runtime E; "
        "saf, laf smallest or largest area r E; widest, narrowest most or fewest processors r; fairshare "
        "the user with the smallest usage factor; balanced highest S_p = bf S_w + (1 - bf) S_r, where S_w ="
        " 100 wait / longest wait and S_r = 100 (L_max - L) / (L_max - L_min) over the waiting jobs; slack "
        "smallest EET - E, the latest start that meets the expected end; nuwt the user with the largest sum"
        " of waits / sum of P D; priority largest weighted sum of factors; queues the most expensive queue,"
        " where each job is in the most expensive queue that its value can pay; auction the highest value, "
        "which is the bid; score the highest value of a formula",
        words=(*STATIC_ORDERS, *MOVING_ORDERS, *VALUE_ORDERS, "score"),
    ).field("fcfs")
    score: Formula = Key(
        KeyGroup.ORDER,
        "for order=score, a formula of what is known of a waiting job, in double quotes if it contains a "
        f"comma. Variables: {', '.join(VARIABLES)}; operators: + - * / ^ < <= > >= == and or not; functions: "
        f"{', '.join(FUNCTIONS)}",
        syntax="wait / walltime",
        formula=True,
        read=parse_score,
        unused=(unused.no_formula,),
    ).field(parse_score("wait"))
    depth: int | str = Key(
        KeyGroup.RESERVATIONS,
        "how many blocked jobs get a reservation in a pass: stop ends the pass at the first blocked job; 0 "
        "skips blocked jobs without a reservation; 1 is EASY; all reserves for every job; kept also keeps "
        "reservations from pass to pass",
        words=("stop", "all", "kept"),
        range=Range("count", 0, 10**6, 20),
    ).field(1)
    backfill: str = Key(
        KeyGroup.RESERVATIONS,
        "order in which jobs are tried for backfilling: that of the queue, or another one; sjf uses the "
        "estimated runtime alone",
        words=("queue", *STATIC_ORDERS),
        unused=(unused.no_backfilling,),
    ).field("queue")
    estimate: Estimate = Key(
        KeyGroup.ESTIMATES,
        "how the scheduler estimates the runtime of a job: requested the walltime L; actual the runtime D; "
        "scaledK K times D; last2 the mean of the user's last two jobs; hierarchy the mean of the most "
        "similar jobs; survivalX the runtime that X % of similar jobs exceed; linear an online regression",
        words=("requested", "actual", "last2", "hierarchy", "linear"),
        families=(
            ("scaled", Range("real", 0.01, 100, 1.5, 0.05)),
            ("survival", Range("real", 0.001, 99.999, 2, 0.5)),
        ),
        read=parse_estimate,
    ).field(Estimate("requested"))
    estimate_once: bool = Key(
        KeyGroup.ESTIMATES,
        "keep the estimate made at submission instead of estimating again in each pass",
        switch=True,
        unused=(unused.first_estimate_lasts, unused.estimate_is_fixed),
    ).field(False)
    gate: bool = Key(
        KeyGroup.RESERVATIONS,
        "a submission triggers a pass only if the new job fits into the resources that are free then",
        switch=True,
        unused=(unused.no_passes,),
    ).field(False)
    ties: str = Key(
        KeyGroup.ORDER,
        "order of jobs with equal keys: first submitted, longest or shortest estimate, or most processors "
        "first",
        words=tuple(TIES),
        unused=(unused.order_settles_ties,),
    ).field("fcfs")
    threshold: int | None = Key(
        KeyGroup.ORDER,
        "jobs that have waited longer than this go first, by submission, so that no job starves",
        range=Range("duration", 1, MAX_SPAN, 7 * DAY, HOUR),
        optional=True,
        unused=(unused.no_passes, unused.order_is_submission),
    ).field(None)
    relaxed: float | None = Key(
        KeyGroup.RESERVATIONS,
        "factor x: a reserved job may be delayed by x times (its first reserved start - its submission), so"
        " that more jobs can be backfilled",
        range=Range("real", 0, 1000, 2, 0.05),
        optional=True,
        unused=(unused.no_passes, unused.nothing_to_relax),
        single=True,
    ).field(None)
    placement: str = Key(
        KeyGroup.PLACEMENT,
        "which nodes are tried first: first the lowest number; best the fewest free CPUs; worst the most "
        "free CPUs; contiguous takes whole adjacent nodes; reliable those with the fewest failures so far a "
        "day up, which needs nodes that fail",
        words=("first", "best", "worst", "contiguous", "reliable"),
        needs="nodes",
    ).field("first")
    partitions: tuple[int, ...] = Key(
        KeyGroup.PLACEMENT,
        "for placement=contiguous, the numbers of nodes that a job may get: the smallest one that is large "
        "enough, starting at a node whose number is a multiple of it",
        words=("any",),
        syntax="1+2+4+8",
        read=read_partitions,
        write=format_partitions,
        needs="nodes of one kind",
    ).field(())
    constraints: bool = Key(
        KeyGroup.PLACEMENT,
        "obey the node requests in the log: properties that name node groups, host names, and #excl, which "
        "gives each task a whole node",
        switch=True,
        needs="nodes, and demands of nodes in the log",
    ).field(False)
    penalty: str = Key(
        KeyGroup.FAIRSHARE,
        "how shares x of CPU and y of RAM count as usage: cpu x; max the larger of both; sqrt 1 - "
        "sqrt((1-x)(1-y)); product 1 - (1-x)(1-y); equivalent largest share of a node times nodes",
        words=tuple(PENALTIES),
        unused=(unused.no_usage,),
    ).field("max")
    half_life: int | None = Key(
        KeyGroup.FAIRSHARE,
        "time after which past usage counts half",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        optional=True,
        unused=(unused.no_decayed_usage,),
    ).field(3 * DAY)
    accrue: str = Key(
        KeyGroup.FAIRSHARE,
        "when usage is counted: always while a job runs, or at its end",
        words=("always", "end"),
        unused=(unused.no_decayed_usage,),
    ).field("always")
    shares: UserShares = Key(
        KeyGroup.FAIRSHARE,
        "share of each user, by which usage is divided: equal, a CSV file with the columns user,share, or "
        "Alea's .users or .groups file",
        words=(EQUAL,),
        syntax="FILE.csv",
        read=read_user_shares,
        unused=(unused.no_decayed_usage,),
    ).field(UserShares())
    usage_of: str = Key(
        KeyGroup.FAIRSHARE,
        "whose usage counts: that of the job's user, or of all users in the job's group (Slurm's account)",
        words=("user", "group"),
        needs="groups of users in the log",
        unused=(unused.no_decayed_usage,),
    ).field("user")
    eet_share: Share = Key(
        KeyGroup.FAIRSHARE,
        "the share of the machine that users may expect, from which expected ends follow where order=slack,"
        " a formula, a tuning or a search uses them: as for --share, also with options, as in "
        "1/10:batches=10m",
        words=("fair",),
        syntax="1/10, 64c256g or FILE.csv",
        read=parse_share,
        unused=(unused.no_expected_ends,),
    ).field(FAIR)
    bf: float = Key(
        KeyGroup.ORDER,
        "balance factor of order=balanced: 1 sorts by wait alone, 0 by requested walltime alone",
        range=Range("real", 0, 1, 1, 0.05),
        unused=(unused.no_balance,),
    ).field(1.0)
    window: int = Key(
        KeyGroup.ORDER,
        "number of waiting jobs placed together, in that of all their orders in which the last of them ends"
        " first (of more than eight jobs, among the orders with one job moved forward, and that with the"
        " longest first)",
        range=Range("count", 1, 20, 20),
        unused=(unused.jobs_placed_singly,),
    ).field(1)
    tune: TuningScheme = Key(
        KeyGroup.ORDER,
        "rules that adapt a key at intervals: bf is 0.5 while the queue depth is at least queue_depth, else"
        " 1; window is 4 while the utilization of the last 10 h is not above that of 24 h, else 1; 2d both."
        " Or TUNABLE:STEP:LOW..HIGH:CONDITION:INTERVAL, with a condition such as utilization_10h<=mean_24h "
        "or bounded_slowdown_50>20, with two thresholds, to raise and to lower, such as "
        "queue_depth>=1000|<400, or with a target such as wait=600 or violated_50=0.1, where the change is "
        "STEP times the distance from it; KP/KI in place of STEP is a controller that also sums the "
        "distances; several rules are joined by ;",
        words=("none", "bf", "window", "2d"),
        syntax="bf:-0.5:0.5..1:queue_depth>=1000:30m",
        read=parse_tunings,
    ).field(TuningScheme())
    queue_depth: int = Key(
        KeyGroup.ORDER,
        "threshold of tune=bf and 2d: the sum of the waits so far of all waiting jobs, in minutes",
        range=Range("count", 0, 10**9, 10_000, 100),
        unused=(unused.no_queue_depth,),
    ).field(1000)
    weights: Weights = Key(
        KeyGroup.ORDER,
        "for order=priority, the sum of weight times factor; factors are 0 to 1: age wait / max_age; "
        "fairshare 2^-(part of all usage / part of all shares); size r / R; small 1 - r / R; queue as "
        "queue_priority says",
        syntax="age=w;fairshare=w;size=w;small=w;queue=w",
        read=_read_weights,
        unused=(unused.no_factors,),
    ).field(_read_weights("age=1;fairshare=1"))
    max_age: int = Key(
        KeyGroup.ORDER,
        "for order=priority, the wait from which the age factor is 1",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        unused=(unused.no_factors, unused.no_age),
    ).field(7 * DAY)
    queue_priority: OfQueues[float] = Key(
        KeyGroup.PLACEMENT,
        "for order=priority, the queue factor: walltime gives 1 to the queue with the shortest median "
        "walltime down to 0 for the longest; QUEUE@PRIORITY is divided by the highest priority, and other "
        "queues get 0; or a .queues file of the Alea simulator",
        words=("walltime",),
        syntax="QUEUE@PRIORITY;QUEUE@PRIORITY",
        read=read_priorities,
        needs="queues in the log",
        unused=(unused.no_factors, unused.no_queue_factor),
    ).field(BY_WALLTIME)
    max_user_jobs: int | None = _limit(KeyGroup.LIMITS, "most jobs of one user that run at the same time")
    max_user_cpus: int | None = _limit(
        KeyGroup.LIMITS, "most processors that the jobs of one user use at the same time"
    )
    max_queue_cpus: int | None = _limit(
        KeyGroup.LIMITS,
        "most processors that the jobs of one queue use at the same time",
        needs="queues in the log",
    )
    queue_limits: OfQueues[int] = Key(
        KeyGroup.PLACEMENT,
        "most processors that the jobs of single queues use at the same time: QUEUE@PROCESSORS, or a "
        ".queues file of the Alea simulator, whose priorities are for queue_priority",
        words=("none",),
        syntax="QUEUE@PROCESSORS;QUEUE@PROCESSORS",
        read=read_limits,
        needs="queues in the log",
        unused=(unused.no_passes,),
        single=True,
    ).field(NO_LIMITS)
    queue_nodes: OfQueues[tuple[str, ...]] = Key(
        KeyGroup.PLACEMENT,
        "node groups on which the jobs of a queue may run: QUEUE@GROUP, groups by name or by number from 1",
        words=("any",),
        syntax="QUEUE@GROUP;QUEUE@GROUP+GROUP",
        read=read_queue_nodes,
        needs="nodes, and queues in the log",
    ).field(ANY_NODES)
    power_cap: PowerCap = power_keys.POWER_CAP.field(None)
    power_off: int | None = power_keys.POWER_OFF.field(None)
    price_below: float | None = power_keys.PRICE_BELOW.field(None)
    price_jobs: Formula | None = power_keys.PRICE_JOBS.field(None)
    price_wait: int = power_keys.PRICE_WAIT.field(DAY)
    pass_every: int | None = Key(
        KeyGroup.RESERVATIONS,
        "passes are made only at multiples of this interval, counted from the first submission",
        range=Range("duration", 1, MAX_SPAN, 10 * MINUTE, 10),
        optional=True,
        unused=(unused.no_passes,),
    ).field(None)
    test_limit: int | None = _limit(
        KeyGroup.LIMITS,
        "most waiting jobs that a pass tries to start",
        Range("count", 1, 10**9, 1000),
    )
    user_test_limit: int | None = _limit(
        KeyGroup.LIMITS,
        "most waiting jobs of one user that a pass tries to start; further ones are skipped and do not "
        "count for test_limit (Slurm's bf_max_job_user; Slurm's main scheduler may start them nevertheless)",
        Range("count", 1, 10**9, 100),
        rules=(unused.no_reservations,),
    )
    horizon: int | None = _limit(
        KeyGroup.RESERVATIONS,
        "how far ahead a pass reserves: a blocked job that would start later than this gets no reservation "
        "and does not count for depth (Slurm's bf_window)",
        Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        rules=(unused.no_reservations,),
    )
    resolution: int | None = _limit(
        KeyGroup.RESERVATIONS,
        "for reservations, the ends of running and reserved jobs are rounded up to a multiple of this "
        "(Slurm's bf_resolution rounds begins and ends down, so that reservations may overlap)",
        Range("duration", 1, MAX_SPAN, HOUR, 10),
        rules=(unused.no_reservations,),
    )
    replan: str = Key(
        KeyGroup.PLANS,
        "order in which kept reservations are moved forward after early ends, and made anew after overruns "
        "and failures: by submission or by planned start",
        words=("submission", "planned"),
        unused=(unused.no_lasting_plan,),
    ).field("submission")
    gap: str = Key(
        KeyGroup.PLANS,
        "for depth=kept, where a new job is planned: in the earliest gap, or in the best one, which leaves "
        "the fewest processors idle; after early ends jobs move to earlier gaps, and after each end a job "
        "that could start now does so",
        words=("earliest", "best"),
        unused=(unused.no_lasting_plan,),
    ).field("earliest")
    search: str = Key(
        KeyGroup.PLANS,
        "search for a better plan: gap moves a job to the earliest gap; random moves one job ahead of "
        "another; tabu does so with jobs that it has not moved recently; annealing also accepts some worse "
        "plans; greedy plans all jobs again, first those that gain most per second and resource that they "
        "use",
        words=("none", "gap", "random", "tabu", "annealing", "greedy"),
        unused=(unused.no_lasting_plan, unused.plan_order_is_fixed),
    ).field("none")
    plan_depth: int | str = Key(
        KeyGroup.PLANS,
        "for search=greedy, how many of the jobs that cannot start at once keep their planned starts, so "
        "that jobs that could start do not delay them; those that gain most come first: all, or a number",
        words=("all",),
        range=Range("count", 1, 10**6, 20),
        unused=(unused.no_search, unused.search_is_local),
    ).field("all")
    search_every: int = Key(
        KeyGroup.PLANS,
        "interval between searches; a job that ends this long before its planned end also triggers one",
        range=Range("duration", 1, MAX_SPAN, HOUR, MINUTE),
        unused=(unused.no_search,),
    ).field(5 * MINUTE)
    trials: int = Key(
        KeyGroup.PLANS,
        "number of moves that a search tries",
        range=Range("count", 1, 10**6, 5000, 100),
        unused=(unused.no_search, unused.search_is_greedy),
    ).field(500)
    criteria: Weights = Key(
        KeyGroup.PLANS,
        "what a search improves, the sum of weight times relative gain: mean wait, response and bounded "
        "slowdown (slowdown), mean and standard deviation of the users' normalized waits (nuwt_mean, "
        "nuwt_std), share of the jobs planned to end after their expected ends (violated), mean tardiness, "
        "area-weighted wait and response (awq, awf), root of the sum of squared responses (response_l2), "
        "mean response relative to that on the user's own share (fair_slowdown). On two logs violated or "
        "tardiness alone made more jobs late than the default: combine them with fair_slowdown",
        syntax="wait=w;slowdown=w;nuwt_std=w ...",
        read=_read_criteria,
        unused=(unused.no_search,),
    ).field(_read_criteria("wait=1;response=1;slowdown=1;nuwt_mean=1;nuwt_std=1"))
    on_failure: str = Key(
        KeyGroup.LIMITS,
        "what happens to a job when one of its nodes fails, or it is stopped for another: restart puts it "
        "back into its place in the queue, to run from the start; continue lets it run the rest, as from a "
        "checkpoint; lose gives up jobs of failed nodes",
        words=ON_FAILURE,
        needs="nodes that fail",
    ).field("restart")
    max_restarts: int = Key(
        KeyGroup.LIMITS,
        "how often a job is restarted after node failures before it is given up",
        range=Range("count", 0, 10**6, 100),
        needs="nodes that fail",
        unused=(unused.no_restarts,),
    ).field(20)
    n: int = value_keys.QUEUES.field(3)
    prices: Prices = value_keys.PRICES.field(parse_prices("100..10000"))
    valuation: Valuation = value_keys.VALUATION.field(parse_valuation("normal:5000:2000"))
    fade: Fade = value_keys.FADE.field(Fade())
    bids: str = value_keys.BIDS.field(VALUE)
    pay: str = value_keys.PAY.field("bid")
    budget: Budget = value_keys.BUDGET.field(Budget())
    preempt_value: float | None = value_keys.PREEMPT_VALUE.field(None)
    seed: int = value_keys.SEED.field(0)


KEYS = keys_of(Keys)
"""All keys, in the order of canonical spellings."""

KEY = {key.name: key for key in KEYS}


def unused_keys(values: Keys) -> dict[str, str]:
    """Keys without an effect given the values of the other keys, each with the reason."""
    return {key.name: why for key in KEYS if (why := key.why_unused(values))}
