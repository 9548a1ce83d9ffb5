"""Where the machine code of kernels is kept, told without loading the compiler."""

from __future__ import annotations

import hashlib
import os
import shutil
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

_SOURCES = Path(__file__).resolve().parents[1]
_READY = "ready"
_STATES_KEPT = 3


def cache_folder() -> Path:
    """One folder for each installation, version and state of the kernels.

    Numba looks only at the file of a kernel to tell whether its code is stale, not at the
    files of the kernels that it calls or whose constants it uses. Lies in NUMBA_CACHE_DIR
    where that is set, else in the user's cache folder.
    """
    # Numba files machine code under the path of its source.
    digest = hashlib.sha256(f"{version('numba')} {version('batchscope')} {_SOURCES}".encode())
    for room in ("engine", "views"):
        for path in sorted((_SOURCES / room).rglob("*.py")):
            source = path.read_bytes()
            if b"engine.compiled" in source or path.parent.name == "simulation" or path.name == "schedule.py":
                digest.update(source)
    base = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(base) if base else user_cache_path("batchscope")) / f"kernels-{digest.hexdigest()[:16]}"


def is_filled() -> bool:
    """Whether every kernel of this state was compiled before."""
    return (cache_folder() / _READY).exists()


def mark_filled() -> None:
    """Note that every kernel of this state is there, and remove what far older states left."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _READY).touch()
    states = sorted(folder.parent.glob("kernels-*"), key=lambda state: state.stat().st_mtime)
    for state in states[:-_STATES_KEPT]:
        shutil.rmtree(state, ignore_errors=True)
