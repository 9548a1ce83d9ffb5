"""How much memory this process holds, and giving back what it no longer needs."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QThreadPool, QTimer

from app.model.workbench import Workbench
from views.work.renderer import Renderer

_REST_MS = 1500

_MMAP_THRESHOLD, _LARGE = -3, 1 << 20
"""What mallopt calls the size, in bytes, from which arrays are large; and that size."""

_NEVER = 2**31 - 1
_MANY = 200
"""So many times the collector looked at young objects: then all are looked at, as soon as nothing is done."""


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


def map_large_arrays() -> None:
    """Have large arrays lie in pages of their own, which go back to the system as soon as they are freed.

    The C library of Linux does so at first, but raises what counts as large with each that is freed, up to
    32 MB. What several threads work out then lies scattered: 250 MB more at the most, and 30 MB for
    good, with four runs of a trace of 300,000 jobs.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Return freed memory to the system; takes some milliseconds.

    The C library of Linux keeps what was freed between arrays still in use, in each thread's heap:
    over 200 MB after four runs of a trace of 300,000 jobs.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other C libraries have no such function
            ctypes.CDLL(None).malloc_trim(0)


class Housekeeper(QObject):
    """Gives memory back, in a thread, when nothing was simulated or drawn for a while.

    Not after every piece of work: what a slider's next step needs would have to be fetched again.
    Python's collector, too, looks at old objects only then, and seldom: the compiler's are so many that
    it holds the interpreter for 100 ms, in whatever thread, and it finds next to nothing.
    """

    def __init__(self, workbench: Workbench, renderer: Renderer, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._renderer = workbench, renderer
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._tidy)
        map_large_arrays()
        gc.set_threshold(*gc.get_threshold()[:2], _NEVER)
        renderer.idle.connect(self._rest.start)

    def _tidy(self) -> None:
        if self._workbench.busy or self._renderer.busy:
            self._rest.start()
        else:
            if gc.get_count()[2] > _MANY:
                gc.collect()
            QThreadPool.globalInstance().start(give_back)
