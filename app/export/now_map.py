"""The map of starts as a file: the plot that the window shows, drawn for print."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.now.queued_job import request_words

if TYPE_CHECKING:
    from engine.now.start_map import StartMap


def write_map(found: StartMap, path: Path, source: str) -> None:
    """Draw a map into a file, .pdf, .svg or .png; `source` names the queue. Raises InputError."""
    from app.export.drawing import one_drawing
    from views.figures.plots import plots_figure
    from views.figures.printing import PrintOptions, printed
    from views.figures.save import save_printed
    from views.now.plots import start_map_plot
    from views.plot.page import PlotPage

    note = f"{source}: planned starts of jobs like {request_words(found.job)}, by the limits of all jobs."
    page = PlotPage([start_map_plot(found)])
    with one_drawing:
        made = printed(partial(plots_figure, page, source), PrintOptions(), note.count("\n") + 1)
        save_printed(made, path, note)
