"""The folder of the kernels' machine code, found without loading the compiler.

One folder holds all kernels of one state of the sources, for one version of the compiler and one
processor, and is named by a digest of these. It is filled under another name and renamed when every
kernel is there, so a folder with the final name is complete. Numba and child processes find it by
NUMBA_CACHE_DIR. A package ships its kernels (`shipped.py`): those are read first, and further kernels are
compiled for the same kind of processor.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from engine.compiler import entries
from engine.compiler.shipped import COMPILERS, PROCESSOR, PROCESSOR_SETTING, Shipped, shipped_in
from engine.compiler.versions import version_of
from engine.system import describe_processor, machine, user_id
from engine.trust import DistrustError, check_one, check_own, make_own

_SOURCES = Path(__file__).resolve().parents[2]
_KERNELS = b"from engine.compiler.kernels import"
_IMPORT = re.compile(rb"^from ((?:engine|views)[\w.]*) import", re.MULTILINE)
_NAME = "kernels-"
_VARIABLE = "NUMBA_CACHE_DIR"
_KEPT_S = 7 * 86_400
_CODE_SETTINGS = tuple(
    f"NUMBA_{name}"
    for name in (
        "BOUNDSCHECK",
        "CPU_FEATURES",
        "CPU_NAME",
        "DEBUGINFO",
        "DEBUG_NRT",
        "DISABLE_INTEL_SVML",
        "DISABLE_JIT",
        "ENABLE_AVX",
        "ENABLE_PROFILING",
        "EXTEND_VARIABLE_LIFETIMES",
        "LLVM_REFPRUNE_FLAGS",
        "LLVM_REFPRUNE_PASS",
        "LOOP_VECTORIZE",
        "NRT_STATS",
        "OPT",
        "SLP_VECTORIZE",
    )
)
"""The variables that change the code that Numba writes; others change what it prints, checks or starts."""
_believed: set[Path] = set()
_made: set[Path] = set()
"""Folders that this process has checked, and temporary ones that it has made."""


def kernel_folder() -> Path:
    """The folder of the kernels of this state, whether or not it exists yet.

    It is in the folder that NUMBA_CACHE_DIR names, or else in the user's cache folder; if neither can be
    written, in a temporary folder that is removed with this process. A call keeps it for another week.
    Folders that other users could have written are skipped with a warning, since compiled code is executed.
    """
    shipped_kernels()  # tells which processor is compiled for
    name = _NAME + _digest(_SOURCES)
    given = Path(os.environ.get(_VARIABLE) or user_cache_path("batchscope"))
    if given.name == name and (given.parent in _made or _is_own(given)):
        return given  # by this process before, or by the one that started it
    folder = _folder_in(given.parent if given.name.startswith(_NAME) else given, name)
    os.environ[_VARIABLE] = str(folder)
    return folder


def shipped_kernels() -> Shipped | None:
    """The kernels shipped with the program, if they can be used here; None in a checkout.

    Numba then compiles missing kernels for the same processors. If the environment sets
    other options of the compiler, these hold, and shipped kernels are not used.
    """
    shipped = shipped_in(_SOURCES)
    if shipped is None or _obstacle_of(_SOURCES):
        return None
    if any(os.environ[name] != PROCESSOR or name != PROCESSOR_SETTING for name in _settings()):
        return None
    os.environ[PROCESSOR_SETTING] = PROCESSOR
    return shipped


@cache
def _obstacle_of(sources: Path) -> str:
    shipped = shipped_in(sources)
    return "" if shipped is None else shipped.obstacle()


def kernel_places() -> list[Path]:
    """The folders that kernels are read from, in this order."""
    shipped = shipped_kernels()
    return [*([] if shipped is None else [shipped.folder]), filled_or_filling()]


def source_digest(module: str, file: str) -> str:
    """The digest of a source with kernels: as recorded in the package, or else of the file."""
    shipped = shipped_in(_SOURCES)
    known = None if shipped is None else shipped.modules.get(module)
    return known or _file_digest(file)


@cache
def _file_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


def describe_sources(sources: Path) -> tuple[str, dict[str, str]]:
    """The input of `shipped.write_about`: the state of the sources in a folder, and each module's digest."""
    sources_of_kernels = _kernel_sources(sources)
    names = {
        path: ".".join(path.relative_to(sources).with_suffix("").parts) for path, _ in sources_of_kernels
    }
    return _state(sources), {names[path]: _file_digest(str(path)) for path, _ in sources_of_kernels}


