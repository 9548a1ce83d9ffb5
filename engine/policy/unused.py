"""Rules by which values of a policy leave another key without an effect.

Each rule takes the values of all keys and returns the reason, or an empty text where it does not apply.
The table of keys names the rules of each key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.estimate.estimators import Estimate
from engine.machine.power import SERIES, PowerCap
from engine.policy.key_values import OfQueues, Weights
from engine.policy.names import CRITERIA_OF_ENDS
from engine.policy.static_order import STATIC_ORDERS
from engine.policy.tuning import TuningScheme
from engine.score.parse import Formula


class Values(Protocol):
    """The values of the keys on which rules depend."""

    @property
    def order(self) -> str:
        """The queue order."""

    @property
    def score(self) -> Formula:
        """The formula of order=score."""

    @property
    def depth(self) -> int | str:
        """The number of reservations, or stop, all or kept."""

    @property
    def estimate(self) -> Estimate:
        """The estimate."""

    @property
    def tune(self) -> TuningScheme:
        """The tunables that adapt."""

    @property
    def weights(self) -> Weights:
        """The weights of factors."""

    @property
    def replan(self) -> str:
        """The order in which plans are made again."""

    @property
    def search(self) -> str:
        """The search for better plans."""

    @property
    def criteria(self) -> Weights:
        """The weights of criteria of plans."""

    @property
    def on_failure(self) -> str:
        """The handling of a job whose node fails."""

    @property
    def window(self) -> int:
        """The number of jobs that are placed together."""

    @property
    def backfill(self) -> str:
        """The order of backfilling."""

    @property
    def relaxed(self) -> float | None:
        """By how much a reservation may be delayed."""

    @property
    def test_limit(self) -> int | None:
        """The number of jobs that a pass tries."""

    @property
    def user_test_limit(self) -> int | None:
        """The same of a user."""

    @property
    def horizon(self) -> int | None:
        """How far ahead reservations are made, s."""

    @property
    def resolution(self) -> int | None:
        """The steps of their ends, s."""

    @property
    def max_user_jobs(self) -> int | None:
        """The number of jobs of a user that run."""

    @property
    def max_user_cpus(self) -> int | None:
        """Their processors."""

    @property
    def max_queue_cpus(self) -> int | None:
        """Those of the jobs of a queue."""

    @property
    def queue_limits(self) -> OfQueues[int]:
        """Those of single queues."""

    @property
    def power_cap(self) -> PowerCap:
        """The cap on power."""

    @property
    def price_below(self) -> float | None:
        """The price of energy that jobs wait for."""

    @property
    def pay(self) -> str:
        """What jobs of an auction pay."""

    @property
    def power_off(self) -> int | None:
        """After how long idle nodes are switched off, s."""

    @property
    def preempt_value(self) -> float | None:
        """By how much more a job bids than those that it stops."""


Rule = Callable[[Values], str]


def order_settles_ties(values: Values) -> str:
    """The reason why the order leaves no ties: it has two sort keys, or none from the job's request."""
    if len(STATIC_ORDERS.get(values.order, ())) == 1:
        return ""
    return f"order={values.order} settles ties itself"


def order_is_submission(values: Values) -> str:
    """The reason why no job can starve: the order is that of submission."""
    return "order=fcfs goes by submission anyway" if values.order == "fcfs" else ""


def no_factors(values: Values) -> str:
    """Only order=priority weighs factors."""
    return "" if values.order == "priority" else f"order={values.order} weighs no factors"


def no_age(values: Values) -> str:
    """The weights do not name the age."""
    return "" if "age" in values.weights else f"weights={values.weights} leave age out"


def no_queue_factor(values: Values) -> str:
    """The weights do not name the queue."""
    return "" if "queue" in values.weights else f"weights={values.weights} leave queues out"


def no_formula(values: Values) -> str:
    """The queue order is not a formula."""
    return "" if values.order == "score" else f"order={values.order} goes by no formula"


def no_prices(values: Values) -> str:
    """The queue order has no priced queues."""
    return "" if values.order == "queues" else f"order={values.order} has no queues with prices"


def no_auction(values: Values) -> str:
    """The queue order is not an auction."""
    return "" if values.order == "auction" else f"order={values.order} takes no bids"


def nobody_known_as_displaced(values: Values) -> str:
    """More than who runs and who waits decides who else could have started."""
    if values.depth not in ("stop", 0, 1) or values.backfill != "queue" or values.relaxed is not None:
        return "who is displaced is only known beside one reservation, with depth=stop, 0 or 1"
    if values.window > 1 or "window" in values.tune.tunables:
        return "who is displaced is not known where several jobs are placed together"
    if values.estimate.learns:
        return "who is displaced is not known where estimates are learned"
    limits = (values.max_user_jobs, values.max_user_cpus, values.max_queue_cpus, values.test_limit)
    bounds = (values.user_test_limit, values.horizon, values.resolution)
    if values.queue_limits or any(limit is not None for limit in (*limits, *bounds)):
        return "who is displaced is not known where limits hold jobs"
    if values.preempt_value is not None:
        return "who is displaced is not known where jobs are stopped for others"
    if values.price_below is not None or values.power_cap == SERIES:
        return "who is displaced is not known where prices of energy or caps on power change by the clock"
    return ""


