from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from views.data.gantt.shown_layers import GanttLayers
from views.data.view_options import ShownCharts, ViewOptions
from views.state.view_state import ViewState


def test_a_follower_hears_of_its_fields_alone(qtbot: QtBot) -> None:
    view, owner, heard = ViewState(), QObject(), list[str]()
    view.follow(owner, "rows colours", lambda: heard.append(view.options.rows))
    assert heard == ["processors"]  # at once
    view.choose(rows="users")
    view.choose(columns=1)
    view.choose(rows="users")
    assert heard == ["processors", "users"]
    view.choose(colours="wait", rows="nodes")
    assert heard == ["processors", "users", "nodes"]  # once for both


def test_what_follows_ends_with_its_owner(qtbot: QtBot) -> None:
    view, owner, heard = ViewState(), QObject(), list[int]()
    view.follow(owner, "columns", lambda: heard.append(view.options.columns))
    owner.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    view.choose(columns=4)
    assert heard == [ViewOptions().columns]


def test_a_field_that_does_not_exist_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(ValueError, match="no fields of the view state: hue"):
        ViewState().follow(QObject(), "rows hue", lambda: None)


def test_what_is_restored_was_not_chosen(qtbot: QtBot) -> None:
    view = ViewState()
    changed, chosen = list[frozenset[str]](), list[frozenset[str]]()
    view.changed.connect(changed.append)
    view.chosen.connect(chosen.append)
    view.restore(ViewOptions(columns=1, layers=GanttLayers(waits=True)))
    assert changed == [{"columns", "layers"}]
    assert chosen == []
    view.choose(columns=1)  # as it is already
    view.choose(columns=2)
    assert changed[1:] == chosen == [{"columns"}]


def test_a_view_that_is_one_kind_of_chart_shows_that_alone() -> None:
    charts = ShownCharts(gantt=False, ram=False)
    shown = {
        view: ViewOptions(view=view, charts=charts).shown_charts
        for view in ("all", "gantt", "heatmap", "jobs")
    }
    assert shown["all"] == shown["jobs"] == shown["heatmap"] == charts
    assert shown["gantt"] == ShownCharts(
        heatmap=False, cpu=False, ram=False, gpu=False, power=False, queue=False
    )


def test_what_names_runs_is_left_to_their_study() -> None:
    naming = ViewOptions(baseline=3, compared=(1, 2), gains_over=2, scattered=3, timeline_hidden=(1, 4))
    options = replace(naming, rows="users")
    assert options.of_any_study == ViewOptions(rows="users")
    assert ViewOptions(rows="users", scattered=7).with_study_of(naming) == options
