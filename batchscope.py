"""Batchscope in Python: read a log, run policies on it, look at tables and figures.

import batchscope

log = batchscope.read(batchscope.EXAMPLE)
runs = batchscope.compare(log, ["easy", "fairshare-easy", "conservative"])
runs.metrics
runs["easy"].jobs
runs.figure("heatmap").savefig("heatmap.pdf")
"""

from app.api import EXAMPLE, FIGURES, Picture, Runs, compare
from engine.api import Measuring, OneRun, change, now, queue, read, search, twin
from engine.errors import InputError
from engine.reading.log import Log

__all__ = [
    "EXAMPLE",
    "FIGURES",
    "InputError",
    "Log",
    "Measuring",
    "OneRun",
    "Picture",
    "Runs",
    "change",
    "compare",
    "now",
    "queue",
    "read",
    "search",
    "twin",
]
