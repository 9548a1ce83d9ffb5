"""A check that a display answers before Qt connects to it: where none does, Qt ends the process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from threading import Thread

from app.work.system_libraries import qt_platform
from engine.words import clip

ANSWER_S = 5.0
"""How long a display may take to answer: with its network gone it may accept a connection and say nothing."""


def display_obstacle(environment: Mapping[str, str]) -> str:
    """Why Qt cannot open a window on any of the displays that it tries; empty: it can open one.

    Connects to them as Qt does, with the system's libraries. That takes milliseconds.
    """
    obstacles = [_obstacle(platform, environment) for platform in _platforms(environment)]
    return obstacles[0] if obstacles and all(obstacles) else ""


def _platforms(environment: Mapping[str, str]) -> list[str]:
    """The names of the platforms of Qt, in the order in which it tries them."""
    named = environment.get("QT_QPA_PLATFORM", "")
    if named:
        return [qt_platform({"QT_QPA_PLATFORM": name}) for name in named.split(";")]
    platform = qt_platform(environment)
    return ["wayland", "xcb"] if platform == "wayland" and environment.get("DISPLAY") else [platform]


def _obstacle(platform: str, environment: Mapping[str, str]) -> str:
    if platform not in _CONNECT:
        return ""
    variable, connect = _CONNECT[platform]
    name = environment.get(variable, "")
    answers: list[bool] = []
    # A thread that cannot be stopped, in compiled code: it is left behind if the display stays silent.
    thread = Thread(target=lambda: answers.append(connect(name.encode())), daemon=True)
    thread.start()
    thread.join(ANSWER_S)
    if answers == [True]:
        return ""
    how = "does not answer" if not answers else "cannot be connected to"
    return f"Qt cannot open a window: the display {clip(name) or '(not set)'} of {variable} {how}"


def _connects_to_x(name: bytes) -> bool:
    try:
        library = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # the check of libraries says so
    library.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(library.xcb_connect(name or None, None))
    failed = library.xcb_connection_has_error(connection)
    library.xcb_disconnect(connection)
    return not failed


def _connects_to_wayland(name: bytes) -> bool:
    try:
        library = ctypes.CDLL("libwayland-client.so.0")
    except OSError:
        return True
    library.wl_display_connect.restype = ctypes.c_void_p
    display = library.wl_display_connect(name or None)
    if display is not None:
        library.wl_display_disconnect(ctypes.c_void_p(display))
    return display is not None


_CONNECT: dict[str, tuple[str, Callable[[bytes], bool]]] = {
    "xcb": ("DISPLAY", _connects_to_x),
    "wayland": ("WAYLAND_DISPLAY", _connects_to_wayland),
}
"""By platform: the variable that names the display, and whether a display of that name answers."""
