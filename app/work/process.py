"""The process: its tuning at the start, the memory that it holds, and giving back what it does not need."""

from __future__ import annotations

import gc
import linecache
import sys

from engine.system import address_space_limit, call_c_library

_SWITCH_S = 0.0001
"""Interval after which a thread releases the interpreter: the GUI thread needs it many times per frame."""

_MMAP_THRESHOLD, _LARGE = -3, 1 << 20
"""What mallopt calls the size, in bytes, from which arrays are large; and that size."""


def tune_process() -> None:
    """Tune this process for a window; call it once, before there are threads.

    Threads: a working thread releases the interpreter to the GUI thread soon.

    Allocator: large arrays get separate pages, which return to the system as soon as they are freed. The C
    library of Linux does so at first, but raises the threshold for large arrays with each that is freed, up
    to 32 MB. The results of several threads then fragment the memory: 250 MB more at the peak, and 30 MB
    permanently, with four runs of a trace of 300,000 jobs.

    Imports: PySide6 reads the source of every module that is loaded after it, to see whether that uses its
    optional spelling of names, and Python keeps all it has read: 26 MB, and a third of the time that imports
    hold the interpreter. No module here uses it.

    Garbage collector: automatic collections are off, since any thread can begin one, and garbage with Qt
    objects that belong to the GUI thread crashes the program if another thread deletes it. Besides, the
    compiler has so many objects that a collection of old ones holds the interpreter for 100 ms and finds
    almost no garbage. `Housekeeper` collects in the GUI thread.
    """
    sys.setswitchinterval(_SWITCH_S)
    tune_allocator()
    spellings = sys.modules.get("shibokensupport.feature")
    if hasattr(spellings, "_mod_uses_pyside"):
        vars(spellings)["_mod_uses_pyside"] = lambda module: False
    linecache.clearcache()
    gc.disable()


def tune_allocator() -> None:
    """Give large arrays separate pages; benchmarks call it too, so that they measure what a window has."""
    call_c_library("mallopt", _MMAP_THRESHOLD, _LARGE)


LEAST_ADDRESS_SPACE = 800_000_000
"""Bytes of address space that compiler and libraries take, whatever the trace is; with less they abort."""

WINDOW_ADDRESS_SPACE = 1_000_000_000
"""And those of a window too: below it Qt aborted, or could start no thread."""


def check_address_space(least: int = LEAST_ADDRESS_SPACE) -> None:
    """Raise MemoryError where too little is allowed (`ulimit -v`): native libraries would abort."""
    limit = address_space_limit()
    if limit is not None and limit < least:
        raise MemoryError(
            f"this process may have {limit:,} bytes of address space (ulimit -v), and needs at least "
            f"{least:,}"
        )


def trim_heaps() -> None:
    """Return freed memory to the system; takes some milliseconds.

    The C library of Linux keeps what was freed between arrays still in use, in each thread's heap:
    over 200 MB after four runs of a trace of 300,000 jobs.
    """
    call_c_library("malloc_trim", 0)
