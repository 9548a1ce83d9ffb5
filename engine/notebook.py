"""Progress below the cell of a notebook while a question is worked out."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_LOOK_S = 0.3
"""How often the bar is drawn anew; what takes less shows none."""


@contextmanager
def progress_shown(what: str, progress: Callable[[], float]) -> Iterator[None]:
    """Show how much is done (0 to 1) in the notebook that runs this, until the block ends; else nothing.

    A notebook is known by IPython's kernel; IPython is not imported for that.
    """
    display = _display_of_notebook()
    if display is None:
        yield
        return
    done = threading.Event()

    def follow() -> None:
        handle = None
        while not done.wait(_LOOK_S):
            bar = _Bar(what, progress())
            if handle is None:
                handle = display(bar, display_id=True)
            else:
                handle.update(bar)
        if handle is not None:
            handle.update(_Bar("", 1.0))  # which is empty: the answer stands there then

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _Bar:
    """A bar of progress with its words, as notebooks show it; nothing without words."""

    def __init__(self, what: str, share: float) -> None:
        self.what, self.share = what, min(max(share, 0.0), 1.0)

    def _repr_html_(self) -> str:
        if not self.what:
            return ""
        return f'<progress max="100" value="{100 * self.share:.0f}"></progress> {self}'

    def __repr__(self) -> str:
        return f"{self.what}: {100 * self.share:.0f} %" if self.what else ""


def _display_of_notebook() -> Callable[..., Any] | None:
    """IPython's function that displays, where this runs in a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or getattr(shell, "kernel", None) is None:  # a terminal has a shell without a kernel
        return None
    display: Callable[..., Any] = ipython.display.display  # type: ignore[union-attr]
    return display
