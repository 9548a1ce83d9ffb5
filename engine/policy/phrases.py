"""Keys of policies in plain words: a title for each key, and a phrase for each of its values.

Forms and sliders show the title with the key behind it; tables, tooltips and lists of runs say what a value
does. Numbers and durations stand in a phrase as policies spell them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.policy.keys import KEY, KEYS
from engine.policy.policy import Policy, parse_policy

_NUMBER, _TEXT = "#", "*"
"""The entries of phrases for a number, and for a text that is neither a word nor a number."""


@dataclass(frozen=True)
class KeyWords:
    """A key in words: its title, and a phrase for each value, in which `{}` is the number or the text.

    A value without a phrase of its own has that of a number (`#`) or of any other text (`*`).
    """

    title: str
    phrases: dict[str, str]


_FIRST = {
    "fcfs": "first submitted first",
    "sjf": "shortest estimate first",
    "ljf": "longest estimate first",
    "saf": "smallest area (processors times estimate) first",
    "laf": "largest area (processors times estimate) first",
    "widest": "most processors first",
    "narrowest": "fewest processors first",
}
"""What comes first in the static orders."""


def _optional(absent: str, present: str) -> dict[str, str]:
    """The phrases of a key that may have no number."""
    return {"none": absent, _NUMBER: present}


IN_WORDS: dict[str, KeyWords] = {
    "order": KeyWords(
        "Order of the queue",
        {
            **_FIRST,
            "fairshare": "the user with the smallest usage first",
            "balanced": "a balance of longest wait and shortest walltime first",
            "slack": "the least time left to the expected end first",
            "nuwt": "the user with the largest normalized wait first",
            "priority": "the largest weighted sum of factors first",
            "queues": "the most expensive priced queue first",
            "auction": "the highest bid first",
            "score": "the highest value of a formula first",
        },
    ),
    "score": KeyWords("Formula of the order", {_TEXT: "the highest {} first"}),
    "depth": KeyWords(
        "Reserved blocked jobs",
        {
            "stop": "no job passes a blocked job",
            "0": "no reservations: each job that fits may pass",
            "1": "a reservation for the first blocked job",
            _NUMBER: "reservations for the first {} blocked jobs",
            "all": "a reservation for every blocked job, made anew in each pass",
            "kept": "a reservation for every job, kept from pass to pass",
        },
    ),
    "backfill": KeyWords(
        "Order of backfilling",
        {"queue": "backfilled in the order of the queue"}
        | {name: f"backfilled {words}" for name, words in _FIRST.items()},
    ),
    "estimate": KeyWords(
        "Runtime estimate",
        {
            "requested": "jobs are planned by their requested walltime",
            "actual": "jobs are planned by their true runtime",
            "last2": "jobs are planned by the mean of their user's last two runtimes",
            "hierarchy": "jobs are planned by the mean runtime of the most similar jobs",
            "linear": "jobs are planned by a regression over earlier jobs",
            "scaled": "jobs are planned by {} times their true runtime",
            "survival": "jobs are planned by the runtime that {} % of similar jobs exceed",
        },
    ),
    "estimate_once": KeyWords(
        "Keep the first estimate",
        {"on": "the estimate at submission stays", "off": "jobs are estimated again in each pass"},
    ),
    "gate": KeyWords(
        "Passes only for jobs that fit",
        {"on": "a submission triggers a pass only if the job fits", "off": "each submission triggers a pass"},
    ),
    "ties": KeyWords(
        "Order of equal jobs",
        {
            "fcfs": "of equal jobs the first submitted first",
            "longest": "of equal jobs the longest estimate first",
            "shortest": "of equal jobs the shortest estimate first",
            "widest": "of equal jobs the most processors first",
        },
    ),
    "threshold": KeyWords(
        "Longest wait",
        _optional("no wait lets a job go first", "jobs that have waited for more than {} go first"),
    ),
    "relaxed": KeyWords(
        "Allowed delay",
        _optional(
            "backfilled jobs may not delay a reserved job",
            "backfilled jobs may delay a reserved job by {} times its planned wait",
        ),
    ),
    "placement": KeyWords(
        "Nodes tried first",
        {
            "first": "nodes with the lowest number are tried first",
            "best": "nodes with the fewest free CPUs are tried first",
            "worst": "nodes with the most free CPUs are tried first",
            "contiguous": "jobs get whole adjacent nodes",
            "reliable": "nodes with the fewest failures so far a day up are tried first",
        },
    ),
    "partitions": KeyWords(
        "Sizes of blocks of nodes",
        {"any": "a job gets as many adjacent nodes as it needs", _TEXT: "a job gets a block of {} nodes"},
    ),
    "constraints": KeyWords(
        "Obey requests of nodes",
        {"on": "the log's requests of nodes are obeyed", "off": "the log's requests of nodes are ignored"},
    ),
    "penalty": KeyWords(
        "CPU and RAM as usage",
        {
            "cpu": "usage is the share of CPUs",
            "max": "usage is the larger share of CPUs and RAM",
            "sqrt": "usage is one minus the root of the shares left",
            "product": "usage is one minus the product of the shares left",
            "equivalent": "usage is the largest share of a node times the nodes",
        },
    ),
    "half_life": KeyWords(
        "Half-life of usage",
        _optional("past usage always counts in full", "past usage counts half after {}"),
    ),
    "accrue": KeyWords(
        "When usage is counted",
        {"always": "usage is counted while a job runs", "end": "usage is counted when a job ends"},
    ),
    "shares": KeyWords(
        "Shares of the users", {"equal": "all users have equal shares", _TEXT: "shares of users from {}"}
    ),
    "usage_of": KeyWords(
        "Whose usage counts",
        {"user": "the usage of each user counts", "group": "the usage of each group of users counts"},
    ),
    "eet_share": KeyWords(
        "Share for expected ends",
        {
            "fair": "users may expect the same part of the machine",
            _TEXT: "users may expect {} of the machine",
        },
    ),
    "bf": KeyWords(
        "Balance of wait",
        {
            "0": "the shortest walltime alone counts",
            "1": "the longest wait alone counts",
            _NUMBER: "wait counts {}, a short walltime the rest of 1",
        },
    ),
    "window": KeyWords(
        "Jobs placed together",
        {"1": "jobs are placed singly", _NUMBER: "{} waiting jobs are placed together"},
    ),
    "tune": KeyWords(
        "Adaptive tuning",
        {
            "none": "no key is tuned",
            "bf": "the balance factor is tuned by the queue depth",
            "window": "the window is tuned by the utilization",
            "2d": "balance factor and window are tuned",
            _TEXT: "tuned by {}",
        },
    ),
    "queue_depth": KeyWords(
        "Depth that tunes", {_NUMBER: "a queue depth of {} minutes lowers the balance factor"}
    ),
    "weights": KeyWords("Weights of the priority", {_TEXT: "priority {}"}),
    "max_age": KeyWords("Wait of full age", {_NUMBER: "the age factor is full after {}"}),
    "queue_priority": KeyWords(
        "Priorities of queues",
        {"walltime": "queues with short walltimes have a higher priority", _TEXT: "priorities {}"},
    ),
    "max_user_jobs": KeyWords(
        "Jobs of a user", _optional("any number of jobs of a user run", "a user runs at most {} jobs")
    ),
    "max_user_cpus": KeyWords(
        "CPUs of a user",
        _optional("a user may use all processors", "a user uses at most {} processors"),
    ),
    "max_queue_cpus": KeyWords(
        "CPUs of a queue",
        _optional("a queue may use all processors", "a queue uses at most {} processors"),
    ),
    "queue_limits": KeyWords(
        "CPUs of single queues",
        {"none": "no queue has a limit of its own", _TEXT: "limits of processors {}"},
    ),
    "queue_nodes": KeyWords(
        "Nodes of queues", {"any": "queues may use all nodes", _TEXT: "queues use the nodes {}"}
    ),
    "power_cap": KeyWords(
        "Cap on power, kW",
        {
            "none": "power has no cap",
            "series": "the machine takes at most what the caps of each hour allow",
            _NUMBER: "the machine takes at most {} kW",
        },
    ),
    "power_off": KeyWords(
        "Idle nodes off after",
        _optional("nodes stay on", "nodes that were idle for {} are switched off"),
    ),
    "price_below": KeyWords(
        "Price that jobs wait for",
        _optional("no job waits for cheap energy", "jobs wait until energy costs at most {}"),
    ),
    "price_jobs": KeyWords(
        "Jobs that wait for prices", {"all": "all jobs wait for cheap energy", _TEXT: "jobs wait with {}"}
    ),
    "price_wait": KeyWords("Wait for prices", {_NUMBER: "jobs wait at most {} for cheap energy"}),
    "pass_every": KeyWords(
        "Time between passes", _optional("a pass follows each event", "passes are made every {}")
    ),
    "test_limit": KeyWords(
        "Jobs tried in a pass",
        _optional("a pass tries all waiting jobs", "a pass tries at most {} waiting jobs"),
    ),
    "user_test_limit": KeyWords(
        "User's jobs tried",
        _optional("a pass tries all jobs of a user", "a pass tries at most {} jobs of a user"),
    ),
    "horizon": KeyWords(
        "How far a pass reserves",
        _optional("reservations lie at any time ahead", "reservations lie at most {} ahead"),
    ),
    "resolution": KeyWords(
        "Grain of reservations",
        _optional("reservations are exact to the second", "ends are rounded up to multiples of {}"),
    ),
    "replan": KeyWords(
        "Order of planning again",
        {
            "submission": "reservations move forward in the order of submission",
            "planned": "reservations move forward in the order of planned starts",
        },
    ),
    "gap": KeyWords(
        "Gap of a new job",
        {"earliest": "a new job takes the earliest gap", "best": "a new job takes the tightest gap"},
    ),
    "search": KeyWords(
        "Search for a better plan",
        {
            "none": "plans are not improved",
            "gap": "plans are improved by moves to the earliest gap",
            "random": "plans are improved by random moves",
            "tabu": "plans are improved by tabu search",
            "annealing": "plans are improved by simulated annealing",
            "greedy": "plans are made anew, greatest gain first",
        },
    ),
    "plan_depth": KeyWords(
        "Kept planned starts",
        {"all": "all planned jobs keep their starts", _NUMBER: "the first {} planned jobs keep their starts"},
    ),
    "search_every": KeyWords("Time between searches", {_NUMBER: "plans are improved every {}"}),
    "trials": KeyWords("Moves of a search", {_NUMBER: "a search tries {} moves"}),
    "criteria": KeyWords("What a search improves", {_TEXT: "plans are improved in {}"}),
    "on_failure": KeyWords(
        "Jobs of a failed node",
        {
            "restart": "jobs of a failed node start again",
            "continue": "jobs of a failed node run their rest",
            "lose": "jobs of a failed node are given up",
        },
    ),
    "max_restarts": KeyWords("Restarts of a job", {_NUMBER: "a job starts again at most {} times"}),
    "n": KeyWords("Priced queues", {"1": "a single queue", _NUMBER: "{} queues with prices"}),
    "prices": KeyWords("Prices of the queues", {_TEXT: "prices {}"}),
    "valuation": KeyWords("Values of jobs", {_TEXT: "values of jobs {}"}),
    "fade": KeyWords(
        "Values that fade", {"none": "values do not fade", _TEXT: "values fade with the wait by {}"}
    ),
    "bids": KeyWords(
        "Bids",
        {
            "value": "jobs bid what they are worth if they start now",
            "density": "jobs bid what they are worth for each processor-second",
        },
    ),
    "pay": KeyWords(
        "Payment",
        {"bid": "jobs pay their bids", "displaced": "jobs pay the highest bid that their start displaced"},
    ),
    "budget": KeyWords(
        "Budgets of users",
        {"none": "everybody can pay everything", _TEXT: "each user has the credits {}"},
    ),
    "preempt_value": KeyWords(
        "Preemption by value",
        {
            "none": "no job is stopped for another",
            _NUMBER: "jobs stop others whose bids, times {}, are less than theirs",
        },
    ),
    "seed": KeyWords("Random seed", {_NUMBER: "random seed {}"}),
}
"""All keys in words."""


def key_title(name: str) -> str:
    """The plain name of a key: `Reserved blocked jobs` of depth. Other names stay as they are."""
    return IN_WORDS[name].title if name in IN_WORDS else name


def key_phrase(name: str, text: str) -> str:
    """What a value of a key does: `reservations for the first 10 blocked jobs` of depth and 10.

    `text` is spelled as in policies. A key that is none of KEYS is shown with its value.
    """
    if name not in IN_WORDS:
        return f"{name}={text}"
    phrases = IN_WORDS[name].phrases
    if text in phrases:
        return phrases[text]
    # A family is a word with a number behind it, such as scaled1.5: the number goes into the word's phrase.
    for word, _ in KEY[name].families:
        if text.startswith(word):
            return phrases[word].format(text.removeprefix(word))
    is_number = re.fullmatch(r"[\d.]+\w*", text) is not None
    chosen = phrases.get(_NUMBER if is_number else _TEXT) or phrases.get(_TEXT) or phrases.get(_NUMBER)
    return chosen.format(text) if chosen is not None else f"{name}={text}"


_DEFAULTS = parse_policy("easy").format_keys()

_ALWAYS = ("order", "depth")
"""Keys whose values are said of each policy: they are what a policy is known by."""


def policy_has_no_keys(policy: Policy) -> bool:
    """True for a site's scheduler, a user's own code and the log's own schedule."""
    return not policy.simulated or policy.site is not None or policy.own is not None


def policy_phrases(policy: Policy) -> list[str]:
    """What a policy does, a phrase for each key that matters, the order and the reservations first.

    Keys with their default, and keys without effect, are left out. A site's scheduler, a user's own code and
    the log's own schedule have no keys to tell: their spelling is the only phrase.
    """
    if policy_has_no_keys(policy):
        return [policy.spelling]
    texts, unused = policy.format_keys(), policy.unused_with({})
    told = [
        key.name
        for key in KEYS
        if key.name not in unused
        and (key.name in _ALWAYS or texts[key.name] != _DEFAULTS[key.name])
        and not (key.name == "order" and texts["order"] == "score")  # the formula says it
    ]
    return [key_phrase(name, texts[name]) for name in told]


def policy_sentence(policy: Policy) -> str:
    """What a policy does, as a sentence: its phrases, the first with a capital letter; empty without keys."""
    if policy_has_no_keys(policy):
        return ""
    words = "; ".join(policy_phrases(policy))
    return f"{words[0].upper()}{words[1:]}."
