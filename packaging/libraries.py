"""The shared libraries and fonts that Qt takes from the system, and how to get them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from app.work.system_libraries import (
    FONTS,
    LIBRARIES,
    XCB_LIBRARIES,
    has_fonts,
    install_advice,
    loads,
)

SLURM = ["slurmctld", "munge"]
"""Debian packages of Slurm's controller, which tests start."""

_SLURM_PROGRAMS = ("slurmctld", "munged", "scontrol")

VALGRIND = ["valgrind", "gcc", "libc6-dev"]
"""Debian packages that count instructions."""

_VALGRIND_PROGRAMS = ("valgrind", "cc")

SHELLS = ["zsh", "fish"]
"""Debian packages of shells, which complete lines in tests."""

_SHELLS_PROGRAMS = ("zsh", "fish")

OFFER_SECONDS = 240.0
"""In which each of these is installed, or not."""


def check(xcb: bool, tried: Path) -> None:
    """Install what is missing where that is allowed, else name it; never fails.

    `xcb`: a window under X is wanted. `tried`: a file that remembers what could not be
    installed, so that not every start tries it again.
    """
    if not sys.platform.startswith("linux"):
        return
    absent = missing(xcb)
    if not absent:
        return
    packages = sorted(set(absent.values()))
    if may_install() and not (tried.exists() and tried.read_text() == " ".join(packages)):
        if install(packages) and not missing(xcb):
            return
        tried.write_text(" ".join(packages))
    print(
        f"Qt may not start or show text: missing here are {', '.join(absent)}.\n{install_advice(absent)}",
        file=sys.stderr,
        flush=True,
    )


def offer_slurm(tried: Path) -> None:
    """Install Slurm's controller for the tests that ask it, where that is allowed and possible; never fails.

    `tried`: a file that remembers that it could not be installed, so that not every run tries it again.
    """
    _offer(SLURM, _SLURM_PROGRAMS, tried)


def offer_valgrind(tried: Path) -> None:
    """Install valgrind and a C compiler, which count instructions, as `offer_slurm` installs Slurm."""
    _offer(VALGRIND, _VALGRIND_PROGRAMS, tried)


def offer_shells(tried: Path) -> None:
    """Install the shells whose completions are tested, as `offer_slurm` installs Slurm."""
    _offer(SHELLS, _SHELLS_PROGRAMS, tried)


def _offer(packages: list[str], programs: tuple[str, ...], tried: Path) -> None:
    there = all(shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin") for name in programs)
    if there or tried.exists() or not (sys.platform.startswith("linux") and may_install()):
        return
    if not install(packages, OFFER_SECONDS):
        print(f"{packages[0]} could not be installed: its tests are skipped", file=sys.stderr, flush=True)
        with contextlib.suppress(OSError):
            tried.write_text(" ".join(packages))


def missing(xcb: bool) -> dict[str, str]:
    """The libraries that cannot be loaded, and `fonts` if there are none; the Debian package of each."""
    wanted = LIBRARIES | XCB_LIBRARIES if xcb else LIBRARIES
    absent = {name: package for name, package in wanted.items() if not loads(name)}
    return absent if has_fonts() else absent | {"fonts": FONTS}


def may_install() -> bool:
    """True if this is Debian or a derivative, and this user may install packages."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install(packages: list[str], seconds: float | None = None) -> bool:
    """Install Debian packages; whether that worked, within some seconds where these are given.

    apt's lists are fetched if they are not there.
    """
    print(f"Installing with apt-get: {' '.join(packages)}", file=sys.stderr, flush=True)
    last = None if seconds is None else time.monotonic() + seconds
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    get = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=60"]
    order = [*get, "install", "-y", "--no-install-recommends", *packages]

    def done(command: list[str]) -> bool:
        left = None if last is None else max(last - time.monotonic(), 0.1)
        try:
            made = subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False, timeout=left)
        except (subprocess.TimeoutExpired, OSError):
            return False
        return made.returncode == 0

    return done(order) or (done([*get, "update"]) and done(order))
