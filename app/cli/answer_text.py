"""The answer about a job, as commands print it."""

from __future__ import annotations

from engine.answer import Answer
from engine.answer.brief import BriefSubject, brief_answer

QUEUES_PAGE = "sites.md"
"""The page of the guide on answers about queues."""


def answer_text(reply: Answer[BriefSubject], *, method: bool, page: str = QUEUES_PAGE) -> str:
    """The answer in few words and where its method is, or all of it with the method.

    `page` is the page of the guide on it, empty without one.
    """
    more = f", and the guide's page {page}" if page else ""
    return reply.text if method else f"{brief_answer(reply)}\nHow this is worked out: --method{more}."
