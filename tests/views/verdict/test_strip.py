"""The strip of verdicts: links, heights, names as text."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QUrl
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from engine.claims.claim import ClaimPlace, ClaimQuantity, NamedThing, Unit
from engine.claims.words import TextSpan
from views.theme.theme import DARK, LIGHT
from views.verdict.strip import LINE_EVERY, VerdictLine, VerdictStrip

USER = ClaimPlace("users", 3)
LATE = ClaimQuantity("late users", 17, Unit.NUMBER, ClaimPlace("boxes", 0))


def line(run_id: int, name: str = "easy") -> VerdictLine:
    run = NamedThing("subject", name, ClaimPlace("runs", run_id - 1))
    user = NamedThing("user", "user <b>7</b>", USER)
    spans = (
        TextSpan(name, run),
        TextSpan(": "),
        TextSpan("17", LATE),
        TextSpan(" late; worst "),
        TextSpan(user.name, user),
    )
    return VerdictLine(run_id, "#0072b2", spans)


@pytest.fixture
def strip(qtbot: QtBot) -> Iterator[VerdictStrip]:
    """A strip of a page of 900 pixels' width."""
    page = QWidget()
    qtbot.addWidget(page)
    strip = VerdictStrip(LIGHT, page)
    strip.resize(900, 20)
    page.resize(900, 400)
    page.show()
    yield strip
    page.hide()


def test_names_are_text_and_parts_are_links_to_their_places(strip: VerdictStrip) -> None:
    strip.show_lines([line(1), line(2, "fcfs")])
    assert strip.text == "easy: 17 late; worst user <b>7</b>\nfcfs: 17 late; worst user <b>7</b>"
    assert "user <b>7</b>" in strip.toPlainText()
    chosen: list[tuple[int, ClaimPlace]] = []
    strip.place_chosen.connect(lambda run_id, place: chosen.append((run_id, place)))
    for link in ("0.0", "1.2", "1.4"):
        strip.anchorClicked.emit(QUrl(link))
    assert chosen == [(1, ClaimPlace("runs", 0)), (2, ClaimPlace("boxes", 0)), (2, USER)]


def test_a_number_stays_on_one_line_with_its_unit(strip: VerdictStrip) -> None:
    late = ClaimQuantity("lateness", 474, Unit.SECONDS, USER)
    for letters in range(100, 160):  # somewhere the line ends within the number
        spans = (TextSpan("late " + "x" * letters + " by "), TextSpan("7 min 54 s", late))
        strip.show_lines([VerdictLine(1, "#0072b2", spans)])
        block = strip.document().begin()
        layout, text = block.layout(), block.text()
        ends = [layout.lineAt(k).textStart() for k in range(1, layout.lineCount())]
        number = text.replace("\u00a0", " ").index("7 min 54 s")
        assert not any(number < end < number + len("7 min 54 s") for end in ends)


def test_it_is_as_high_as_its_lines_but_leaves_room_in_the_window(strip: VerdictStrip) -> None:
    assert strip.isHidden()
    heights = []
    for count in (1, 2, 3, 8):
        strip.show_lines([line(number + 1) for number in range(count)])
        heights.append(strip.height())
    assert heights == sorted(set(heights))
    assert heights[3] < 6 * heights[0]  # five lines in 400 pixels
    page = strip.parentWidget()
    page.resize(900, 7 * LINE_EVERY)
    QApplication.processEvents()
    assert strip.height() > heights[3]
    assert strip.verticalScrollBar().maximum() > 0
    strip.set_wanted(False)
    assert strip.isHidden()
    strip.set_wanted(True)
    assert not strip.isHidden()
    strip.show_lines([])
    assert strip.isHidden()


def words(count: int) -> VerdictLine:
    return VerdictLine(1, "#0072b2", (TextSpan("word " * count),))


@pytest.mark.parametrize("counts", [[17], [150, 60], [60, 3], [12, 33, 200]])
def test_a_run_has_one_line_where_its_whole_text_has_no_room(strip: VerdictStrip, counts: list[int]) -> None:
    """However it came to its lines and its width: a text that was longer before leaves no bar."""
    page, bar = strip.parentWidget(), strip.verticalScrollBar()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(strip)
    layout.addStretch(1)
    for width in (900, 400, 1200):
        page.resize(width, 400)
        for count in counts:
            strip.show_lines([words(count)])
            QApplication.processEvents()
            advance = strip.fontMetrics().horizontalAdvance("word " * count)
            shown = strip.toPlainText()
            assert shown.endswith(" \u2026") == ("\u2026" in shown)
            # Five lines are what a window of 400 pixels has room for.
            assert advance < 5 * width if shown.count("word") == count else advance > 4.5 * width - 300
            assert strip.height() >= strip.document().size().height()
            assert not bar.isVisible()
            assert bar.maximum() == 0
            assert strip.viewport().width() == width


