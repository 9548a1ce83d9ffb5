"""How kernels are compiled: one decorator, so that all are compiled alike, and where they are kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numba
from numba import njit
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., object])

_SOURCES = Path(__file__).resolve().parents[1]


def cache_folder() -> Path:
    """Where machine code is kept: one folder for each version and state of the kernels.

    Numba looks only at the file of a kernel to tell whether its code is stale, not at the
    files of the kernels that it calls. Lies in NUMBA_CACHE_DIR where that is set, else in
    the user's cache folder.
    """
    digest = hashlib.sha256(f"{numba.__version__} {version('batchscope')}".encode())
    for room in ("engine", "views"):
        for path in sorted((_SOURCES / room).rglob("*.py")):
            source = path.read_bytes()
            if b"engine.compiled" in source:
                digest.update(source)
    base = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(base) if base else user_cache_path("batchscope")) / f"kernels-{digest.hexdigest()[:16]}"


numba.config.CACHE_DIR = str(cache_folder())


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code.

    The code is kept on disk for the next start and runs without the interpreter lock, so
    that a window stays responsive. No fast math: a schedule is the same on every run.
    """
    compiled: F = njit(cache=True, nogil=True)(function)
    return compiled


def inner_kernel(function: F) -> F:
    """Compile a function that only changes arrays it is given, and makes none.

    Without reference counts and inlined where it is called: handing some sixty arrays from
    call to call otherwise costs a simulation thirty times its own work.
    """
    compiled: F = njit(cache=True, nogil=True, _nrt=False, forceinline=True)(function)
    return compiled
