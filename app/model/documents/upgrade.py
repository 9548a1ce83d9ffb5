"""Upgrades of documents of earlier versions, from format to format.

Each step takes a document from one format to the next. Steps are never changed once a version with the next
format is released: a document of any age goes through all that follow its own format.

Format 1 of sessions, the layouts and the settings of that time (format 0 of settings) had the options of the
view as separate fields, each store some of them; later formats hold all of `ViewOptions`. Format 2 of
sessions is older than tabs that fold away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_OF_LAYOUTS = ("view", "tab", "charts", "columns", "rows", "colours", "layers", "heatmaps")
_OF_SETTINGS = ("step", "columns", "rows", "colours", "timeline_log", "timeline_averages", "gain_weights")
_SPELLED = ("distributions", "scatter", "hidden_columns")
_LAYERS = ("down", "waits", "reservations", "idle")
_CHARTS = ("cpu", "ram", "queue", "folds")
_HEATMAPS = {
    "order": "user_order",
    "by_queue": "users_by_queue",
    "measure": "heatmap_shows",
    "shared_scale": "shared_scale",
}


def upgrade_view(view: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The view of a session of format `number`, in the form of today's."""
    for step in range(max(number, min(SESSION_STEPS)), 1 + max(SESSION_STEPS)):
        view = SESSION_STEPS[step](view)
    return dict(view)


def _take_options_together(view: Mapping[str, Any]) -> dict[str, Any]:
    """The view of a session of format 1: runs that are compared are options of the view now."""
    layout = _upgrade_old_layout(view.get("layout"))
    options = {**layout["options"], **_some(view, ("baseline", "compared"))}
    return {**view, "layout": {**layout, "options": options}}


def _take_furniture(view: Mapping[str, Any]) -> dict[str, Any]:
    """The view of a session of format 2: of a version whose tabs did not fold away, it keeps them open."""
    layout = view.get("layout")
    return {**view, "layout": _keep_open(layout)} if isinstance(layout, Mapping) else dict(view)


SESSION_STEPS: dict[int, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    1: _take_options_together,
    2: _take_furniture,
}
"""What brings the view of a session from a format to the next."""


def _keep_open(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A layout with tabs and inspector as the version that wrote it showed them."""
    options, docks = layout.get("options", {}), layout.get("docks")
    if not isinstance(options, Mapping) or "tabs_open" in options or not docks:
        return dict(layout)
    inspector = docks.get("Selected") if isinstance(docks, Mapping) else None
    shown = inspector.get("shown", True) if isinstance(inspector, Mapping) else True
    return {**layout, "options": {**options, "tabs_open": True, "inspector": shown}}


def upgrade_layout(layout: object) -> dict[str, Any]:
    """A layout of settings, of this version or an earlier version."""
    return _keep_open(_upgrade_old_layout(layout))


def _upgrade_old_layout(layout: object) -> dict[str, Any]:
    """A layout of a session of format 1, or of settings of that time."""
    if not isinstance(layout, Mapping):
        return {"options": {}}
    if "options" in layout:
        return dict(layout)
    return {**_some(layout, ("docks", "divided")), "options": _some(layout, (*_OF_LAYOUTS, *_SPELLED))}


def settings_format(values: Mapping[str, Any]) -> int:
    """The format of settings; the first versions did not store it."""
    number = values.get("format", 0)
    return max(number, 0) if type(number) is int else 0


def upgrade_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of any format, in the form of today's."""
    upgraded = dict(values)
    for step in range(settings_format(values), SETTINGS_FORMAT):
        upgraded = SETTINGS_STEPS[step](upgraded)
    return upgraded


def _take_view_together(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the options of the view in a single place, and likewise for layouts."""
    layouts = values.get("layouts")
    upgraded = dict(values)
    if isinstance(layouts, Mapping):
        upgraded["layouts"] = {name: upgrade_layout(layout) for name, layout in layouts.items()}
    # Older versions have each of these options as a setting of its own, under another name.
    if "view" not in values:
        upgraded["view"] = {
            **_some(values, (*_OF_SETTINGS, *_SPELLED)),
            "layers": {name: values[key] for name in _LAYERS if (key := f"show_{name}") in values},
            "charts": {name: values[key] for name in _CHARTS if (key := f"show_{name}") in values},
            "heatmaps": {name: values[key] for name, key in _HEATMAPS.items() if key in values},
        }
    return upgraded


SETTINGS_STEPS: dict[int, Callable[[Mapping[str, Any]], dict[str, Any]]] = {0: _take_view_together}
"""What brings settings from a format to the next."""

SETTINGS_FORMAT = 1 + max(SETTINGS_STEPS)


def _some(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}
