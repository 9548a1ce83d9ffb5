"""The contents of the help: headings of its pages, and the words that are explained."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.policy.keys import KEYS
from resources import guide_path
from views.text.terms import explained_words, term

PAGES = ("guide", "reference", "policies", "commands", "formats", "sites", "slurm-options", "queue", "papers")
"""The pages of the guide's folder, by name; policies and commands are written from the code's own tables."""

WORDS = "words"
"""The page of metrics and quantities, made of what explains them in tables and charts."""

_ABOUT = (
    "Each word has a sentence or two, its formula if there is one, and what the letters of that stand for."
)

_MARKS = re.compile(r"[`*_]|\[|\]\([^)]*\)")


@dataclass(frozen=True)
class Topic:
    """A heading of a page, or a word on it; `level` is 1 for the title of the page."""

    page: str
    title: str
    level: int


def topics() -> list[Topic]:
    """All headings and keys of policies, page by page, then the words in alphabetical order."""
    headings = [topic for page in PAGES for topic in _headings(page)]
    last = max(place for place, topic in enumerate(headings) if topic.page == "policies")
    headings[last + 1 : last + 1] = [Topic("policies", key.name, 3) for key in KEYS]
    words = [Topic(WORDS, title, 2) for title in explained_words().values()]
    return [*headings, Topic(WORDS, "Metrics and other words", 1), *words]


def page_path(page: str) -> Path:
    """The path of a page of PAGES."""
    return guide_path().parent / f"{page}.md"


def words_page() -> str:
    """The page of terms in Markdown: a sentence first, then the formula and its source."""
    parts = ["# Metrics and other words", _ABOUT]
    for key in explained_words():
        meaning = term(key)
        parts += [f"## {_plain(meaning.title)}", _plain(meaning.text)]
        parts += [f"    {meaning.formula}"] if meaning.formula else []
        parts += [meaning.letters] if meaning.letters else []
        parts += [f"Source: {_plain(meaning.source)}."] if meaning.source else []
    return "\n\n".join(parts)


def _headings(page: str) -> list[Topic]:
    headings, code = [], False
    for line in page_path(page).read_text(encoding="utf-8").splitlines():
        code ^= line.startswith("```")
        head = None if code else re.fullmatch(r"(#{1,3}) (.+)", line)
        if head is not None:
            headings.append(Topic(page, _MARKS.sub("", head[2]), len(head[1])))
    return headings


def _plain(text: str) -> str:
    """Text in which Markdown finds no marks."""
    return re.sub(r"([\\*_{}\[\]<>#|])", r"\\\1", text)
