"""Commas within fields of comma-separated lines of sacct: in resources, and in lists in brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.logs.sacct.prints.grammar import TRES, kind_of

HIDDEN = "\x1e"
"""The character that replaces such a comma."""

_HIDDEN = HIDDEN.encode()
_RESOURCE = rb"[a-z][\w/:.-]*=[\w:.-]*"
_RUN = re.compile(rb"(?<![^,\n])%b(?:,%b)+(?![^,\n])" % (_RESOURCE, _RESOURCE))
_LIST = re.compile(rb"\[[\d,:%%-]{1,4000}\]")


def hides_commas(fields: Sequence[str], delimiter: str) -> bool:
    """True if lines with these fields have commas within fields that can be recognised."""
    return delimiter == "," and any(kind_of(name) is TRES or name == "NodeList" for name in fields)


def hide_commas(data: bytes, fields: Sequence[str]) -> bytes:
    """Lines with HIDDEN in place of commas between resources of a field, and within brackets.

    Two adjacent fields of resources are separated where the order of names restarts; if that is ambiguous the
    commas stay, as in lists of nodes without brackets.
    """
    kinds = [kind_of(name) is TRES for name in fields]
    several = any(a and b for a, b in pairwise(kinds))
    data = _RUN.sub(lambda match: _fields(match[0]) if several else match[0].replace(b",", _HIDDEN), data)
    return _LIST.sub(lambda match: match[0].replace(b",", _HIDDEN), data)


def _fields(run: bytes) -> bytes:
    """Resources of one field, or of two adjacent fields."""
    parts = run.split(b",")
    names = [part.partition(b"=")[0] for part in parts]
    # Names of resources stand once in a field: a name that comes again belongs to the next field.
    if len(set(names)) == len(names):
        return run.replace(b",", _HIDDEN)
    # They ascend within a field, so that a fall is where the second begins; several falls leave it open.
    falls = [k for k, (a, b) in enumerate(pairwise(names), 1) if a >= b]
    if len(falls) != 1:
        return run
    first, second = parts[: falls[0]], parts[falls[0] :]
    return _HIDDEN.join(first) + b"," + _HIDDEN.join(second)
