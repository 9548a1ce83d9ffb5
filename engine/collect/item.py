"""A text that is collected: the command that prints it, what it brings, and what its absence costs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from engine.collect.redaction import without_hidden, without_hidden_words

LOG = "jobs"
"""The folder of the log within the collected folder, which every plan has."""

Hides = Literal["lines", "words", "nothing"]


@dataclass(frozen=True)
class Item:
    """A file of the collected folder, with the words of the command that prints it.

    `brings` is what it is for, `cost` what is not known without it. `hides` says how its text is laid out:
    `lines` of `Name = value`, records of `words` (`name=value name=value`), or a table with `nothing` to
    hide, since its columns were chosen. A `portion` is one of many of the log, which are collected once.
    An item that is `lasting` is not collected again; `replaces` begins the names of files that it makes void.
    Nothing is missing where an `optional` item is empty, or its command fails as there is no such thing. A
    `machine` is a file for `--cluster`.
    """

    file: str
    words: tuple[str, ...]
    brings: str
    cost: str
    hides: Hides = "nothing"
    portion: bool = False
    lasting: bool = False
    replaces: str = ""
    optional: bool = False
    machine: bool = False

    def shown(self, text: str, asked: Collection[str]) -> str:
        """What is kept of the printed text."""
        if self.hides == "lines":
            return without_hidden(text, asked)
        return without_hidden_words(text, asked) if self.hides == "words" else text


@dataclass(frozen=True)
class Plan:
    """All that is collected of a batch system; `asked` is what is collected only if it is asked for."""

    system: str
    items: tuple[Item, ...]
    asked: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The files besides the log, which each collecting replaces."""
        return tuple(item.file for item in self.items if not item.portion)