def nobody_is_stopped(values: Values) -> str:
    """Jobs are not started one by one from the front of the queue."""
    if values.depth not in ("stop", 0, 1) or values.relaxed is not None:
        return "jobs are stopped for others beside one reservation, with depth=stop, 0 or 1"
    if values.window > 1 or "window" in values.tune.tunables:
        return "no job is stopped for another where several are placed together"
    if any(limit is not None for limit in (values.test_limit, values.user_test_limit)):
        return "no job is stopped for another where passes try some jobs alone"
    if values.horizon is not None or values.resolution is not None or values.power_cap == SERIES:
        return "no job is stopped for another where reservations are made in a plan"
    if values.power_off is not None:
        return "no job is stopped for another where idle nodes are switched off"
    return ""


def paid_after_the_run(values: Values) -> str:
    """What jobs pay is worked out when all starts are known, too late for a budget."""
    return "" if values.pay == "bid" else f"with pay={values.pay} payments are known after the run alone"


def no_balance(values: Values) -> str:
    """The queue order has no balance factor."""
    return "" if values.order == "balanced" else f"order={values.order} balances nothing"


def no_usage(values: Values) -> str:
    """Nothing depends on how much a job counts in its user's usage."""
    if values.search != "none":
        return ""  # users' normalized waits, which plans are judged by, depend on it
    by_formula = values.order == "score" and "usage" in values.score.names
    if by_formula or values.order in ("fairshare", "priority", "nuwt"):
        return ""
    return f"order={values.order} does not go by usage"


def no_decayed_usage(values: Values) -> str:
    """Nothing depends on usage that is divided by shares and forgotten with time."""
    if values.order == "nuwt":
        return "order=nuwt forgets no usage, and knows no shares"
    if values.order == "priority":
        return "" if "fairshare" in values.weights else f"weights={values.weights} leave usage out"
    by_formula = values.order == "score" and "usage" in values.score.names
    if by_formula or values.order == "fairshare":
        return ""
    return f"order={values.order} does not go by usage"


def no_expected_ends(values: Values) -> str:
    """Nothing depends on the ends that users may expect of their jobs."""
    by_formula = values.order == "score" and "slack" in values.score.names
    by_search = values.search != "none" and any(name in values.criteria for name in CRITERIA_OF_ENDS)
    if by_formula or by_search or values.order == "slack" or "violated" in values.tune.monitors:
        return ""
    return "nothing goes by the ends that users may expect"


def no_queue_depth(values: Values) -> str:
    """No tuning of the paper compares the queue depth with this threshold."""
    if values.tune.has_queue_depth:
        return ""
    return f"it is the threshold of tune=bf and tune=2d, not of tune={values.tune}"


def estimate_is_fixed(values: Values) -> str:
    """The estimate of a job never changes."""
    return "" if values.estimate.learns else f"estimate={values.estimate} never changes"


def no_search(values: Values) -> str:
    """No better plan is searched for."""
    return "search=none searches for no better plan" if values.search == "none" else ""


def search_is_greedy(values: Values) -> str:
    """The greedy search makes a single plan and tries no moves."""
    return "search=greedy tries no moves" if values.search == "greedy" else ""


def search_is_local(values: Values) -> str:
    """A local search changes a plan."""
    return "" if values.search == "greedy" else f"search={values.search} makes no plan anew as a whole"


def plan_order_is_fixed(values: Values) -> str:
    """A search finds an order of jobs that only replan=planned preserves."""
    if values.search == "none" or values.replan == "planned":
        return ""
    return f"replan={values.replan} plans in another order than the search finds"


def no_restarts(values: Values) -> str:
    """The reason why jobs are never restarted: those whose node fails are lost."""
    return "on_failure=lose starts no job again" if values.on_failure == "lose" else ""


def jobs_placed_singly(values: Values) -> str:
    """The reason why jobs are placed one by one: windows need depth 1 or all."""
    if values.depth in (1, "all"):
        return ""
    return f"depth={values.depth} places jobs one by one"


def no_backfilling(values: Values) -> str:
    """No job can be started ahead of its turn by an order of its own."""
    if values.depth == "stop":
        return "depth=stop lets nothing pass a blocked job"
    if values.depth in ("all", "kept"):
        return f"depth={values.depth} reserves for every job, so nothing is left to backfill"
    return ""


def nothing_to_relax(values: Values) -> str:
    """There is no reservation that could be delayed."""
    if values.depth in ("stop", 0):
        return f"depth={values.depth} makes no reservations that it could relax"
    return ""


def no_reservations(values: Values) -> str:
    """Passes make no reservations."""
    if values.depth in ("stop", 0):
        return f"it is about passes that reserve, and depth={values.depth} does not"
    return ""


def no_lasting_plan(values: Values) -> str:
    """Reservations are made again at each pass."""
    return "" if values.depth == "kept" else f"depth={values.depth} keeps no plan from pass to pass"


def no_passes(values: Values) -> str:
    """Jobs start at planned times."""
    return "depth=kept starts jobs at planned times, not at passes" if values.depth == "kept" else ""


def no_price_below(values: Values) -> str:
    """No job waits for cheap energy."""
    return "no job waits for cheap energy without price_below" if values.price_below is None else ""


def first_estimate_lasts(values: Values) -> str:
    """A plan is made with the estimate at submission."""
    if values.depth == "kept":
        return "depth=kept keeps the estimate made at submission anyway"
    return ""
