"""How much memory this process holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def resident_bytes() -> int | None:
    """Resident memory in bytes; where only the peak is known, that; None where nothing is."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
