"""The view state of a window: all that can be looked at in another way, as one evented value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from views.data.gantt.colours import ColourMode
from views.data.gantt.layers import Layers
from views.data.gantt.rows import RowKind
from views.data.gantt.steps import StepKind
from views.data.heatmap_look import HeatmapLook


@dataclass(frozen=True)
class ShownCharts:
    """The charts of a run over time, shown or not; the strips stand under a heatmap that is shown."""

    gantt: bool = True
    heatmap: bool = True
    cpu: bool = True
    ram: bool = True
    queue: bool = True
    folds: bool = True  # strips are folded away where room is short


@dataclass(frozen=True)
class ViewOptions:
    """Plain values with defaults, so that settings, layouts and sessions can hold them."""

    view: str = "all"  # the name of a `ViewSpec`, or `all`
    tab: str = ""  # the title of the tab in front; empty: the first
    charts: ShownCharts = field(default_factory=ShownCharts)
    columns: int = 2  # run panels beside each other
    rows: RowKind = "processors"  # of the Gantt charts, as are the next three
    colours: ColourMode = "user"
    layers: Layers = field(default_factory=Layers)
    step: StepKind = "row"
    heatmaps: HeatmapLook = field(default_factory=HeatmapLook)
    distributions: str = ""  # `Choices.spelling`
    scatter: str = ""  # `ScatterChoices.spelling`
    timeline_log: bool = False  # queue depth on a logarithmic scale
    timeline_averages: tuple[str, ...] = ("now", "10 h", "24 h")
    gain_weights: tuple[int, int, int] = (50, 25, 25)  # wait, unfair jobs, loss of capacity, each 0 to 100
    hidden_columns: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of tables, by their names
    baseline: int | None = None  # the run that starts in Gantt charts are compared with; None: the first
    compared: tuple[int, int] | None = None  # the runs whose difference is shown; None: the first two

    @property
    def of_any_study(self) -> ViewOptions:
        """The options without what names runs: those of another trace have the same numbers."""
        return replace(self, baseline=None, compared=None)


class ViewState(QObject):
    """The options of one window.

    `changed` carries the names of the fields that are another now. `chosen` carries them too, but only
    where the user chose them, not where a session or a layout brought them: settings remember those.
    """

    changed = Signal(frozenset)
    chosen = Signal(frozenset)

    def __init__(self, options: ViewOptions | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.options = options or ViewOptions()

    def choose(self, **values: Any) -> None:
        """Set fields that the user chose."""
        names = self._set(replace(self.options, **values))
        if names:
            self.chosen.emit(names)

    def restore(self, options: ViewOptions) -> None:
        """Show what was kept."""
        self._set(options)

    def follow(self, owner: QObject, names: str, show: Callable[[], object]) -> None:
        """Call `show` now and whenever one of the fields, named with spaces between them, changes.

        That ends with its `owner`. Raises ValueError for a name that is no field.
        """
        wanted = frozenset(names.split())
        unknown = wanted - {entry.name for entry in fields(ViewOptions)}
        if unknown:
            raise ValueError(f"no fields of the view state: {', '.join(sorted(unknown))}")

        def hear(changed: frozenset[str]) -> None:
            if wanted & changed:
                show()

        self.changed.connect(hear)
        owner.destroyed.connect(lambda: self.changed.disconnect(hear) if isValid(self) else None)
        show()

    def _set(self, options: ViewOptions) -> frozenset[str]:
        before, self.options = self.options, options
        names = frozenset(
            entry.name
            for entry in fields(ViewOptions)
            if getattr(options, entry.name) != getattr(before, entry.name)
        )
        if names:
            self.changed.emit(names)
        return names
