"""The variables of a waiting job, and the functions, that a formula can use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """Something known of a waiting job; `moves` if it changes while the job waits."""

    name: str
    help: str
    moves: bool = False


@dataclass(frozen=True)
class Function:
    """A function of at least `least` and at most `most` values."""

    name: str
    help: str
    least: int = 1
    most: int = 1


VARIABLES = {
    variable.name: variable
    for variable in (
        Variable("wait", "seconds since it was submitted", moves=True),
        Variable("walltime", "seconds that it asks for"),
        Variable("estimate", "seconds of its estimated runtime"),
        Variable("procs", "processors that it asks for"),
        Variable("area", "processors times estimate"),
        Variable("nodes", "tasks that it consists of"),
        Variable("ram", "MiB of RAM that it asks for; 0 where the log does not say"),
        Variable("gpus", "GPUs that it asks for; 0 where the log does not say"),
        Variable("submit", "seconds from the first submission to its own, at least 1"),
        Variable("usage", "its user's fairshare factor", moves=True),
        Variable("queued", "jobs that wait", moves=True),
        Variable("user_queued", "jobs of its user that wait", moves=True),
        Variable("slack", "seconds until it must start to end as its user may expect", moves=True),
        Variable("hour", "hour of the day, 0 to 23, at the machine's place", moves=True),
        Variable("worth", "what it is worth to its user, by the policy's valuation and seed"),
        Variable("runtime", "seconds that it will run for, which no real scheduler knows"),
        Variable("status", "how it will end, as the log numbers it, which no real scheduler knows"),
    )
}
"""Variables by name, in the order in which they are offered."""

FUNCTIONS = {
    function.name: function
    for function in (
        Function("log", "natural logarithm"),
        Function("log2", "logarithm to base 2"),
        Function("log10", "logarithm to base 10"),
        Function("sqrt", "square root"),
        Function("exp", "e to a power"),
        Function("abs", "without its sign"),
        Function("min", "the smallest of several values", 2, 20),
        Function("max", "the largest of several values", 2, 20),
        Function("if", "if(condition, then, else)", 3, 3),
    )
}
"""Functions by name, in the order in which they are offered."""

WORDS = ("and", "or", "not")
"""Operators that are words."""
