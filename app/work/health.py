"""Checks of the environment: libraries, fonts, display, cache, disk, versions."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_path, user_config_path, user_state_path

from app.work import system_libraries
from app.work.child import command
from app.work.display_probe import display_obstacle
from app.work.system_libraries import install_advice, missing_libraries, qt_platform
from engine.system import describe_system, is_linux

State = Literal["ok", "note", "fault"]

_PACKAGES = (
    "numpy",
    "numba",
    "llvmlite",
    "PySide6-Essentials",
    "pyqtgraph",
    "pandas",
    "pyarrow",
    "matplotlib",
)
_LITTLE_BYTES = 200_000_000
"""Less free space than this is a fault: compiled code, settings and autosaves would not fit for long."""

_MOST_NAMED = 3
"""Libraries that the message of a window names; `batchscope doctor` names all."""

_PROBE_S = 20.0
_SCALES = ("QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_ENABLE_HIGHDPI_SCALING")
_OFFSCREEN = "to draw without a display: QT_QPA_PLATFORM=offscreen batchscope FILE --screenshot out.png"


@dataclass(frozen=True)
class Check:
    """A thing that was checked: what was found, and where it is no good what to do, in commands."""

    name: str
    state: State
    found: str
    advice: str = ""


def check_all() -> Iterator[Check]:
    """Check everything, the quickest first."""
    yield _versions()
    yield _libraries(os.environ)
    yield _fonts()
    yield from _folders()
    yield from kernel_checks()
    yield _screen(os.environ)


def window_obstacle(environment: Mapping[str, str]) -> str:
    """The reason why no window can be opened, with what to do, in a line; empty if none is known.

    Qt would end the process, and would name a different library from the missing library.
    """
    kind = qt_platform(environment)
    missing = missing_libraries(kind)
    if not missing:
        obstacle = display_obstacle(environment)
        return f"{obstacle}; {_display_advice(kind)}" if obstacle else ""
    where = {"xcb": "under X", "wayland": "under Wayland"}.get(kind, "with Qt")
    named = list(missing)[:_MOST_NAMED]
    more = f" and {len(missing) - len(named)} more" if len(missing) > len(named) else ""
    packages = " ".join(sorted(set(missing.values())))  # whole: a command that is cut is none
    return (
        f"no window can be opened {where}: missing here are {', '.join(named)}{more}; "
        f"on Debian or Ubuntu: sudo apt-get install {packages}"
    )


def versions() -> str:
    """The versions of the program and its libraries, in a line."""
    parts = [f"batchscope {_version('batchscope')}", f"Python {platform.python_version()}"]
    parts += [f"{name} {_version(name)}" for name in _PACKAGES]
    return ", ".join([*parts, describe_system()])


def _versions() -> Check:
    absent = [name for name in ("batchscope", *_PACKAGES) if not _version(name)]
    if absent:
        advice = "install the program again: pipx reinstall batchscope"
        return Check("versions", "fault", f"not installed: {', '.join(absent)}", advice)
    return Check("versions", "ok", versions())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _libraries(environment: Mapping[str, str]) -> Check:
    kind = qt_platform(environment)
    about = kind or "none, since there is no display"
    missing = missing_libraries(kind)
    if missing:
        fault = f"Qt's platform is {about}; missing here are {', '.join(missing)}"
        return Check("libraries", "fault", fault, install_advice(missing))
    count = len(system_libraries.libraries_of(kind))
    if not kind:
        return Check(
            "libraries", "note", f"Qt's platform is {about}; its {count} libraries are here", _OFFSCREEN
        )
    return Check("libraries", "ok", f"Qt's platform is {about}; its {count} libraries are here")


def _fonts() -> Check:
    if is_linux() and not system_libraries.has_fonts():
        advice = install_advice({"fonts": system_libraries.FONTS})
        return Check(
            "fonts", "fault", "no scalable font was found: windows would show boxes for letters", advice
        )
    return Check("fonts", "ok", "scalable fonts are here")


def _folders() -> Iterator[Check]:
    """Check that the user's folders, and that of temporary files, are writable and have room."""
    for name, path in (
        ("settings", user_config_path("batchscope")),
        ("sessions", user_state_path("batchscope")),
        ("cache", user_cache_path("batchscope")),
        ("temporary", Path(tempfile.gettempdir())),
    ):
        yield check_folder(name, path)


