"""Cumulative work and wait over the size of jobs (Goponenko et al. 2022, figure 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class AreaCurves:
    """Step functions of the job area; row i is valid for areas from `area[i]` up to `area[i + 1]`.

    All of shape (m,), with a row for each area that any job has, ascending.
    """

    area: Ints  # x = r D, processor-seconds
    jobs: Floats  # F(x), the part of the jobs with an area of at most x, 0 to 1
    work: Floats  # the share of these jobs in the sum of all areas, 0 to 1
    wait_area: Floats  # CWA(x) = sum of Q r of these jobs, processor-seconds


def area_curves(wait: Ints, runtime: Ints, procs: Ints) -> AreaCurves:
    """The curves of n jobs with waits Q and runtimes D in seconds and processors r, each of shape (n,).

    F(x), the cumulative share of area and CWA(x) of Goponenko et al. 2022, section V. Where
    the wait area grows in proportion to the area, jobs of all sizes wait equally for their work.
    """
    area = procs * runtime
    order = np.argsort(area, kind="stable")
    ordered = area[order]
    # Jobs of equal area form a point of the curve: the last of them has their sums.
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(area)])
    work = np.cumsum(ordered, dtype=np.float64)
    return AreaCurves(
        area=ordered[last],
        jobs=(last + 1) / max(len(area), 1),
        work=work[last] / max(float(work[-1]), 1.0) if len(area) else np.empty(0),
        wait_area=np.cumsum(wait[order].astype(np.float64) * procs[order])[last],
    )
