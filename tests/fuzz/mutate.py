"""Damage to bytes: flipped bits, cuts, splices, repeated lines, huge numbers and hostile words."""

import random
import re
from collections.abc import Callable, Sequence

LARGEST = 1 << 20
"""Bytes of a damaged sample at most, before it is packed."""

NUMBERS = (
    *("0", "-0", "-1", "1", "00", "+1", "0.5", "1e9", "1e400", "-1e400", "nan", "inf", "1_000", "٣", "0x10"),
    *(str(sign * (1 << bits) + off) for bits in (8, 27, 30, 31, 32, 33, 40, 53, 60, 62, 63, 64, 100)
      for off in (-1, 0, 1) for sign in (1, -1)),
    *("9" * 15, "9" * 16, "9" * 20, "9" * 400, "9" * 5000, "1." + "0" * 5000),
)  # fmt: skip

WORDS = (
    *("", " ", "\n", "\r", "\r\n", "\t", "\0", "\ufeff", "\u2028", "\x1b[2J", "\x85", "\u202e", "\u0130"),
    *("/", "..", "../..", "~", "/dev/zero", "/dev/null", "file://", "=", "-", "--", "#", ";", ":", ",", "+"),
    *("%s", "%n", "{0}", "{{", "<b>", "=1+1", "'", '"', "\\", "$(id)", "(", ")", "[", "{", "null", "None"),
    *("a" * 255, "a" * 256, "a" * 5000, "(" * 200, "[" * 5000, '{"a":' * 5000, "not " * 100, "x" * 70_000),
)

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def mutate(chance: random.Random, samples: Sequence[bytes], words: Sequence[str] = ()) -> bytes:
    """One of the samples after a few kinds of damage, or none; `words` are hostile ones of its format."""
    data = chance.choice(samples)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 8))):
        data = chance.choice(_DAMAGE)(chance, data, samples, words)[:LARGEST]
    return data


def mutate_text(chance: random.Random, samples: Sequence[str], words: Sequence[str] = ()) -> str:
    """The same for what is typed: no byte of it was ever undecodable."""
    return mutate(chance, [sample.encode() for sample in samples], words).decode(errors="replace")


def _flip(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8)) if damaged else 0):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def _cut(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """A part is lost: often the end."""
    begin, end = _span(chance, data)
    return data[:begin] if chance.random() < 0.5 else data[:begin] + data[end:]


def _splice(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """A part of a sample in place of another."""
    other = chance.choice(samples)
    begin, end = _span(chance, data)
    first, last = _span(chance, other)
    return data[:begin] + other[first:last] + data[end:]


def _repeat(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """A line, or a part, many times over."""
    if chance.random() < 0.5:
        lines = data.splitlines(keepends=True) or [b""]
        index = chance.randrange(len(lines))
        lines[index] *= min(_times(chance), LARGEST // max(len(lines[index]), 1))
        return b"".join(lines)
    begin, end = _span(chance, data)
    return data[:end] + data[begin:end] * min(_times(chance), LARGEST // max(end - begin, 1)) + data[end:]


def _number(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """Another number where one stands."""
    index = _NUMBER.search(data, chance.randrange(len(data) + 1)) or _NUMBER.search(data)
    if index is None:
        return data
    return data[: index.start()] + chance.choice(NUMBERS).encode() + data[index.end() :]


def _word(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """A word where none belongs, or for another."""
    begin, end = _span(chance, data)
    word = chance.choice(words if words and chance.random() < 0.6 else WORDS)
    return data[:begin] + word.encode() + data[begin if chance.random() < 0.7 else end :]


def _swap(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    """Words in another order."""
    parts = re.split(rb"(\W+)", data)
    first, second = chance.randrange(len(parts)), chance.randrange(len(parts))
    parts[first], parts[second] = parts[second], parts[first]
    return b"".join(parts)


def _noise(chance: random.Random, data: bytes, samples: Sequence[bytes], words: Sequence[str]) -> bytes:
    begin, end = _span(chance, data)
    return data[:begin] + chance.randbytes(chance.choice((1, 4, 64, 1000))) + data[end:]


_Damage = Callable[[random.Random, bytes, Sequence[bytes], Sequence[str]], bytes]
_DAMAGE: tuple[_Damage, ...] = (_flip, _cut, _splice, _repeat, _number, _number, _word, _word, _swap, _noise)


def _span(chance: random.Random, data: bytes) -> tuple[int, int]:
    """Where a part begins and ends: a short one as often as any other."""
    begin = chance.randrange(len(data) + 1)
    longest = len(data) - begin
    return begin, begin + (
        chance.randint(0, min(longest, 8)) if chance.random() < 0.5 else chance.randint(0, longest)
    )


def _times(chance: random.Random) -> int:
    """How many times a part is repeated; the longest logs take most of the time, and show little more."""
    return chance.choice((2, 2, 3, 3, 10, 10, 30, 100, 100, 3000))
