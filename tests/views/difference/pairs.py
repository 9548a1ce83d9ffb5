"""Two runs of a small trace, for tests of their difference."""

from dataclasses import replace

from engine.schedule.processors import assign_processors
from engine.trace import Trace
from tests.traces import Numbers, make_trace
from tests.views.results import make_result
from views.data.comparison import Comparison, compare
from views.data.results import Result

HOUR = 3600


def small_trace() -> Trace:
    """Six jobs of three users, submitted at once."""
    users = ["ann", "ann", "bob", "bob", "cyd", "cyd"]
    return make_trace([0] * 6, [HOUR] * 6, 10, user=users)


def run(
    trace: Trace, start: Numbers, run_id: int = 1, policy: str = "easy", grace: int | None = 600
) -> Result:
    """A finished run with these starts."""
    result = make_result(trace, start, run_id, policy, grace=grace)
    return replace(result, boxes=assign_processors(result.schedule))


def pair(first: Numbers, second: Numbers, grace: int | None = 600) -> Comparison:
    """`fcfs` with the first starts, and `easy` with the second ones."""
    trace = small_trace()
    return compare(run(trace, first, 1, "fcfs", grace), run(trace, second, 2, "easy", grace))


def moved() -> Comparison:
    """Ann wins 3 h, Bob loses 2 h and wins half an hour, Cyd stays where she was."""
    first = [2 * HOUR, 3 * HOUR, 0, HOUR // 2, 0, HOUR]
    second = [HOUR, HOUR, 2 * HOUR, 0, 0, HOUR]
    return pair(first, second)
