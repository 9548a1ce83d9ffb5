"""Generic resources (GRES), such as GPUs, as Slurm writes them: `gpu:a100:4(S:0-1)`, `gres/gpu:a100=4`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.limits import MAX_EXTRA
from engine.slurm.values.amounts import amount_of

_PART = re.compile(
    r"(?:gres[:/])?(?P<name>[A-Za-z][\w.-]{0,40}?)(?::(?P<type>[^=(),]{0,100}?[A-Za-z_][^=(),]{0,100}?))??"
    r"(?::no_consume)?(?:[:=](?P<count>\d{1,15}(?:\.\d{1,9})?[KMGTP]?))?",
    re.ASCII | re.IGNORECASE,
)
_BEHIND = re.compile(r":\(null\)|\([^()]*\)")  # no type, or where they lie: `(S:0-1)`, `(IDX:0,2)`


@dataclass(frozen=True)
class Gres:
    """`count` of a resource such as `gpu`, of a type such as `a100`, or any (""); names are in lower case."""

    name: str
    type: str
    count: int

    @property
    def spelling(self) -> str:
        """As `slurm.conf` writes it: `gpu:a100:4`."""
        return f"{self.name}:{self.type}:{self.count}" if self.type else f"{self.name}:{self.count}"


def gres_parts(text: str) -> Iterator[tuple[str, Gres | None]]:
    """The parts of a list, each as it is written, and read, if it can be; without a number it counts 1."""
    for part in filter(None, map(str.strip, _BEHIND.sub("", text).split(","))):
        match = _PART.fullmatch(part)
        if match is None:
            yield part, None
            continue
        count = 1.0 if match["count"] is None else amount_of(match["count"]) or 0.0
        yield part, Gres(match["name"].lower(), (match["type"] or "").lower(), min(int(count), MAX_EXTRA))
