"""What spans of predicted starts mean, in the words of command, pages and window."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.now.prediction import Forecast
    from engine.now.queue_forecast import QueueForecast


def spans_meaning(answer: QueueForecast, span: str = "this span") -> str:
    """The meaning of spans, called `span` here: how often they hold, if known, and what they are made of.

    The text ends with a full stop, and begins within a sentence.
    """
    found = answer.forecast
    if not found.replays:
        return "no replay was made."
    replays = f"{found.replays:,} replays" if found.replays > 1 else "one replay"
    replays += " in coarse steps, since many jobs wait" if found.coarse else ""
    made = f"In replays runtimes are drawn from {answer.drawn}, and {coming_words(found.weeks)}."
    if found.evidence:
        return f"{share_meaning(found)}. They are those of {replays}. {made}"
    return (
        f"{span} contains most of {replays} and the planned start, and is widened by half of the time from "
        f"now, since a model errs. It is {found.doubt}. {made}"
    )


def share_meaning(found: Forecast) -> str:
    """How many starts calibrated spans contain, and on what they are calibrated."""
    share = 100 * (found.share or 0.0)
    return f"about {share:.0f} % of such spans contain the start; they are calibrated {found.evidence}"


def coming_words(weeks: int) -> str:
    """Which further jobs come in replays: as in so many weeks of the log; 0: none."""
    if not weeks:
        return "no further job comes"
    last = "the last week" if weeks == 1 else f"each of the last {weeks} weeks"
    return f"further jobs come as in {last} of the log"
