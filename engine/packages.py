"""What installed packages add to the program by entry points, found without importing any of them.

A package names in its `pyproject.toml`, under `[project.entry-points."batchscope.policies"]` and so on, an
object by its place, `late = "acme.mine:late"`: orders, predictors and schedulers (`batchscope.policies`),
metrics (`batchscope.metrics`), readers of logs (`batchscope.readers`) and views (`batchscope.views`).
"""

from __future__ import annotations

import re
import sys
from configparser import ConfigParser
from configparser import Error as ParsingError
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

POLICIES, METRICS, READERS, VIEWS = (
    f"batchscope.{what}" for what in ("policies", "metrics", "readers", "views")
)
"""The groups of entry points."""

_SPELLED = re.compile(r"(?P<name>[A-Za-z][\w.-]*)(?:[:,](?P<rest>.*))?", re.DOTALL)


@cache
def installed(group: str) -> dict[str, str]:
    """The objects of a group, `package.module:name`, by the names of their entry points, in their order.

    Of two packages with a name the one that comes first in the path for modules has it. importlib.metadata
    knows the same, but to import it takes 30 ms of each start of the window, this 1 ms.
    """
    packages: dict[str, str] = {}
    for place in sys.path:
        for file in sorted(Path(place or ".").glob("*-info/entry_points.txt")):
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, ValueError):
                continue
            # Few files name the group: only these are parsed.
            if group in text:
                for name, place_of in _section(text, group).items():
                    packages.setdefault(name, place_of)
    return packages


def _section(text: str, group: str) -> dict[str, str]:
    """The names of a group in a file of entry points; empty for a file that is none."""
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # names keep their capitals
    try:
        parser.read_string(text)
    except ParsingError:
        return {}
    if not parser.has_section(group):
        return {}
    # Behind the place there may be names of extras, in brackets.
    return {name: value.partition("[")[0].strip() for name, value in parser.items(group)}


def installed_path(text: str, group: str) -> tuple[Path, str] | None:
    """The file of installed code that a text names, and the rest of its spelling, as `own_path` gives them.

    `acme-wfp:alpha=2` is the object of the entry point `acme-wfp` with that parameter. None for other texts,
    and where the module is no file of Python.
    """
    spelled = _SPELLED.fullmatch(text.strip())
    place = None if spelled is None else installed(group).get(spelled["name"])
    if spelled is None or place is None:
        return None
    module, _, name = place.partition(":")
    file = module_file(module)
    # An extension module has no file of Python that could be read.
    if file is None or not name:
        return None
    rest = (spelled["rest"] or "").strip()
    return file, f"{name},{rest}" if rest else name


def module_file(module: str) -> Path | None:
    """The file of a module in an installed package; nothing of the package is run. None: there is none."""
    places: list[str] | None = None  # the path for modules
    origin: str | None = None
    for place in range(1, module.count(".") + 2):
        # A parent that was imported would have run: each level is looked for in the folders of its parent.
        name = ".".join(module.split(".")[:place])
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        origin = spec.origin
        places = list(spec.submodule_search_locations or ())
    return Path(origin) if origin is not None and origin.endswith(".py") else None
