"""BibTeX entries: of this program, and of the papers that it implements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version

from engine.errors import InputError
from engine.spelling import nearest
from resources import references_path

PROGRAM = "batchscope"
"""The name of the program's own entry."""

_ENTRY = re.compile(r"^@\w+\{(?P<name>[^,]+),\n.*?^\}\n", re.DOTALL | re.MULTILINE)


def entries() -> dict[str, str]:
    """All entries by name, as BibTeX; that of the program has the version that runs."""
    text = references_path().read_text("utf-8").replace("VERSION", version(PROGRAM))
    return {entry["name"]: entry[0] for entry in _ENTRY.finditer(text)}


def bibliography(names: Sequence[str]) -> str:
    """The entries of these names, in this order. Raises InputError for an unknown name."""
    known = entries()
    for name in names:
        if name not in known:
            raise InputError(
                f"there is no citation {name!r}{nearest(name, known)}; known: {', '.join(known)}"
            )
    return "\n".join(known[name] for name in names)
