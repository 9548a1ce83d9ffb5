"""The stacks of all threads as text, taken by a thread of Python while the others run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, chain, islice, repeat
from operator import attrgetter, itemgetter
from types import CodeType, FrameType

_MOST_FRAMES = 60
"""Frames of a thread that are shown, from the innermost outwards."""

_MOST_TEXT = 8000

_PLACE = attrgetter("f_code", "f_lineno")


def describe_stacks(first: int) -> str:
    """The stacks of all threads but the calling one; that of the thread with identifier `first` comes first.

    Files and lines alone: reading the sources would take long, and keep them in memory.
    """
    # A frame that is held outlives its function, with its local variables: a painter would stay active on its
    # widget, and be deleted by this thread. No reference to a frame may therefore be held where another
    # thread can have its turn, as after each call in Python. These iterators are compiled code: a single call
    # of `list` or `extend` draws all from them while this thread holds the interpreter.
    thread = threading.get_ident()
    idents = [ident for ident in list(chain.from_iterable(_innermost())) if ident != thread]
    parts = []
    for ident in sorted(idents, key=lambda ident: ident != first):
        title = "Thread of the windows" if ident == first else f"Thread {ident:#x}"
        calls = (f'  File "{c.co_filename}", line {line} in {c.co_qualname}\n' for c, line in _places(ident))
        parts.append(f"{title} (most recent call first):\n{''.join(calls)}")
    return "\n".join(parts)[:_MOST_TEXT].rstrip()


def _innermost() -> Iterator[dict[int, FrameType]]:
    """The innermost frame of each thread, by its identifier, collected when the iterator is asked.

    The interpreter lets no thread come or go meanwhile.
    """
    return islice(iter(sys._current_frames, None), 1)


def _places(ident: int) -> list[tuple[CodeType, int | None]]:
    """The code and line of each call of a thread, the innermost first; empty if the thread has ended."""
    places: list[tuple[CodeType, int | None]] = []
    innermost = map(itemgetter(ident), _innermost())
    # getattr(frame, "f_back") is the next frame, and None after the outermost, which has no code.
    frames = accumulate(chain(innermost, repeat("f_back", _MOST_FRAMES - 1)), getattr)
    with suppress(AttributeError, KeyError):
        places.extend(map(_PLACE, frames))
    return places
