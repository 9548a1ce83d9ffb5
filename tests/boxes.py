"""Boxes of a Gantt chart, said by hand."""

from itertools import groupby

import numpy as np

from engine.schedule.processors import Boxes


def boxes_of(*rows: tuple[int, int, int]) -> Boxes:
    """Rows of (job, first processor, count): jobs by their start, those of a job ascending."""
    jobs = [(job, len(list(own))) for job, own in groupby(row[0] for row in rows)]
    offset = np.cumsum([0, *(many for _, many in jobs)])
    columns = ([job for job, _ in jobs], offset, [row[1] for row in rows], [row[2] for row in rows])
    return Boxes(*(np.array(column, np.int32) for column in columns))
