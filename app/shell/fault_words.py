"""Texts of windows about errors: what happened, whether the work was saved, and what to do."""

from __future__ import annotations

from app.session.autosave import is_full

_MAKE_ROOM = "Make room and save the session, or save it on another disk."


def fault_text(error: BaseException, saved: bool) -> str:
    """The fault in words for the user, and what to do; `saved` says whether the work was saved."""
    kept = "Your work was saved" if saved else "Your work could not be saved"
    if isinstance(error, MemoryError):
        return (
            f"There is not enough memory for this. {kept}: remove runs that you no longer need, "
            "or close other programs."
        )
    if is_full(error):
        return f"The disk is full, and something could not be written. {kept}. {_MAKE_ROOM}"
    return f"Something went wrong in Batchscope. {kept}; nothing was sent."


def full_text(saved: bool) -> str:
    """The text shown if the disk has no room for the recovery copy of a session."""
    if saved:
        return f"The disk is full. Your work was saved into room that was held for it. {_MAKE_ROOM}"
    return f"The disk is full, and your work could not be saved. {_MAKE_ROOM}"
