"""The kinds of claims in the code, and the tests that name each: the table of the page on claims.

`python -m tests.engine.claims.kinds` writes it into the page.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import engine.claims
from tests.paths import ROOT

PAGE = ROOT / "resources/guide/decisions/claims.md"
_BEGIN, _END = "<!-- kinds -->\n", "<!-- end of kinds -->\n"


def families() -> Iterator[type[StrEnum]]:
    """The enumerations of kinds, by module and in the order in which they stand there."""
    for module in sorted(found.name for found in pkgutil.iter_modules(engine.claims.__path__)):
        loaded = importlib.import_module(f"engine.claims.{module}")
        for value in vars(loaded).values():
            own = isinstance(value, type) and issubclass(value, StrEnum)
            if own and value.__name__.endswith("Relation") and value.__module__ == loaded.__name__:
                yield value


def table() -> str:
    """A row for each enumeration: what it is about, its kinds, and how many of these a test names.

    A test that names a kind is its judge, or holds it before one; the other kinds are named in the last
    column.
    """
    tests = [path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("*.py"))]
    named = set(re.findall(r"\b(\w*Relation\.[A-Z_]+)\b", "\n".join(tests)))
    rows = ["| kinds | about | number | without a judge that names them |", "| --- | --- | --- | --- |"]
    for family in families():
        without = [kind for kind in family.__members__ if f"{family.__name__}.{kind}" not in named]
        about = " ".join((family.__doc__ or "").split()).partition(". ")[0].rstrip(".")
        names = ", ".join(kind.lower().replace("_", " ") for kind in without) or "none"
        rows.append(f"| `{family.__module__}.{family.__name__}` | {about} | {len(family)} | {names} |")
    return "\n".join(rows) + "\n"


def parts(page: str) -> tuple[str, str, str]:
    """The page before the table, the table, and the rest."""
    before, _, rest = page.partition(_BEGIN)
    own, _, after = rest.partition(_END)
    return before + _BEGIN, own, _END + after


def write(page: Path = PAGE) -> None:
    """Write the table into the page."""
    before, _, after = parts(page.read_text("utf-8"))
    page.write_text(before + table() + after, "utf-8")


if __name__ == "__main__":
    write()
