"""Where the machine code of kernels is kept, told without loading the compiler."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

_SOURCES = Path(__file__).resolve().parents[2]
_IMPORT = re.compile(rb"^from ((?:engine|views)[\w.]*) import", re.MULTILINE)
_KERNELS = b"from engine.compiler.kernels import"
_COMPILER = (
    "engine.compiler.kernels",
    "engine.compiler.packed",
    "engine.compiler.parts",
)  # they have a say in the code of every kernel
_KEPT_S = 7 * 86_400


def cache_folder(module: str) -> Path:
    """The folder of the machine code of a module's kernels, in the state that its sources have.

    Numba looks only at the file of a kernel to tell whether its code is stale, not at the
    files of the kernels that it calls or whose constants it uses; here they count. Lies in
    NUMBA_CACHE_DIR where that is set, else in the user's cache folder.
    """
    return _base() / f"kernels-{_digest(_SOURCES, module)}"


def is_filled() -> bool:
    """Whether every kernel of this state was compiled before."""
    return _ready().exists()


def mark_filled() -> None:
    """Note that every kernel of this state is there, and remove what was not used for a week."""
    ready = _ready()
    ready.parent.mkdir(parents=True, exist_ok=True)
    ready.touch()
    for old in ready.parent.glob("kernels-*"):
        with suppress(OSError):  # another process may remove it too
            if time.time() - old.stat().st_mtime > _KEPT_S:
                shutil.rmtree(old) if old.is_dir() else old.unlink()


@cache
def use_folder(folder: Path) -> bool:
    """Make the folder if need be, and keep its code for another week; False where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _base() -> Path:
    base = os.environ.get("NUMBA_CACHE_DIR")
    return Path(base) if base else user_cache_path("batchscope")


def _ready() -> Path:
    digest = hashlib.sha256()
    for room in ("engine", "views"):
        for path in sorted((_SOURCES / room).rglob("*.py")):
            if _KERNELS in path.read_bytes():
                name = ".".join(path.relative_to(_SOURCES).with_suffix("").parts)
                digest.update(_digest(_SOURCES, name).encode())
    return _base() / f"kernels-{digest.hexdigest()[:16]}.ready"


@cache
def _numba() -> str:
    """The compiler, and whether it looks after all indices."""
    return f"{version('numba')} {os.environ.get('NUMBA_BOUNDSCHECK', '')}"


@cache
def _digest(sources: Path, module: str) -> str:
    """Names a module together with all the kernels and constants that it imports, as they are now."""
    digest = hashlib.sha256(f"{_numba()} {module}".encode())
    for name in sorted({*_COMPILER, *_with_imports(sources, module)}):
        digest.update(_source(sources, name))
    return digest.hexdigest()[:16]


def _with_imports(sources: Path, module: str) -> set[str]:
    """The module and what it imports; of modules with kernels, also what those import in their turn."""
    found, open_ends = {module}, [module]
    while open_ends:
        source = _source(sources, open_ends.pop())
        if _KERNELS in source:
            new = {name.decode() for name in _IMPORT.findall(source)} - found
            found |= new
            open_ends += new
    return found


@cache
def _source(sources: Path, module: str) -> bytes:
    path = sources / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path.read_bytes() if path.exists() else b""
