"""The shared libraries and fonts that Qt takes from the system, by the Debian package of each.

Only the standard library and `engine.system` are imported: the set-up of a checkout reads this before
anything is installed.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from pathlib import Path

from engine.system import is_linux, system_name

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
}
"""What every Qt application needs, drawn offscreen too."""

XCB_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
"""What a window under X needs besides."""

WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
"""What a window under Wayland needs besides."""

FONTS = "fonts-dejavu-core"


def libraries_of(platform: str) -> dict[str, str]:
    """The libraries that a Qt platform needs: `xcb`, `wayland`, or another platform without further
    libraries.
    """
    return LIBRARIES | {"xcb": XCB_LIBRARIES, "wayland": WAYLAND_LIBRARIES}.get(platform, {})


def qt_platform(environment: Mapping[str, str]) -> str:
    """The platform that Qt will use, as far as the environment shows; empty if there is no display."""
    platform_name = environment.get("QT_QPA_PLATFORM", "").partition(";")[0].partition(":")[0]
    if platform_name:
        return "wayland" if platform_name.startswith("wayland") else platform_name
    if not is_linux():
        return system_name()
    wayland = environment.get("WAYLAND_DISPLAY")
    if wayland and (environment.get("XDG_SESSION_TYPE") == "wayland" or not environment.get("DISPLAY")):
        return "wayland"
    return "xcb" if environment.get("DISPLAY") else ""


def missing_libraries(platform: str) -> dict[str, str]:
    """Libraries that a platform of Qt needs and that cannot be loaded, with the Debian package of each."""
    if not is_linux():
        return {}
    return {name: package for name, package in libraries_of(platform).items() if not loads(name)}


def loads(name: str) -> bool:
    """True if the system finds a shared library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def has_fonts() -> bool:
    """True if there is a scalable font in a folder that fontconfig searches."""
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


def install_advice(missing: Mapping[str, str]) -> str:
    """The commands that install what is missing, given library and Debian package."""
    packages = " ".join(sorted(set(missing.values())))
    names = " ".join(f"'*/{name}'" for name in missing if ".so" in name)
    elsewhere = f"; on Fedora: sudo dnf install {names}" if names else ""
    return f"on Debian or Ubuntu: sudo apt-get install {packages}{elsewhere}"


def load_fault(error: ImportError) -> str:
    """What keeps a shared library from being loaded, with advice. Raises the error if it is another."""
    fault = str(error)
    if "failed to map segment" in fault:
        return "not enough memory to load a library (ulimit -v)"
    if "cannot open shared object file" not in fault:
        raise error
    # A report draws with Qt, also where no window can be opened.
    missing = missing_libraries("")
    return f"{fault}; {install_advice(missing)}" if missing else fault