def test_a_line_that_was_cut_is_whole_in_its_tool_tip_and_after_a_click_on_its_dots(
    strip: VerdictStrip, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _, text, *__: told.append(text))
    strip.show_lines([words(200), line(2)])
    assert strip.toPlainText().count("word") < 50
    place = QPoint(20, 5)
    QApplication.sendEvent(strip.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, strip.mapToGlobal(place)))
    assert told[0].count("word") == 200
    strip.anchorClicked.emit(QUrl("0.cut"))
    assert strip.toPlainText().count("word") == 200
    assert "17 late" in strip.toPlainText()
    strip.anchorClicked.emit(QUrl("0.opened"))
    assert strip.toPlainText().count("word") < 50


def test_what_would_help_is_never_cut_where_it_has_room(strip: VerdictStrip) -> None:
    """Claims before it give way, the later ones first, and are shown by the dots in their place."""
    claims = ("17 late", "worst user 7", "waits " * 12 + "long", "under easy 9 % less")
    texts = ("fcfs", ": ", *"\n; \n".join(claims).split("\n"))
    long = VerdictLine(1, "#0072b2", tuple(TextSpan(text) for text in texts))
    strip.show_lines([long] * 9)
    whole = strip.text.partition("\n")[0]
    shown = strip.toPlainText().splitlines()
    needed = strip.fontMetrics().horizontalAdvance
    assert shown == [f"■ {whole}"] * 9
    steps = [
        (needed(whole) - 1, "fcfs: 17 late; worst user 7; … under easy 9 % less"),
        (
            needed("■  fcfs: 17 late; worst user 7; … under easy 9 % less"),
            "fcfs: 17 late; … under easy 9 % less",
        ),
        (needed("■  fcfs: 17 late; … under easy 9 % less"), "fcfs: … under easy 9 % less"),
        (needed("■  fcfs: … under easy 9 % less") - 9, "fcfs: 17 late; worst …"),
    ]
    for width, text in steps:
        strip.resize(width, strip.height())
        QApplication.processEvents()
        first = strip.toPlainText().splitlines()[0].removeprefix("■ ")
        assert first == text or (text.endswith("worst …") and first.endswith(" …")), width
    strip.resize(needed(whole), strip.height())
    strip.anchorClicked.emit(QUrl("0.cut"))
    assert "waits waits" in strip.toPlainText().splitlines()[0]


def test_a_user_whose_name_gives_way_is_named_in_what_would_help(strip: VerdictStrip) -> None:
    user, between = NamedThing("user", "user 9", USER), TextSpan("; ")
    spans = (
        *(TextSpan("fcfs"), TextSpan(": "), TextSpan("17", LATE), TextSpan(" late"), between),
        *(TextSpan("worst "), TextSpan(user.name, user), between, TextSpan("waits " * 20), between),
        *(TextSpan("under easy this user is late by "), TextSpan("1 h")),
    )
    strip.show_lines([VerdictLine(1, "#0072b2", spans)] * 9)
    needed = strip.fontMetrics().horizontalAdvance
    shown = []
    for text in (
        "fcfs: 17 late; worst user 9; … under easy this user is late by 1 h",
        "fcfs: … under easy user 9 is late by 1 h",
    ):
        strip.resize(needed(f"■  {text}") + 30, strip.height())
        QApplication.processEvents()
        shown.append(strip.toPlainText().splitlines()[0].removeprefix("■ "))
    assert shown == [
        "fcfs: 17 late; worst user 9; … under easy this user is late by 1 h",
        "fcfs: … under easy user 9 is late by 1 h",
    ]


def test_other_colours_keep_the_lines(strip: VerdictStrip) -> None:
    strip.show_lines([line(1)])
    strip.set_theme(DARK)
    assert DARK.link in strip.toHtml()
    assert strip.text.startswith("easy: 17")
