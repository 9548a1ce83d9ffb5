"""The strip of verdicts: links, heights, names as text."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
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


def test_it_is_as_high_as_its_lines_but_leaves_room_in_the_window(strip: VerdictStrip) -> None:
    assert strip.isHidden()
    heights = []
    for count in (1, 2, 3, 8):
        strip.show_lines([line(number + 1) for number in range(count)])
        heights.append(strip.height())
    assert heights[0] < heights[1]
    assert heights[2] <= heights[1] + 3  # two lines in 400 pixels
    assert heights[3] == heights[2]
    page = strip.parentWidget()
    page.resize(900, 3 * LINE_EVERY)
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


@pytest.mark.parametrize("counts", [[17], [47], [150, 40], [60, 3], [12, 33, 200]])
def test_a_scroll_bar_shows_only_beside_more_text_than_there_is_room_for(
    strip: VerdictStrip, counts: list[int]
) -> None:
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
            whole = strip.document().clone()
            whole.setTextWidth(width)
            fits = whole.size().height() <= strip.height()
            assert bar.isVisible() != fits
            assert bar.maximum() == max(ceil(strip.document().size().height()) - strip.height(), 0)
            assert strip.viewport().width() == width - (0 if fits else bar.width())


def test_other_colours_keep_the_lines(strip: VerdictStrip) -> None:
    strip.show_lines([line(1)])
    strip.set_theme(DARK)
    assert DARK.link in strip.toHtml()
    assert strip.text.startswith("easy: 17")
