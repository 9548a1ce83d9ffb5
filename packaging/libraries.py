"""The shared libraries and fonts that Qt takes from the system, and how to get them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
"""What every Qt application needs, drawn offscreen too; the Debian package of each."""

XCB_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
"""What a window under X needs besides."""

FONTS = "fonts-dejavu-core"

SLURM = ["slurmctld", "munge"]
"""Debian packages of Slurm's controller, which tests start."""

_SLURM_PROGRAMS = ("slurmctld", "munged", "scontrol")

SLURM_SECONDS = 240.0
"""In which these are installed, or not."""


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
        f"Qt may not start or show text: missing here are {', '.join(absent)}.\n"
        f"On Debian or Ubuntu: sudo apt-get install {' '.join(packages)}\n"
        "Elsewhere install the packages that hold them, for example dnf install '*/NAME'.",
        file=sys.stderr,
        flush=True,
    )


def offer_slurm(tried: Path) -> None:
    """Install Slurm's controller for the tests that ask it, where that is allowed and possible; never fails.

    `tried`: a file that remembers that it could not be installed, so that not every run tries it again.
    """
    there = all(
        shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin") for name in _SLURM_PROGRAMS
    )
    if there or tried.exists() or not (sys.platform.startswith("linux") and may_install()):
        return
    if not install(SLURM, SLURM_SECONDS):
        print("slurmctld could not be installed: its tests are skipped", file=sys.stderr, flush=True)
        with contextlib.suppress(OSError):
            tried.write_text(" ".join(SLURM))


def missing(xcb: bool) -> dict[str, str]:
    """The libraries that cannot be loaded, and `fonts` if there are none; the Debian package of each."""
    wanted = LIBRARIES | XCB_LIBRARIES if xcb else LIBRARIES
    absent = {name: package for name, package in wanted.items() if not _loads(name)}
    return absent if has_fonts() else absent | {"fonts": FONTS}


def has_fonts() -> bool:
    """Whether a scalable font lies in one of the places where fontconfig looks."""
    shares = os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share").split(":")
    folders = [f"{share}/fonts" for share in (*shares, "/usr/share", Path.home() / ".local/share")]
    folders += [str(Path.home() / ".fonts"), "/run/current-system/sw/share/X11/fonts"]
    endings = (".ttf", ".otf", ".ttc", ".pfb")
    return any(
        name.lower().endswith(endings)
        for folder in folders
        for _, _, names in os.walk(folder)
        for name in names
    )


def may_install() -> bool:
    """Whether this is Debian or a relative of it, and this user may install packages."""
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


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
