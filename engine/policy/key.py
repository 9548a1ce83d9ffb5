"""A key of policies: how its values are read, written, shown in a form and explained.

The table of all keys is `engine.policy.keys`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from engine.errors import InputError
from engine.policy.names import KeyGroup
from engine.policy.unused import Rule, Values
from engine.spelling import format_duration, format_real, nearest, parse_duration

T = TypeVar("T")

_ENTRY = "key"
"""Where the metadata of a dataclass field hold the key."""


@dataclass(frozen=True)
class Range:
    """The numbers that a key takes: whole numbers (`count`), seconds (`duration`) or any (`real`).

    `low` and `high` are the least and the greatest number. `reach` is where the slider ends, because
    greater numbers make little sense, and `step` is the step of the slider.
    """

    kind: Literal["count", "real", "duration"]
    low: float
    high: float
    reach: float
    step: float = 1

    def parse(self, name: str, text: str) -> int | float:
        """The number that `text` is; raises InputError that names the key and the range."""
        if self.kind == "duration":
            value: int | float = parse_duration(text)
        else:
            digits = r"\d{1,12}" if self.kind == "count" else r"(\d{1,12}(\.\d{1,12})?|\.\d{1,12})"
            sign = "-?" if self.low < 0 else ""  # of parameters of a user's own code
            if not re.fullmatch(sign + digits, text):
                what = "a whole number" if self.kind == "count" else "a number"
                raise InputError(f"{name} cannot be {text!r}: it is {what} {self}")
            value = int(text) if self.kind == "count" else float(text)
        if not self.low <= value <= self.high:
            raise InputError(f"{name} cannot be {text}: it is {self}")
        return value

    def format(self, value: float) -> str:
        """The shortest text that `parse` reads as this number."""
        return format_duration(int(value)) if self.kind == "duration" else format_real(value)

    def __str__(self) -> str:
        unit = " s" if self.kind == "duration" else ""
        return f"from {self.format(self.low)}{unit} to {self.format(self.high)}"


@dataclass(frozen=True)
class Key:
    """A key of policies.

    A value is one of `words`, a word of `families` followed by a number, a number of `range`, on or off
    (`switch`), none (`optional`), or a text with its own syntax, of which `syntax` is an example and which
    may be a `formula`. `read` converts a text of words, families or syntax to the value; by default the value
    is the text. `write` converts a value to its text; by default `str` does.
    """

    group: KeyGroup  # in which forms show the key
    help: str
    words: tuple[str, ...] = ()
    families: tuple[tuple[str, Range], ...] = ()
    range: Range | None = None
    switch: bool = False
    optional: bool = False
    syntax: str = ""
    formula: bool = False
    read: Callable[[str], object] | None = None
    write: Callable[[Any], str] | None = None
    needs: str = ""  # what the log or the machine must have so that the key changes anything
    unused: tuple[Rule, ...] = ()  # why other values leave the key without a use; the first reason counts
    single: bool = False  # about single jobs: contradicts windows, which place several jobs together
    name: str = ""  # the name of the policy's field
    default: object = None

    def field(self, default: T) -> T:
        """The field of a dataclass that holds the value of the key, with the key in its metadata."""
        made: Any = field(default=default, metadata={_ENTRY: self})
        return made  # type: ignore[no-any-return]

    def parse(self, text: str) -> object:
        """The value that `text` is. Raises InputError that names the nearest valid text."""
        if self.syntax:
            assert self.read is not None
            return self.read(text)
        if self.switch:
            return self._parse_switch(text)
        if self.optional and text == "none":
            return None
        if text in self.words:
            return text if self.read is None else self.read(text)
        for word, numbers in self.families:
            if text.startswith(word) and text[len(word) :][:1].isdigit():
                assert self.read is not None
                return self.read(word + numbers.format(numbers.parse(self.name, text[len(word) :])))
        # Beside words a text that begins with no digit is a misspelled word, not a misspelled number.
        if self.range is not None and (not self.words or text[:1].isdigit()):
            return self.range.parse(self.name, text)
        known = [*self.words, *(word + numbers.format(numbers.reach) for word, numbers in self.families)]
        numbers_too = [] if self.range is None else [f"a number {self.range}"]
        hint = nearest(text, known) or f": it is one of {', '.join(known + numbers_too)}"
        raise InputError(f"{self.name} cannot be {text!r}{hint}")

    def format(self, value: object) -> str:
        """The canonical text of a value."""
        if self.write is not None:
            return self.write(value)
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, int | float) and self.range is not None:
            return self.range.format(value)
        return str(value)

    def why_unused(self, values: Values) -> str:
        """The reason why the key has no effect with these values of all keys; empty if it has an effect."""
        return next((why for rule in self.unused if (why := rule(values))), "")

    def _parse_switch(self, text: str) -> bool:
        if text.lower() in ("on", "true", "yes", "1"):
            return True
        if text.lower() in ("off", "false", "no", "0"):
            return False
        raise InputError(f"{self.name} cannot be {text!r}: it is on or off")


def keys_of(table: type) -> tuple[Key, ...]:
    """The keys that a dataclass declares by `Key.field`, in the order of its fields."""
    return tuple(
        replace(of.metadata[_ENTRY], name=of.name, default=of.default)
        for of in fields(table)
        if _ENTRY in of.metadata
    )
