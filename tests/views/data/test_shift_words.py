"""The words of a job's shift against other runs: whole, whatever the room."""

import pytest
from PySide6.QtGui import QFontMetrics, QPainter

from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext
from tests.views.gantt.ten_hours import HOUR, chart_of
from views.data.gantt.links import Shift, shift_words
from views.data.other_run import OtherRun
from views.gantt import chart as chart_module
from views.theme.fonts import tick_font

LATER = [Shift(2 * HOUR, "fcfs"), Shift(180, "easy"), Shift(60, "own")]


def named(shifts: list[Shift]) -> list[str]:
    """The wordings that begin with the name of the job, without it; the others say the same."""
    wordings = list(shift_words("7", shifts))
    own, bare = [wording.removeprefix("Job 7: ") for wording in wordings[::2]], wordings[1::2]
    assert [word.upper() for word in own] == [word.upper() for word in bare]
    assert all(not word[0].islower() for word in bare)
    return own


def test_runs_are_counted_one_after_the_other() -> None:
    assert named(LATER) == [
        "2 h later than fcfs, 3 min later than easy, 1 min later than own",
        "later than fcfs (2 h), easy (3 min), own (1 min)",
        "later than fcfs (2 h), easy (3 min) and 1 more",
        "later than fcfs (2 h) and 2 more",
        "later than 3 runs",
    ]


def test_earlier_and_later_runs_are_told_apart() -> None:
    shifts = [Shift(-180, "fcfs"), Shift(0, "easy"), Shift(60, "own"), Shift(-60, "saf"), Shift(0, "sjf")]
    assert named(shifts) == [
        "3 min earlier than fcfs, as easy, 1 min later than own, 1 min earlier than saf, as sjf",
        "earlier than fcfs (3 min), saf (1 min), as easy, sjf, later than own (1 min)",
        "earlier than fcfs (3 min), saf (1 min), as easy and 1 more, later than own (1 min)",
        "earlier than fcfs (3 min) and 1 more, as easy and 1 more, later than own (1 min)",
        "earlier than fcfs (3 min) and 1 more, as easy and 1 more, later than 1 run",
        "earlier than fcfs (3 min) and 1 more, as 2 runs, later than 1 run",
        "earlier than 2 runs, as 2, later than 1",
    ]


@pytest.mark.parametrize("width", [1000, 600, 450, 360])
def test_a_chart_says_as_much_as_it_has_room_for(
    context: ViewContext, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    lines: list[tuple[str, float]] = []
    paint = chart_module.paint_caption

    def listen(painter: QPainter, plot: object, words: str, *rest: object) -> None:
        lines.append((words, plot.width()))  # type: ignore[attr-defined]
        paint(painter, plot, words, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(chart_module, "paint_caption", listen)
    trace = make_trace([0], [HOUR])
    schedule = make_schedule(trace, [5 * HOUR])
    chart = chart_of(context, schedule)
    names = ("fairshare-fcfs", "fairshare-easy", "easy-sjbf", "easy")
    runs = [make_schedule(trace, [k * HOUR + 7 * k]) for k in range(4)]
    chart.set_others(tuple(OtherRun(run, name, "#d55e00") for run, name in zip(runs, names, strict=True)))
    context.selection.select_job(trace, 0)
    chart.resize(width, 300)
    context.settle(chart)
    words, room = lines[-1]
    wordings = list(shift_words("1", [Shift(5 * HOUR - k * HOUR - 7 * k, names[k]) for k in range(4)]))
    metrics = QFontMetrics(tick_font(chart.font()))
    fitting = [wording for wording in wordings if metrics.horizontalAdvance(wording) <= room - 20]
    assert words == fitting[0]
    assert (words == wordings[0]) == (width == 1000)
    assert words.startswith("Job 1: ") or width < 1000
