"""What a job used of what it was given, where its log tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from engine.quantities import QUANTITIES, Jobs, Missing
from engine.trace import Trace
from views.inspector.html import Html, text
from views.text.units import UNITS
from views.text.values import duration

_SHOWN = (
    ("CPU time used", "cpu_used", "cpu_efficiency"),
    ("RAM used", "ram_used", "ram_efficiency"),
    ("GPUs busy", "gpu_used", "gpu_efficiency"),
    ("RAM of GPUs used", "gpu_ram_used", ""),
    ("Energy", "energy", ""),
)
"""Labels, amounts, and which parts these are of what the job was given."""


def used_facts(trace: Trace, job: int) -> list[tuple[str, Html]]:
    """Label and value of each thing that the log tells of a job: `at most 4 GiB, 50 %`."""
    jobs = Jobs(trace.take(np.array([job])))
    return list(_facts(jobs))


def _facts(jobs: Jobs) -> Iterator[tuple[str, Html]]:
    bound = jobs.trace.ram_used_bound is not None and bool(jobs.trace.ram_used_bound[0])
    for label, amount, part in _SHOWN:
        told = _spelled(jobs, amount, duration if amount == "cpu_used" else None)
        if not told:
            continue
        share = _spelled(jobs, part) if part else ""
        at_most = "at most " if bound and amount == "ram_used" else ""
        yield label, text(f"{at_most}{told}{f', {share}' if share else ''}")


def _spelled(jobs: Jobs, name: str, show: Callable[[float], str] | None = None) -> str:
    """A quantity of the one job as people read it, by `show` or its unit; empty where there is none."""
    quantity = QUANTITIES[name]
    values = quantity.values(jobs)
    if isinstance(values, Missing):
        return ""
    assert isinstance(values, np.ndarray)
    if np.isnan(values[0]):
        return ""
    return (show or UNITS[quantity.unit].show)(float(values[0]))
