"""What a user's file declares with: decorators for functions and classes, and ranges of their parameters.

    import batchscope
    from batchscope import Range

    @batchscope.order
    def wfp(jobs, now, machine, *, alpha: Range(0, 5) = 3):
        return (jobs.wait / jobs.walltime) ** alpha * jobs.procs

The program finds decorators and ranges in the text of the file, without running it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import Any

from engine.errors import InputError


@dataclass(frozen=True)
class ParameterRange:
    """The numbers from `low` to `high` that a parameter takes, by `step` in sliders; `whole` ones if set.

    Raises InputError where there is none.
    """

    low: float
    high: float
    step: float | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise InputError(f"a range from {self.low:g} to {self.high:g} has no numbers")

    def __str__(self) -> str:
        return f"from {self.low:g} to {self.high:g}"


Range = ParameterRange
"""What files of users call it."""


class Declaration:
    """A function or class of the user's, as its decorator returns it; `function` is what was decorated.

    Called with parameters alone, as `wfp(alpha=2)`, it gives the spelling of the policy of this code, for
    `batchscope.compare`; with positional arguments it calls the function.
    """

    def __init__(self, function: Any, kind: str) -> None:
        self.function, self.kind = function, kind
        update_wrapper(self, function, updated=())

    def __call__(self, *arguments: Any, **parameters: Any) -> Any:
        """The spelling with these parameters, or what the function returns for positional arguments."""
        return self.function(*arguments, **parameters) if arguments else self.spelling(**parameters)

    def spelling(self, **parameters: float) -> str:
        """The spelling of a policy of this code. Raises InputError for code that is in no file."""
        module = sys.modules.get(self.function.__module__)
        path = getattr(module, "__file__", None)
        if path is None or not Path(path).is_file():
            raise InputError(f"{self.function.__name__} is in no file: write it into one, like mine.py")
        pairs = "".join(f",{name}={value}" for name, value in parameters.items())
        return f"{path}:{self.function.__name__}{pairs}"

    def __str__(self) -> str:
        return self.spelling()


def order(function: Callable[..., Any]) -> Declaration:
    """Declare an order of the queue: `def name(jobs, now, machine, *, parameter: Range(0, 5) = 3)`.

    It returns a number for each waiting job, the highest first. `jobs` are `JobArrays` of
    `engine.simulation.own.visible_state`, `now` is in s, `machine` tells its processors and free processors.
    """
    return Declaration(function, "order")


def priority(function: Callable[..., Any]) -> Declaration:
    """Declare an order by a function of one job, `def name(job, now, *, ...)`, which Numba compiles.

    It returns the job's number, the highest first, and may use `math` and NumPy's functions of numbers.
    """
    return Declaration(function, "priority")


def predictor(kind: type) -> Declaration:
    """Declare a class whose objects have `predict(job)`, s, and `learn(job, runtime)`, called at its end."""
    return Declaration(kind, "predictor")


def scheduler(function: Callable[..., Any]) -> Declaration:
    """Declare a generator `def name(state, *, ...)`, called at each pass.

    It yields `job` to start a job, `(job, time)` to note a reservation, `(job, "why")` to say why a job
    waits, `(None, time)` for another pass then.
    """
    return Declaration(function, "scheduler")


def metric(
    unit: str = "", better: str | None = "lower", by: str | None = None
) -> Callable[[Callable[..., Any]], Declaration]:
    """Declare a metric, `def name(jobs, *, ...)`, by `@batchscope.metric(unit="s", better="lower")`.

    It returns a number of measured jobs, `MeasuredColumns` in `engine.own.measured_columns`, or None if it
    has no value. `better` is "lower", "higher", or None for a number that rates nothing. With `by="user"` it
    returns a number for each user, shape (users,), by code, NaN where a user has none; the metric of a run is
    the mean over the users with measured jobs that have a number.
    """
    return lambda function: Declaration(function, "metric")


def quantity(unit: str = "") -> Callable[[Callable[..., Any]], Declaration]:
    """Declare a column of jobs, `def name(jobs, *, ...)`, by `@batchscope.quantity(unit="s")`.

    It returns a number for each job that ran, `MeasuredColumns` in `engine.own.measured_columns`, NaN if it
    has no value. Filters, colours, plots and tables offer it.
    """
    return lambda function: Declaration(function, "quantity")


DECORATORS: dict[str, Callable[..., Any]] = {
    "order": order,
    "priority": priority,
    "predictor": predictor,
    "scheduler": scheduler,
    "metric": metric,
    "quantity": quantity,
}
"""The decorators by name, which is the kind of what they declare."""
