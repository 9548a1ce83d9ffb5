"""Versions of installed packages, told by the names of their folders.

`importlib.metadata` reads their descriptions with the parser of e-mails, which takes long to load.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def version_of(name: str) -> str:
    """The version of an installed package, which is not loaded. Raises PackageNotFoundError."""
    spec = find_spec(name)
    if spec is not None and spec.origin:
        begin, end = f"{name}-", ".dist-info"
        beside = Path(spec.origin).parents[1]
        found = [entry for entry in os.listdir(beside) if entry.startswith(begin) and entry.endswith(end)]  # noqa: PTH208
        if len(found) == 1:
            return found[0][len(begin) : -len(end)]
    from importlib.metadata import version

    return version(name)
