"""The topic of the help for each part of the window: F1 opens that of what is pointed at."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from app.panels.charts.run_panel import RunPanel
from app.panels.filter_bar import FilterBar
from app.panels.policies.explore import ExplorePanel
from app.panels.policies.policy_field import KeyField
from app.panels.run_list import RunList
from app.panels.sources.queue_command import QueueCommandDialog
from views.inspector.panel import Inspector
from views.tables.metrics_table import MetricsTable
from views.tables.table import Table
from views.text.terms import explained_words

_WHY, _USER, _TRY, _WORDS = (
    "4. Find out why a job waited",
    "3. Look at the user",
    "5. Try another policy",
    "Metrics and other words",
)
_SHARE, _WINDOW = "6. Fairshare, plans and predictions", "In the window"

OF_VIEWS: dict[str, str] = {
    "gantt": _WHY,
    "heatmap": _USER,
    "boxplots": _WORDS,
    "scatter": _WORDS,
    "sizes": _WORDS,
    "hours": _WORDS,
    "waits": _WHY,
    "table": _WORDS,
    "runs": _TRY,
    "users": _USER,
    "queues": _USER,
    "accounts": _USER,
    "jobs": _WHY,
    "nodes": _WINDOW,
    "timeline": _WORDS,
    "scores": _WORDS,
    "penalties": "Fairshare",
    "fairshare": _SHARE,
    "planning": "Plans that are kept",
    "predictions": "Estimates",
    "value": "Value",
    "sweep": "sweep",
    "marks": _WINDOW,
    "difference": "2. Compare two runs",
    "study": "sweep",
    "search": "search",
    "now": "now",
    "twin": "twin",
    "change": "A change of the site's rules",
}
"""The title of a topic, by the name of a view."""

_OF_PARTS: tuple[tuple[type[QWidget], str], ...] = (
    (RunPanel, _WHY),
    (ExplorePanel, _TRY),
    (RunList, _TRY),
    (FilterBar, _WINDOW),
    (Inspector, _WHY),
    (QueueCommandDialog, "now"),
)


def topic_of(part: QWidget | None, views: Mapping[str, QWidget]) -> str:
    """The title of the topic of a widget, or of what it is in; empty: there is none.

    A key of policies has its own, and a row or column of a table that of what stands there.
    """
    names = {widget: name for name, widget in views.items()}
    # From the widget outwards: the most special topic wins.
    while part is not None:
        if isinstance(part, KeyField):
            return part.key.name
        word = _word(part)
        if word:
            return word
        if part in names:
            return OF_VIEWS.get(names[part], "")
        topic_of_part = next((topic for kind, topic in _OF_PARTS if isinstance(part, kind)), "")
        if topic_of_part:
            return topic_of_part
        part = part.parentWidget()
    return ""


def _word(part: QWidget) -> str:
    """The word that explains the current metric or column of a table; empty: there is none."""
    key = None
    if isinstance(part, MetricsTable) and part.view.currentIndex().isValid():
        metric = part.model.metric(part.view.currentIndex().row())
        key = None if metric is None else metric.name
    elif isinstance(part, Table) and part.view.currentIndex().isValid():
        key = part.heads.term_of(part.view.currentIndex().column())
    return explained_words().get(key or "", "")


def wanted_topic(window: QWidget, views: Mapping[str, QWidget]) -> str:
    """The topic of what the pointer is over in this window, else of what has the keys."""
    under = QApplication.widgetAt(QCursor.pos())
    pointed = topic_of(under, views) if under is not None and under.window() is window else ""
    return pointed or topic_of(QApplication.focusWidget(), views)
