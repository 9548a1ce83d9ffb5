"""The table of `engine/now/usual_shares.py`, from the logs: `python -m tests.engine.now.usual_shares`."""

from pathlib import Path

import numpy as np

from engine.logs.read import read_trace
from engine.now.usual_shares import LEVELS
from tests.paths import SHARED

FILES = {
    "CEA-Curie": "CEA-Curie-2011-2.1-cln.swf.gz",
    "CTC-SP2": "CTC-SP2-1996-3.1-cln.swf.gz",
    "HPC2N": "HPC2N-2002-2.2-cln.swf.gz",
    "KTH-SP2": "KTH-SP2-1996-2.1-cln.swf.gz",
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln.swf.gz",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln.swf.gz",
    "Zewura": "alea-wagap-2013.swf.gz",
}


def path_of(name: str) -> Path:
    """The file of a log of the table."""
    return SHARED / "traces" / FILES[name]


def quantiles_of(name: str) -> list[float]:
    """The quantiles of what the jobs of a log used of their time limits, at LEVELS."""
    trace = read_trace(path_of(name))
    used = np.minimum(trace.runtime / np.maximum(trace.walltime, 1), 1.0)
    return [round(part, 3) for part in np.quantile(used, LEVELS).tolist()]


if __name__ == "__main__":
    for log in FILES:
        print(f'    "{log}": ({", ".join(f"{part:g}" for part in quantiles_of(log))}),')