def _folder_in(place: Path, name: str) -> Path:
    """The folder in a place, or in the user's cache folder if other users could have written the former."""
    folder = place / name
    if not _is_own(folder):
        folder = user_cache_path("batchscope") / name
        if not _is_own(folder):
            return _temporary() / name
    if folder.is_dir():
        with suppress(OSError):  # of root
            os.utime(folder)
    elif not (_can_write(folder.parent) and _is_own(folder)):
        return _temporary() / name
    return folder


def _is_own(folder: Path) -> bool:
    """Whether no other user can have put anything into a folder, or into the one that is being filled.

    Warns if another user could. For a folder that does not exist yet, the nearest existing parent counts.
    """
    try:
        if folder.parent not in _believed:
            _check_nearest(folder.parent)
            if folder.parent.is_dir():
                _believed.add(folder.parent)  # no other user can change it from now on
        for path in (folder, _beside(folder)):
            if os.path.lexists(path):
                check_one(path)
    except DistrustError as error:
        entries.warn_once(f"{error}; compiled code is kept elsewhere")
        return False
    except OSError:
        return False
    return True


def _check_nearest(path: Path) -> None:
    """Check a folder, or its nearest existing parent. Raises DistrustError, OSError."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    check_own(path)


def filled_or_filling() -> Path:
    """The folder for reading and writing kernels: the one being filled until all kernels are there."""
    folder = kernel_folder()
    return folder if folder.is_dir() else _beside(folder)


def is_filled() -> bool:
    """Whether all kernels of this state have been compiled."""
    return shipped_kernels() is not None or kernel_folder().is_dir()


def mark_filled() -> None:
    """Rename the filled folder to its final name, and remove folders not used for a week."""
    folder = kernel_folder()
    if entries.all_kept() and not folder.is_dir():
        with suppress(OSError):  # another process was faster
            make_own(_beside(folder))
            _beside(folder).rename(folder)
    for old in folder.parent.glob(_NAME + "*"):
        with suppress(OSError):  # another process may remove it too
            about = old.lstat()
            if about.st_uid == (user_id() or 0) and time.time() - about.st_mtime > _KEPT_S:
                shutil.rmtree(old) if old.is_dir() else old.unlink()


def _beside(folder: Path) -> Path:
    return folder.with_name(folder.name + ".part")


def _can_write(folder: Path) -> bool:
    try:
        make_own(folder)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary() -> Path:
    """A folder of this process only; if none can be made, kernels are not stored on disk."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="batchscope-"))
    except OSError:
        folder = Path(os.devnull)  # a path below which nothing can be written
    else:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _made.add(folder)
    return folder


@cache
def _digest(sources: Path) -> str:
    """Names the sources of kernels, as they are now, with what compiles them and what runs them."""
    shipped = shipped_in(sources)
    state = _state(sources) if shipped is None else shipped.state
    return hashlib.sha256(f"{_compiler()}\n{_processor()}\n{state}".encode()).hexdigest()[:16]


def _state(sources: Path) -> str:
    digest = hashlib.sha256()
    for path, text in _kernel_sources(sources):
        digest.update(f"{path.relative_to(sources).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _kernel_sources(sources: Path) -> list[tuple[Path, bytes]]:
    """Files with kernels, and those that they import: constants of theirs become part of the code."""
    texts = {
        path: path.read_bytes() for room in ("engine", "views") for path in (sources / room).rglob("*.py")
    }
    found = {path for path, text in texts.items() if _KERNELS in text or path.parent.name == "compiler"}
    for name in {name.decode() for path in found for name in _IMPORT.findall(texts[path])}:
        module = sources / Path(*name.split("."))
        found.add(module / "__init__.py" if module.is_dir() else module.with_suffix(".py"))
    return [(path, texts[path]) for path in sorted(found) if path in texts]


def _compiler() -> str:
    """The versions of all that writes code, and the settings that change what it writes."""
    settings = [f"{name}={os.environ[name]}" for name in _settings()]
    return " ".join([sys.version, *(f"{name} {version_of(name)}" for name in COMPILERS), *settings])


def _settings() -> list[str]:
    """The variables of the environment that change the code that Numba writes."""
    return [name for name in _CODE_SETTINGS if name in os.environ]


def _processor() -> str:
    """The processor and its features as the system names them, so that the compiler need not be loaded.

    If code is compiled for all processors of an architecture, it is only the name of that.
    """
    if os.environ.get(PROCESSOR_SETTING) == PROCESSOR and "NUMBA_CPU_FEATURES" not in os.environ:
        return machine()
    return describe_processor()
