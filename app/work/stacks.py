"""The stacks of all threads as text, taken by a thread of Python while the others run."""

from __future__ import annotations

import sys
import threading
from types import FrameType

_MOST_FRAMES = 60
"""Frames of a thread that are shown, from the innermost outwards."""

_MOST_TEXT = 8000


class Stacks:
    """The stacks of all threads but the calling one, and the frames that they were read from.

    Let the GUI thread delete it. A frame whose function returns meanwhile belongs to this object alone, with
    the function's local variables, and Qt objects may only be deleted by their own thread.
    """

    def __init__(self, first: int) -> None:
        """`first` is the identifier of the thread that the text begins with."""
        self._frames: list[FrameType] = []
        self.text = self._describe(first)

    def _describe(self, first: int) -> str:
        # The interpreter collects the frames while it keeps threads from coming and going, and a frame is
        # followed outwards only while this thread holds the interpreter: no thread changes it then.
        innermost = sys._current_frames()
        innermost.pop(threading.get_ident(), None)  # this thread, whose frame would contain itself
        self._frames.extend(innermost.values())  # at once: no frame may be held by a local variable alone
        parts = []
        for ident in sorted(innermost, key=lambda ident: ident != first):
            title = "Thread of the windows" if ident == first else f"Thread {ident:#x}"
            parts.append(f"{title} (most recent call first):\n{self._calls(innermost[ident])}")
        return "\n".join(parts)[:_MOST_TEXT].rstrip()

    def _calls(self, frame: FrameType | None) -> str:
        # File and line alone: reading the sources would take long, and keep them in memory.
        lines: list[str] = []
        while frame is not None and len(lines) < _MOST_FRAMES:
            code = frame.f_code
            lines.append(f'  File "{code.co_filename}", line {frame.f_lineno} in {code.co_qualname}\n')
            frame = frame.f_back
            if frame is not None:
                self._frames.append(frame)
        return "".join(lines)
