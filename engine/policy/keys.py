"""The table of all keys of policies.

An entry declares everything about a key: the type of its value, its default, its texts, how values are read
and written, its group and help in forms, and which values of other keys leave it without effect. Policies,
their spelling, forms, sliders, searches, the command line and the reference read this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.estimate.estimators import Estimate, parse_estimate
from engine.limits import MAX_SPAN
from engine.policy import unused
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
from engine.policy.names import CRITERIA, FACTORS, MOVING_ORDERS, ON_FAILURE, VALUE_ORDERS, Group
from engine.policy.penalty import PENALTIES
from engine.policy.queue_file import BY_WALLTIME, NO_LIMITS, read_limits, read_priorities
from engine.policy.share import FAIR, Share, parse_share
from engine.policy.share_file import EQUAL, UserShares, read_user_shares
from engine.policy.static_order import STATIC_ORDERS, TIES
from engine.policy.tuning import TuningScheme, parse_tunings
from engine.score.names import FUNCTIONS, VARIABLES
from engine.score.parse import Formula, parse_score
from engine.spelling import DAY, HOUR, MINUTE
from engine.value.prices import Prices, parse_prices
from engine.value.valuation import Valuation, parse_valuation

_read_weights = weights_reader("weights", FACTORS)
_read_criteria = weights_reader("criteria", CRITERIA)
_LIMIT = Range("count", 1, 10**9, 1000)
_QUEUES = Range("count", 1, 10**9, 5)


@dataclass(frozen=True)
class Keys:
    """The values of all keys of a policy, in the order of canonical spellings.

    Durations are in seconds, `queue_depth` in minutes; `preset` names the policy whose keys are changed.
    """

    preset: str
    order: str = Key(
        Group.ORDER,
        "queue order: fcfs by submission; sjf, ljf shortest, longest estimate E first; saf, laf smallest, "
        "largest area r E; widest, narrowest by processors r; fairshare the user with the smallest usage "
        "factor; balanced the highest S_p = bf S_w + (1 - bf) S_r, S_w = 100 wait / longest wait, S_r = 100 "
        "(L_max - L) / (L_max - L_min) over the waiting jobs; slack the earliest EET - E, the latest start "
        "that meets the user's expected end; nuwt the user who waited most for what was used so far, the "
        "sum of waits over the sum of P D; priority the highest sum of weighed factors; queues the dearest "
        "queue, where a job is in that with the highest price not above its value; auction the highest "
        "value, which is bid; score the highest value of a formula",
        words=(*STATIC_ORDERS, *MOVING_ORDERS, *VALUE_ORDERS, "score"),
    ).field("fcfs")
    score: Formula = Key(
        Group.ORDER,
        "for order=score, a formula of what is known of a waiting job, in quotes where it holds a comma: of "
        f"{', '.join(VARIABLES)}; with + - * / ^ < <= > >= == and or not, and {', '.join(FUNCTIONS)}",
        syntax="wait / walltime",
        formula=True,
        read=parse_score,
        unused=(unused.no_formula,),
    ).field(parse_score("wait"))
    depth: int | str = Key(
        Group.RESERVATIONS,
        "blocked jobs that get a reservation at a pass: stop ends the pass at the first one; 0 goes past "
        "it; 1 is EASY; all reserves for every job; kept also keeps reservations from pass to pass",
        words=("stop", "all", "kept"),
        range=Range("count", 0, 10**6, 20),
    ).field(1)
    backfill: str = Key(
        Group.RESERVATIONS,
        "order in which jobs behind the reservations are tried: the queue's own, or another one; sjf goes "
        "by the estimate alone",
        words=("queue", *STATIC_ORDERS),
        unused=(unused.no_backfilling,),
    ).field("queue")
    estimate: Estimate = Key(
        Group.ESTIMATES,
        "the scheduler's estimate of a job's runtime: requested the walltime L; actual the runtime D; "
        "scaledK K times D; last2 mean of the user's last two; hierarchy mean of the most similar jobs; "
        "survivalX a runtime that X % of similar jobs exceed; linear an online regression",
        words=("requested", "actual", "last2", "hierarchy", "linear"),
        families=(
            ("scaled", Range("real", 0.01, 100, 1.5, 0.05)),
            ("survival", Range("real", 0.001, 99.999, 2, 0.5)),
        ),
        read=parse_estimate,
    ).field(Estimate("requested"))
    estimate_once: bool = Key(
        Group.ESTIMATES,
        "keep the estimate made at submission, not a new one at each pass",
        switch=True,
        unused=(unused.first_estimate_lasts, unused.estimate_is_fixed),
    ).field(False)
    gate: bool = Key(
        Group.RESERVATIONS,
        "an arrival alone triggers a pass only where the new job fits into what is free at that moment",
        switch=True,
        unused=(unused.no_passes,),
    ).field(False)
    ties: str = Key(
        Group.ORDER,
        "among equal keys: first submitted first, or longest or shortest estimate, or most processors",
        words=tuple(TIES),
        unused=(unused.order_settles_ties,),
    ).field("fcfs")
    threshold: int | None = Key(
        Group.ORDER,
        "jobs that waited longer than this go first, by submission, so that none starves",
        range=Range("duration", 1, MAX_SPAN, 7 * DAY, HOUR),
        optional=True,
        unused=(unused.no_passes, unused.order_is_submission),
    ).field(None)
    relaxed: float | None = Key(
        Group.RESERVATIONS,
        "a reserved job may be delayed by x times (its first reserved start - its submission) so that more "
        "jobs can be backfilled",
        range=Range("real", 0, 1000, 2, 0.05),
        optional=True,
        unused=(unused.no_passes, unused.nothing_to_relax),
        single=True,
    ).field(None)
    placement: str = Key(
        Group.PLACEMENT,
        "nodes tried: first by number, best those with the fewest free CPUs, worst those with the most; "
        "contiguous whole nodes side by side",
        words=("first", "best", "worst", "contiguous"),
        needs="nodes",
    ).field("first")
    partitions: tuple[int, ...] = Key(
        Group.PLACEMENT,
        "for placement=contiguous, the numbers of nodes that a job may get: the next larger one, from a "
        "multiple of it on",
        words=("any",),
        syntax="1+2+4+8",
        read=read_partitions,
        write=format_partitions,
        needs="nodes of one kind",
    ).field(())
    constraints: bool = Key(
        Group.PLACEMENT,
        "obey what the log says of a job's nodes: properties that name node groups, host names, and #excl, "
        "by which each task takes a whole node",
        switch=True,
        needs="nodes, and demands of nodes in the log",
    ).field(False)
    penalty: str = Key(
        Group.FAIRSHARE,
        "how shares x of CPU and y of RAM weigh in a user's usage: cpu x; max the larger; sqrt 1 - "
        "sqrt((1-x)(1-y)); product 1 - (1-x)(1-y); equivalent largest share of a node times nodes",
        words=tuple(PENALTIES),
        unused=(unused.no_usage,),
    ).field("max")
    half_life: int | None = Key(
        Group.FAIRSHARE,
        "time in which past usage loses half its weight",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        optional=True,
        unused=(unused.no_decayed_usage,),
    ).field(3 * DAY)
    accrue: str = Key(
        Group.FAIRSHARE,
        "usage counts while a job runs, or when it ends",
        words=("always", "end"),
        unused=(unused.no_decayed_usage,),
    ).field("always")
    shares: UserShares = Key(
        Group.FAIRSHARE,
        "each user's share, by which usage is divided: equal, a CSV file with the columns user,share, or "
        "Alea's .users or .groups file",
        words=(EQUAL,),
        syntax="FILE.csv",
        read=read_user_shares,
        unused=(unused.no_decayed_usage,),
    ).field(UserShares())
    usage_of: str = Key(
        Group.FAIRSHARE,
        "whose usage counts: each user's, or that of all users of the job's group (Slurm's account) together",
        words=("user", "group"),
        needs="groups of users in the log",
        unused=(unused.no_decayed_usage,),
    ).field("user")
    eet_share: Share = Key(
        Group.FAIRSHARE,
        "what of the machine users may expect, where order=slack, a formula, a tuning or a search goes by "
        "expected ends: as --share spells it, with more behind it, as in 1/10:batches=10m",
        words=("fair",),
        label="Expected share",
        syntax="1/10, 64c256g or FILE.csv",
        read=parse_share,
        unused=(unused.no_expected_ends,),
    ).field(FAIR)
    bf: float = Key(
        Group.ORDER,
        "balance factor of order=balanced: 1 goes by wait alone, 0 by the requested walltime alone",
        range=Range("real", 0, 1, 1, 0.05),
        label="Balance factor",
        unused=(unused.no_balance,),
    ).field(1.0)
    window: int = Key(
        Group.ORDER,
        "waiting jobs that are placed together: in the order of all that lets the last of them end first "
        "(of more than six jobs, in the best order found after as many trials as six jobs have)",
        range=Range("count", 1, 8, 8),
        unused=(unused.jobs_placed_singly,),
    ).field(1)
    tune: TuningScheme = Key(
        Group.ORDER,
        "what adapts at checks: bf is 0.5 while queue_depth is reached, else 1; window is 4 while 10 h of "
        "utilization are not above 24 h, else 1; 2d both; or TUNABLE:STEP:LOW..HIGH:CONDITION:INTERVAL, a "
        "condition like utilization_10h<=mean_24h, bounded_slowdown_50>20 or, to raise and to lower, "
        "queue_depth>=1000|<400; or with a target, like wait=600 or violated_50=0.1, STEP times the "
        "distance from it; several joined by ;",
        words=("none", "bf", "window", "2d"),
        syntax="bf:-0.5:0.5..1:queue_depth>=1000:30m",
        read=parse_tunings,
    ).field(TuningScheme())
    queue_depth: int = Key(
        Group.ORDER,
        "threshold of tune=bf and 2d: minutes that all waiting jobs together have waited so far",
        range=Range("count", 0, 10**9, 10_000, 100),
        unused=(unused.no_queue_depth,),
    ).field(1000)
    weights: Weights = Key(
        Group.ORDER,
        "for order=priority, the sum of weight times factor, each 0 to 1: age wait / max_age; fairshare "
        "2^-(part of all usage / part of all shares); size r / R; small 1 - r / R; queue that of "
        "queue_priority",
        syntax="age=w;fairshare=w;size=w;small=w;queue=w",
        read=_read_weights,
        unused=(unused.no_factors,),
    ).field(_read_weights("age=1;fairshare=1"))
    max_age: int = Key(
        Group.ORDER,
        "for order=priority, the wait from which on a job's age counts in full",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        unused=(unused.no_factors, unused.no_age),
    ).field(7 * DAY)
    queue_priority: OfQueues[float] = Key(
        Group.PLACEMENT,
        "for order=priority, the factor of queues: 1 for the shortest median walltime down to 0 for the "
        "longest (walltime); or QUEUE@PRIORITY, each over the highest of them, 0 for other queues; or a "
        ".queues file of the Alea simulator",
        words=("walltime",),
        syntax="QUEUE@PRIORITY;QUEUE@PRIORITY",
        read=read_priorities,
        needs="queues in the log",
        unused=(unused.no_factors, unused.no_queue_factor),
    ).field(BY_WALLTIME)
    max_user_jobs: int | None = Key(
        Group.LIMITS,
        "jobs of one user that run at once",
        range=_LIMIT,
        optional=True,
        unused=(unused.no_passes,),
        single=True,
    ).field(None)
    max_user_cpus: int | None = Key(
        Group.LIMITS,
        "processors that one user's jobs hold at once",
        range=_LIMIT,
        optional=True,
        unused=(unused.no_passes,),
        single=True,
    ).field(None)
    max_queue_cpus: int | None = Key(
        Group.LIMITS,
        "processors that the jobs of one queue hold at once",
        range=_LIMIT,
        optional=True,
        needs="queues in the log",
        unused=(unused.no_passes,),
        single=True,
    ).field(None)
    queue_limits: OfQueues[int] = Key(
        Group.PLACEMENT,
        "processors that the jobs of some queues hold at once: QUEUE@PROCESSORS, or a .queues file of the "
        "Alea simulator, whose priorities are for queue_priority",
        words=("none",),
        syntax="QUEUE@PROCESSORS;QUEUE@PROCESSORS",
        read=read_limits,
        needs="queues in the log",
        unused=(unused.no_passes,),
        single=True,
    ).field(NO_LIMITS)
    queue_nodes: OfQueues[tuple[str, ...]] = Key(
        Group.PLACEMENT,
        "queues whose jobs run on some node groups only: QUEUE@GROUP, groups by name or by number from 1",
        words=("any",),
        syntax="QUEUE@GROUP;QUEUE@GROUP+GROUP",
        read=read_queue_nodes,
        needs="nodes, and queues in the log",
    ).field(ANY_NODES)
    pass_every: int | None = Key(
        Group.RESERVATIONS,
        "passes are made at multiples of this interval after the first submission only",
        range=Range("duration", 1, MAX_SPAN, 10 * MINUTE, 10),
        optional=True,
        unused=(unused.no_passes,),
    ).field(None)
    test_limit: int | None = Key(
        Group.LIMITS,
        "waiting jobs that a pass tries",
        range=Range("count", 1, 10**9, 1000),
        optional=True,
        unused=(unused.no_passes,),
        single=True,
    ).field(None)
    user_test_limit: int | None = Key(
        Group.LIMITS,
        "waiting jobs of one user that one pass looks at; it goes past the others, and they do not count "
        "for test_limit (Slurm's bf_max_job_user; its main scheduler may start the others all the same)",
        range=Range("count", 1, 10**9, 100),
        optional=True,
        unused=(unused.no_passes, unused.no_reservations),
        single=True,
    ).field(None)
    horizon: int | None = Key(
        Group.RESERVATIONS,
        "how far ahead a pass reserves: a blocked job that fits only later than this gets no reservation, "
        "and does not count for depth (Slurm's bf_window)",
        range=Range("duration", 1, MAX_SPAN, 14 * DAY, HOUR),
        optional=True,
        unused=(unused.no_passes, unused.no_reservations),
        single=True,
    ).field(None)
    resolution: int | None = Key(
        Group.RESERVATIONS,
        "in reservations, ends of running and of reserved jobs count as the next multiple of this (Slurm's "
        "bf_resolution, which rounds begins and ends down, and lets them overlap)",
        range=Range("duration", 1, MAX_SPAN, HOUR, 10),
        optional=True,
        unused=(unused.no_passes, unused.no_reservations),
        single=True,
    ).field(None)
    replan: str = Key(
        Group.PLANS,
        "order in which kept reservations are moved forward after early ends, and made anew after overruns "
        "and failures: by submission, or by planned start",
        words=("submission", "planned"),
        unused=(unused.no_lasting_plan,),
    ).field("submission")
    gap: str = Key(
        Group.PLANS,
        "for depth=kept, where a job that is planned goes: into the earliest gap, or the best one, in which "
        "the fewest processors stay idle beside it; after early ends jobs move to earlier ones",
        words=("earliest", "best"),
        unused=(unused.no_lasting_plan,),
    ).field("earliest")
    search: str = Key(
        Group.PLANS,
        "local search for a better plan: gap puts a job into the earliest gap; random puts one of two jobs "
        "first; tabu so with jobs not moved of late; annealing keeps some worse plans on the way; greedy "
        "plans all anew, first who gains most by a second for what the job holds",
        words=("none", "gap", "random", "tabu", "annealing", "greedy"),
        unused=(unused.no_lasting_plan, unused.plan_order_is_fixed),
    ).field("none")
    plan_depth: int | str = Key(
        Group.PLANS,
        "for search=greedy, how many of the jobs that cannot start at once keep their places in the plan "
        "against others that could, first those that gain most: all, or a number",
        words=("all",),
        range=Range("count", 1, 10**6, 20),
        unused=(unused.no_search, unused.search_is_local),
    ).field("all")
    search_every: int = Key(
        Group.PLANS,
        "interval of the searches; a job that ends so long before its planned end calls for one too",
        range=Range("duration", 1, MAX_SPAN, HOUR, MINUTE),
        unused=(unused.no_search,),
    ).field(5 * MINUTE)
    trials: int = Key(
        Group.PLANS,
        "moves that one search tries",
        range=Range("count", 1, 10**6, 5000, 100),
        unused=(unused.no_search, unused.search_is_greedy),
    ).field(500)
    criteria: Weights = Key(
        Group.PLANS,
        "what a search improves, the sum of weight times relative gain: mean wait, response and bounded "
        "slowdown, mean and deviation of the users' normalized waits (nuwt_mean, nuwt_std), share of the "
        "jobs that are to end behind their expected ends (violated), mean tardiness, wait and response "
        "weighted by areas (awq, awf), the root of the sum of squared responses (response_l2), mean "
        "response against what the user's own share would give (fair_slowdown). On two logs violated or "
        "tardiness alone made more jobs late than the default: weigh fair_slowdown beside them",
        syntax="wait=w;slowdown=w;nuwt_std=w ...",
        read=_read_criteria,
        unused=(unused.no_search,),
    ).field(_read_criteria("wait=1;response=1;slowdown=1;nuwt_mean=1;nuwt_std=1"))
    on_failure: str = Key(
        Group.LIMITS,
        "what becomes of a job when a node fails under it: restart lets it wait again, at its place in the "
        "queue, and run from scratch; continue lets it run the rest, as from a checkpoint; lose gives it up",
        words=ON_FAILURE,
        needs="nodes that fail",
    ).field("restart")
    max_restarts: int = Key(
        Group.LIMITS,
        "times that a job is started again after nodes failed under it; then it is given up",
        range=Range("count", 0, 10**6, 100),
        needs="nodes that fail",
        unused=(unused.no_restarts,),
    ).field(20)
    n: int = Key(
        Group.VALUE,
        "queues with prices, of order=queues; 1 is first come, first served",
        range=_QUEUES,
        label="Priced queues",
        unused=(unused.no_prices,),
    ).field(3)
    prices: Prices = Key(
        Group.VALUE,
        "for order=queues, a..b: the price of queue i, from 0 on, is a + i (b - a) / n",
        syntax="100..10000",
        read=parse_prices,
        unused=(unused.no_prices,),
    ).field(parse_prices("100..10000"))
    valuation: Valuation = Key(
        Group.VALUE,
        "what jobs are worth to their users: normal, lognormal or uniform, each with two numbers, draws a "
        "value for each job, at least 100; column takes it from the log: runtime, walltime, procs, ram or "
        "status. All runs have metrics of value; order=queues and order=auction go by it",
        syntax="normal:MEAN:SD, lognormal:MEAN:SD, uniform:LOW:HIGH, column:NAME",
        read=parse_valuation,
    ).field(parse_valuation("normal:5000:2000"))
    seed: int = Key(
        Group.VALUE,
        "which values are drawn, and which moves a search tries",
        range=Range("count", 0, 10**9, 4),
    ).field(0)


KEYS = keys_of(Keys)
"""All keys, in the order of canonical spellings."""

KEY = {key.name: key for key in KEYS}
