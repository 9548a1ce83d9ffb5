"""Batchscope in Python: read a log, run policies on it, look at tables and figures.

import batchscope

log = batchscope.read(batchscope.EXAMPLE)
runs = batchscope.compare(log, ["easy", "fairshare-easy", "conservative"])
runs.metrics
runs["easy"].jobs
runs.figure("heatmap").savefig("heatmap.pdf")
batchscope.figure(runs, "boxes", x="queue", y="wait", colour="policy").savefig("waits.pdf")

Of a site with files in DIR: batchscope.twin(log, "DIR"), batchscope.now("DIR", "queue.json", log). Of any
log: batchscope.queue(log, "easy", at), batchscope.search(log, minimize="wait_mean").
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.api import EXAMPLE, Picture, Runs, compare, figure
    from app.export.figure_request import FIGURES
    from app.report.python_ranks import Ranks, rank
    from app.report.python_report import report
    from engine.api import (
        change,
        difference,
        env,
        explain,
        generate,
        now,
        now_by_cluster,
        queue,
        read,
        search,
        sweep,
        twin,
        waits,
    )
    from engine.errors import InputError
    from engine.learning.learned_pass import follow
    from engine.own.declare import Range, metric, order, predictor, priority, quantity, scheduler
    from engine.reading.log import Log
    from engine.runs import Measuring, OneRun

_HOMES = {
    "app.api": ("EXAMPLE", "Picture", "Runs", "compare", "figure"),
    "app.export.figure_request": ("FIGURES",),
    "app.report.python_ranks": ("Ranks", "rank"),
    "app.report.python_report": ("report",),
    "engine.api": (
        *("change", "difference", "env", "explain", "generate", "now", "now_by_cluster", "queue", "read"),
        *("search", "sweep", "twin", "waits"),
    ),
    "engine.errors": ("InputError",),
    "engine.learning.learned_pass": ("follow",),
    "engine.own.declare": ("Range", "metric", "order", "predictor", "priority", "quantity", "scheduler"),
    "engine.reading.log": ("Log",),
    "engine.runs": ("Measuring", "OneRun"),
}
"""The public names by their modules, which are imported with the first use of a name: compiled kernels and
what draws take longer to import than a small comparison takes.
"""

__all__ = [
    "EXAMPLE",
    "FIGURES",
    "InputError",
    "Log",
    "Measuring",
    "OneRun",
    "Picture",
    "Range",
    "Ranks",
    "Runs",
    "change",
    "compare",
    "difference",
    "env",
    "explain",
    "figure",
    "follow",
    "generate",
    "metric",
    "now",
    "now_by_cluster",
    "order",
    "predictor",
    "priority",
    "quantity",
    "queue",
    "rank",
    "read",
    "report",
    "scheduler",
    "search",
    "sweep",
    "twin",
    "waits",
]


def __getattr__(name: str) -> object:
    """The public name, imported from its module and kept. Raises AttributeError."""
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
