"""Documents of earlier versions, brought into the form that this version reads.

Format 1 of sessions, the layouts and the settings of that time had the options of the view one by one, each
store some of them; now all of them hold `ViewOptions` whole.
"""

from __future__ import annotations

from collections.abc import Mapping
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


def upgrade_view(view: Mapping[str, Any]) -> dict[str, Any]:
    """The view of a session of format 1: runs that are compared are options of the view now."""
    layout = _upgrade_old_layout(view.get("layout"))
    options = {**layout["options"], **_some(view, ("baseline", "compared"))}
    return {**view, "layout": {**layout, "options": options}}


def keep_furniture(view: Mapping[str, Any]) -> dict[str, Any]:
    """The view of a session; one of a version whose tabs did not fold away keeps them open."""
    layout = view.get("layout")
    return {**view, "layout": _keep_open(layout)} if isinstance(layout, Mapping) else dict(view)


def _keep_open(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A layout with tabs and inspector as the version that wrote it showed them."""
    options, docks = layout.get("options", {}), layout.get("docks")
    if not isinstance(options, Mapping) or "tabs_open" in options or not docks:
        return dict(layout)
    inspector = docks.get("Selected") if isinstance(docks, Mapping) else None
    shown = inspector.get("shown", True) if isinstance(inspector, Mapping) else True
    return {**layout, "options": {**options, "tabs_open": True, "inspector": shown}}


def upgrade_layout(layout: object) -> dict[str, Any]:
    """A layout of settings, of this version or of one before."""
    return _keep_open(_upgrade_old_layout(layout))


def _upgrade_old_layout(layout: object) -> dict[str, Any]:
    """A layout of a session of format 1, or of settings of that time."""
    if not isinstance(layout, Mapping):
        return {"options": {}}
    if "options" in layout:
        return dict(layout)
    return {**_some(layout, ("docks", "divided")), "options": _some(layout, (*_OF_LAYOUTS, *_SPELLED))}


def upgrade_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the options of the view in one place, and layouts likewise."""
    layouts = values.get("layouts")
    upgraded = dict(values)
    if isinstance(layouts, Mapping):
        upgraded["layouts"] = {name: upgrade_layout(layout) for name, layout in layouts.items()}
    if "view" not in values:
        upgraded["view"] = {
            **_some(values, (*_OF_SETTINGS, *_SPELLED)),
            "layers": {name: values[key] for name in _LAYERS if (key := f"show_{name}") in values},
            "charts": {name: values[key] for name in _CHARTS if (key := f"show_{name}") in values},
            "heatmaps": {name: values[key] for name, key in _HEATMAPS.items() if key in values},
        }
    return upgraded


def _some(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}
