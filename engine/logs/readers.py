"""The readers of all formats but the Standard Workload Format, and which of them a log is for.

All of them are loaded with this module: `read.py` asks for it where a log is not in that format.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.logs import format_table as formats
from engine.logs.files.content import Progress
from engine.logs.formats.condor import is_condor, read_condor
from engine.logs.formats.gwf import is_gwf, read_gwf
from engine.logs.formats.lsf import is_lsf, read_lsf
from engine.logs.formats.pbs import is_pbs, read_pbs
from engine.logs.formats.sge import is_sge, read_sge
from engine.logs.json_log import is_json, read_json
from engine.logs.sacct.prints.dump import is_slurm, read_slurm
from engine.logs.sacct.prints.jobcomp import is_jobcomp, read_jobcomp
from engine.logs.tables.table import is_odd_table, is_table, read_csv
from engine.machine.cluster import Cluster
from engine.trace.records import Records


class Format(NamedTuple):
    """A format of logs: its name, a function that recognises it by the first bytes, and its reader.

    A reader returns the records, or a function that makes them after the text is released.
    """

    name: str
    recognises: Callable[[bytes], bool]
    read: Callable[
        [Path, NDArray[np.uint8], Cluster | None, Progress | None], Records | Callable[[], Records]
    ]


LOGS = (
    Format(formats.SACCT.label, is_slurm, read_slurm),
    Format(formats.JOBCOMP.label, is_jobcomp, read_jobcomp),
    Format(formats.PBS.label, is_pbs, read_pbs),
    Format(formats.SGE.label, is_sge, read_sge),
    Format(formats.LSF.label, is_lsf, read_lsf),
    Format(formats.JSON.label, is_json, read_json),
    Format(formats.CONDOR.label, is_condor, read_condor),
    Format(formats.GWF.label, is_gwf, read_gwf),
    Format(formats.TABLE.label, is_table, read_csv),
)
"""The first that recognises a log reads it."""


@lru_cache(maxsize=4)  # the first bytes of a log are asked for several times while it is read
def format_of(head: bytes) -> Format | None:
    """The format of a log that begins like this; None where no reader of these knows it."""
    return next((known for known in LOGS if known.recognises(head)), None)


def is_dump(head: bytes) -> bool:
    """Whether a log is or may be a dump of sacct, by its first bytes: no other reader accepts it."""
    known = format_of(head)
    return known is None or known.read is read_slurm


def is_table_alone(head: bytes) -> bool:
    """Whether a log is a table that no other reader accepts, by its first bytes."""
    known = format_of(head)
    return is_odd_table(head) if known is None else known.read is read_csv
