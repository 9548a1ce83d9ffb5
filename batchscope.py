"""Batchscope in Python: read a log, run policies on it, look at tables and figures.

import batchscope

log = batchscope.read(batchscope.EXAMPLE)
runs = batchscope.compare(log, ["easy", "fairshare-easy", "conservative"])
runs.metrics
runs["easy"].jobs
runs.figure("heatmap").savefig("heatmap.pdf")

Of a site with files in DIR: batchscope.twin(log, "DIR"), batchscope.now("DIR", "queue.json", log). Of any
log: batchscope.queue(log, "easy", at), batchscope.search(log, minimize="wait_mean").
"""

from app.api import EXAMPLE, FIGURES, Picture, Runs, compare
from engine.api import change, now, now_by_cluster, queue, read, search, twin, waits
from engine.errors import InputError
from engine.reading.log import Log
from engine.runs import Measuring, OneRun

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
    "now_by_cluster",
    "queue",
    "read",
    "search",
    "twin",
    "waits",
]
