"""The answer about a job of a queue, as commands print it."""

from __future__ import annotations

from engine.answer import Answer
from engine.answer.brief import QueuedSubject, brief_answer

_MORE = "How this is worked out: --method, and the guide's page sites.md."


def answer_text(reply: Answer[QueuedSubject], *, method: bool) -> str:
    """The answer in few words and where its method is, or all of it with the method."""
    return reply.text if method else f"{brief_answer(reply)}\n{_MORE}"
