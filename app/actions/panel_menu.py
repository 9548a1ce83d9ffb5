"""Hiding, pinning and aligning charts of runs: in the menu of a chart, and the way back in the Show menu."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from app.actions.command import Submenu
from app.model.alignment import align_with_mark, end_alignment
from app.model.models import Models
from app.panels.charts.run_panel import RunPanel
from views.data.panel_look import Chart
from views.state.spot import Spot
from views.widgets.menu_entries import MenuEntry, MenuItem, literal

KINDS = {
    "gantt": "Gantt chart",
    "heatmap": "heatmap",
    "cpu": "CPU",
    "ram": "RAM",
    "gpu": "GPU",
    "power": "power",
    "queue": "queue",
}


def panel_entries(models: Models, spot: Spot) -> list[MenuItem]:
    """The entries of the menu of a chart that hide it and pin or align its run. Only charts of runs have any,
    but for the end of an alignment.
    """
    panel, options, items = spot.widget.parentWidget(), models.view.options, list[MenuItem]()
    if isinstance(panel, RunPanel):
        run_id = panel.run_id
        # A panel has charts that cannot be hidden alone, such as its second axis: only those of a kind have
        # these entries.
        kind = next((kind for kind, chart in panel.kinds.items() if chart is spot.widget), None)
        if kind is not None:
            pinned = options.panels.pinned == run_id
            pin = partial(_pin, models, None if pinned else run_id)
            tip = "The charts of this run come first and stay visible"
            items.append(MenuEntry("&Hide this chart", partial(_hide, models, (run_id, kind))))
            items.append(MenuEntry("Pin to the &top", pin, on=pinned, tip=tip))
        if spot.time is not None and options.marks:
            inner = [
                MenuEntry(literal(mark.name), partial(align_with_mark, models, run_id, spot.time, mark))
                for mark in options.marks
            ]
            items.append(MenuEntry("A&lign this time with", inner=inner))
    # Wherever the menu opens, the end of an alignment can be reached: after zooming no aligned run may be in
    # sight.
    if options.offsets:
        items.append(MenuEntry("&End the alignment of runs", partial(end_alignment, models)))
    return items


def _hide(models: Models, chart: Chart) -> None:
    options = models.view.options
    solo = None if options.solo == chart else options.solo
    models.view.choose(panels=options.panels.hide(chart), solo=solo)


def _pin(models: Models, run_id: int | None) -> None:
    models.view.choose(panels=replace(models.view.options.panels, pinned=run_id))


def hidden_charts_menu(models: Models) -> Submenu:
    """The submenu of hidden charts: a click shows a chart again."""

    def why_not() -> str:
        return "" if models.view.options.panels.hidden else "No chart is hidden"

    return Submenu("hidden charts", "&Hidden charts", listed=partial(_hidden_charts, models), why_not=why_not)


def _hidden_charts(models: Models) -> list[MenuItem]:
    study, charts = models.workbench.study, models.view.options.panels.hidden
    shown = [
        MenuEntry(
            literal(f"{study.name(run)}: {KINDS.get(kind, kind)}"), partial(_show, models, (run_id, kind))
        )
        for run_id, kind in charts
        if (run := study.run(run_id)) is not None
    ]
    return [*shown, None, MenuEntry("&All of them", partial(_show, models, *charts))]


def _show(models: Models, *charts: Chart) -> None:
    models.view.choose(panels=models.view.options.panels.show(*charts))
