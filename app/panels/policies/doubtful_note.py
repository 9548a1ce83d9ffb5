"""A note below the runs: what-ifs of a site whose model misleads, and a link to show or hide them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.model.workbench import Workbench
from engine.shown_text import html_text
from views.text.counts import plural
from views.text.tooltips import as_tip


class DoubtfulNote(QLabel):
    """Names the what-ifs that are shown only if asked for; a link asks for them, or hides them again."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__("", parent, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._workbench, self._short = workbench, False
        self.setAccessibleName("What-ifs that cannot be believed")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkActivated.connect(lambda _: workbench.show_doubtful(not workbench.open_study.doubtful))
        workbench.judged.connect(self.refresh)
        workbench.study_changed.connect(self.refresh)
        self.hide()

    def set_short(self, short: bool) -> None:
        """Leave the reason to the tooltip: a strip has no room for it."""
        self._short = short
        self.setWordWrap(not short)
        self.refresh()

    def refresh(self) -> None:
        """Show how many what-ifs there are, and why they cannot be believed."""
        verdicts = [run.result.verdict for run in self._workbench.finished()]
        shown = [verdict.hidden for verdict in verdicts if verdict is not None and verdict.hidden]
        hidden = [live.hidden for live in self._workbench.open_study.live.values() if live.hidden]
        # What is hidden counts before what is shown in spite of doubts.
        reasons = hidden or shown
        self.setVisible(bool(reasons))
        if not reasons:
            return
        count = plural(len(reasons), "what-if")
        state = f"{count} not shown" if hidden else f"{count} shown in spite of doubts"
        link = "Show" if hidden else "Hide"
        link += " it" if len(reasons) == 1 else " them"
        long = f"{state}: {reasons[0]}."
        self.setToolTip(as_tip(f"{long} Click: {link.lower()}"))
        self.setText(f'{html_text(state if self._short else long)} <a href="#">{link}</a>')

    def changeEvent(self, event: QEvent) -> None:
        """A link keeps the colour of the theme in which its text was set."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            text = self.text()
            self.setText("")
            self.setText(text)
