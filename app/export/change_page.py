"""The answer about a change of rules as a page for browsers."""

from __future__ import annotations

from pathlib import Path

from app.export.queue_page import queue_page
from engine.atomic import write_atomically
from views.data.change_look import ChangeLook


def write_change_page(path: Path, look: ChangeLook) -> None:
    """Write the sentence, how near both models are, and the table. Raises OSError."""
    titles, *rows = look.rows()
    words = [place < 2 for place in range(len(titles))]
    note = " ".join([*look.verdicts, "Both configurations were simulated by Batchscope on the whole log."])
    page = queue_page(look.title, look.answer.sentence, titles, rows, words, note)
    write_atomically(path, lambda part: part.write_text(page, "utf-8"))
