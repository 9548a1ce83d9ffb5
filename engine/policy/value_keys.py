"""The keys of policies about values: priced queues, auctions, bids and payments."""

from __future__ import annotations

from engine.policy import unused
from engine.policy.bids import DENSITY, VALUE
from engine.policy.key import Key, Range
from engine.policy.names import KeyGroup
from engine.value.budget import parse_budget
from engine.value.fade import parse_fade
from engine.value.prices import parse_prices
from engine.value.valuation import parse_valuation

QUEUES = Key(
    KeyGroup.VALUE,
    "for order=queues, the number of queues with prices; 1 is first come, first served",
    range=Range("count", 1, 10**9, 5),
    unused=(unused.no_prices,),
)

PRICES = Key(
    KeyGroup.VALUE,
    "for order=queues, a..b: the price of queue i, counted from 0, is a + i (b - a) / n",
    syntax="100..10000",
    read=parse_prices,
    unused=(unused.no_prices,),
)

VALUATION = Key(
    KeyGroup.VALUE,
    "what each job is worth to its user: normal, lognormal or uniform, each with two numbers, draws a "
    "random value, at least 100; column takes it from the log: runtime, walltime, procs, ram or status."
    " Every run has metrics of value; order=queues and order=auction use the values",
    syntax="normal:MEAN:SD, lognormal:MEAN:SD, uniform:LOW:HIGH, column:NAME",
    read=parse_valuation,
)

FADE = Key(
    KeyGroup.VALUE,
    "share of its value that a job keeps if it starts after a wait: WAIT@SHARE;WAIT@SHARE, linear "
    "between the points, constant before the first and after the last, or falling on at the last slope "
    "with ;fall; a negative share is a penalty. The value of every run is then what is left at the "
    "starts, and bids fade too",
    words=("none",),
    syntax="1h@1;12h@0.5;3d@-0.2",
    read=parse_fade,
)

BIDS = Key(
    KeyGroup.VALUE,
    "for order=auction, what jobs bid: value what they are worth if they start now, at least 0; density "
    "that for each processor-second of their estimate",
    words=(VALUE, DENSITY),
    unused=(unused.no_auction,),
)

PAY = Key(
    KeyGroup.VALUE,
    "for order=auction, what a job pays at its start: bid what it is worth then; displaced the highest "
    "bid for each processor-second of the jobs that still wait after the pass and would have fitted in "
    "its place, times its own processor-seconds, at most its bid",
    words=("bid", "displaced"),
    unused=(unused.no_auction, unused.nobody_known_as_displaced),
)

BUDGET = Key(
    KeyGroup.VALUE,
    "for order=auction, the credits with which each user begins, of which jobs pay what they bid when they "
    "start; REFILL/INTERVAL more at each interval, up to CAP or, without one, up to the credits. A job bids "
    "at most what its user has left",
    words=("none",),
    syntax="CREDITS, CREDITS;REFILL/INTERVAL, CREDITS;REFILL/INTERVAL;CAP",
    read=parse_budget,
    unused=(unused.no_auction, unused.paid_after_the_run),
)

PREEMPT_VALUE = Key(
    KeyGroup.VALUE,
    "for order=auction, a job that does not fit may stop running ones whose bids at their starts, together "
    "and times this factor, are less than what it bids now: the newest first, none in vain, and only for "
    "jobs in front of the first that cannot start even so. Stopped jobs wait again, start anew or, with "
    "on_failure=continue, run their rest, and have paid",
    range=Range("real", 1, 1000, 10, 0.5),
    optional=True,
    unused=(unused.no_auction, unused.nobody_is_stopped),
)

SEED = Key(
    KeyGroup.RANDOM,
    "seed of the random values of jobs and of the random moves of a search",
    range=Range("count", 0, 10**9, 4),
)