def check_folder(name: str, path: Path) -> Check:
    """Check that a folder, or its nearest existing parent, is writable and has room."""
    there = path
    # A folder that is not made yet is made by the program, so its nearest parent is what must be writable.
    while not there.exists() and there != there.parent:
        there = there.parent
    title = f"{name} folder"
    variable = {"settings": "XDG_CONFIG_HOME", "sessions": "XDG_STATE_HOME", "cache": "XDG_CACHE_HOME"}
    other = f"or name another: export {variable.get(name, 'TMPDIR')}=FOLDER"
    try:
        # A real file of some bytes: permissions tell nothing about quotas and file systems that are full.
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"\0" * 4096)
            file.flush()
        free = shutil.disk_usage(there).free
    except OSError as error:
        reason = error.strerror or str(error)
        advice = f"see who may write there: ls -ld {there}; what fills it: df -h {there}; {other}"
        return Check(title, "fault", f"{path} cannot be written: {reason}", advice)
    if free < _LITTLE_BYTES:
        state = f"{path} has {free / 1e6:.0f} MB free"
        return Check(title, "fault", state, f"see what fills it: du -xh {there} | sort -h | tail; {other}")
    return Check(title, "ok", f"{path}, {free / 1e9:.1f} GB free")


def kernel_checks() -> Iterator[Check]:
    """Checks of the compiled kernels: those of a package, or those in the cache."""
    import engine
    from engine.compiler.cache import is_filled, kernel_folder, shipped_kernels
    from engine.compiler.shipped import shipped_in

    shipped = shipped_in(Path(str(engine.__file__)).resolve().parents[1])
    again = "install the package again; until then what is missing is compiled"
    # From the worst: not used at all, used but damaged, complete.
    if shipped is not None:
        obstacle = shipped.obstacle()
        # A package's kernels are ignored where the environment asks for other code.
        if not obstacle and shipped_kernels() is None:
            names = [name for name in os.environ if name.startswith("NUMBA_")]
            obstacle = f"the environment changes how code is compiled: unset {' '.join(names)}"
        damaged = [] if obstacle else shipped.damaged()
        if obstacle:
            yield Check("kernels", "fault", f"those of the package are not used: {obstacle}", again)
        elif damaged:
            state = f"{len(damaged)} of the package's {len(shipped.kernels)} are damaged, like {damaged[0]}"
            yield Check("kernels", "fault", state, again)
        else:
            yield Check("kernels", "ok", f"{len(shipped.kernels)} came with the package, and are complete")
    elif is_filled():
        yield Check("kernels", "ok", f"compiled, in {kernel_folder()}")
    else:
        state = f"not compiled yet: the first window does so in a minute, into {kernel_folder().parent}"
        yield Check("kernels", "note", state, "to do it now: batchscope demo")


def _screen(environment: Mapping[str, str]) -> Check:
    """Start Qt in a child process, and read its description of the screens."""
    # From cheap to expensive, since Qt ends the process where it cannot reach a display: only a child may
    # try.
    kind = qt_platform(environment)
    if not kind:
        return Check("display", "note", "there is no display", _OFFSCREEN)
    if missing_libraries(kind):
        return Check("display", "note", "not tried, since libraries are missing")
    if obstacle := display_obstacle(environment):
        return Check("display", "fault", obstacle, _display_advice(kind))
    try:
        done = subprocess.run(
            command("app.work.screen_probe"),
            env=dict(environment),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_S,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return Check("display", "fault", f"Qt did not start: {error}", _OFFSCREEN)
    # Whatever else Qt prints, facts are JSON: anything else is its complaint.
    try:
        facts = json.loads(done.stdout)
    except ValueError:
        words = [line for line in done.stderr.splitlines() if line.strip()]
        reason = words[0][:300] if words else f"exit status {done.returncode}"
        return Check("display", "fault", f"Qt cannot open a window: {reason}", _display_advice(kind))
    return Check("display", "ok", describe_screens(facts, environment))


def _display_advice(kind: str) -> str:
    other = {"xcb": "wayland", "wayland": "xcb"}.get(kind)
    try_other = f"try the other platform: QT_QPA_PLATFORM={other} batchscope; " if other else ""
    return f"{try_other}to see what Qt misses: QT_DEBUG_PLUGINS=1 batchscope; {_OFFSCREEN}"


def describe_screens(facts: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Qt's description of its screens, in words, with the variables that scale them."""
    screens = [
        f"{screen['width']} x {screen['height']} at scale {screen['scale']:g} ({screen['dpi']} dpi)"
        for screen in facts["screens"]
    ]
    set_here = [f"{name}={environment[name]}" for name in _SCALES if name in environment]
    text = f"{facts['platform']}: {'; '.join(screens) or 'no screen'}; {facts['fonts']} families of fonts"
    return f"{text}; {', '.join(set_here)}" if set_here else text
