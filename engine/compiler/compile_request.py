"""Compiling in another process, for a process in which nothing may wait for the compiler.

Compiling holds Numba's lock and, for a tenth of a second at a time, the interpreter; no thread can be
stopped while it compiles. A process with windows therefore calls `compile_elsewhere`: what is not in the
cache is then asked for, in a `CompileRequest`, and comes back as an entry of the cache.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CompileRequest:
    """A kernel that another process of this user is to compile.

    `module` and `name` say where the kernel is, `types` (pickled) for which arguments. `state` names the
    sources of all kernels, and `purpose` this kernel's: the other process may have read newer files.
    """

    state: str
    module: str
    name: str
    purpose: str
    types: bytes


class MissingKernelError(Exception):
    """A kernel that is not in the cache, and that this process may not compile."""

    def __init__(self, request: CompileRequest) -> None:
        super().__init__(f"{request.module}.{request.name} is not compiled")
        self.request = request


class CompilationError(Exception):
    """A kernel that the other process did not compile."""


Compile = Callable[[CompileRequest], bytes]
"""Has a kernel compiled, and returns its entry of the cache. Raises CompilationError."""

_compile: Compile | None = None
_entries: dict[str, bytes] = {}
"""Entries that came and were not loaded yet, by their purpose."""


def compile_elsewhere(compile_kernel: Compile | None) -> None:
    """Compile no kernel in this process from now on, but by `compile_kernel`; None: here again."""
    global _compile
    _compile = compile_kernel


def compiles_here() -> bool:
    """Whether this process compiles kernels itself."""
    return _compile is None


def take_entry(purpose: str) -> bytes | None:
    """The entry that came for a purpose; None if there is none."""
    return _entries.pop(purpose, None)


class _Loading(threading.local):
    """What a thread has spent on loading kernels."""

    seconds = 0.0
    under_way = False  # a kernel may load others that it calls


_loading = _Loading()


def run_clock() -> float:
    """Seconds of a clock that stands while this thread loads or compiles kernels, or waits for them.

    What takes a run's time reads it: a kernel is compiled once for all runs.
    """
    return time.perf_counter() - _loading.seconds


def load_or_ask(load: Callable[[Any], Any], types: Any) -> Any:
    """What `_load_or_ask` gives, while the clock of runs stands."""
    if _loading.under_way:
        return _load_or_ask(load, types)
    began, _loading.under_way = time.perf_counter(), True
    try:
        return _load_or_ask(load, types)
    finally:
        _loading.seconds += time.perf_counter() - began
        _loading.under_way = False


def _load_or_ask(load: Callable[[Any], Any], types: Any) -> Any:
    """What `load` gives for these argument types, after having had the kernel compiled if it is missing.

    `load` is Numba's own method, which holds the lock of the compiler: this thread waits outside of it, so
    that others can load kernels meanwhile. Raises CompilationError, and what the function given to
    `compile_elsewhere` raises.
    """
    try:
        return load(types)
    except MissingKernelError as missing:
        request = missing.request
    if _compile is not None:  # else the process has just stopped asking others
        _entries[request.purpose] = _compile(request)
    try:
        return load(types)
    except MissingKernelError:
        raise CompilationError(f"{request.module}.{request.name} came for other arguments") from None
    finally:
        take_entry(request.purpose)  # of a thread that waited for the same kernel, and came later
