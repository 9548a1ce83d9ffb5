"""The sources as packages have them: all within `batchscope`, whose imports name it.

In the repository `app`, `engine`, `views` and `resources` are packages of their own. Installed so, a user's
own `app.py` would be imported in place of the program's: a copy of the sources is moved, and each import in
it, also those that strings name, gets the package before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

INSIDE = "batchscope"
PACKAGES = ("app", "engine", "views", "resources")

_NAMES = "|".join(PACKAGES)
_BARE = re.compile(rf"^([ \t]*)import ({_NAMES})(?=[ \t]*(?:#.*)?$)", re.MULTILINE)
_IMPORT = re.compile(
    rf"^([ \t]*(?:from|import) )((?:{_NAMES})(?:\.\w+)*\b)(?= import | as |[ \t]*(?:#.*)?$)", re.MULTILINE
)
"""Statements of imports, each on a line of its own."""

_PATH = re.compile(
    rf"(?P<quote>[\"'])(?P<path>(?P<module>(?:{_NAMES})\.\w+)[\w.{{}}]*(?::\w+)?)(?=(?P=quote))"
)
"""A string that is the path of a module, or begins as such: `"app.cli.main:main"`, `f"app.cli.{name}"`."""

_SPECIAL: Mapping[str, tuple[tuple[str, str], ...]] = {
    "engine/compiler/cache.py": (
        ('b"from engine.compiler.kernels import"', f'b"from {INSIDE}.engine.compiler.kernels import"'),
        ('rb"^from ((?:engine|views)', f'rb"^from {INSIDE}\\.((?:engine|views)'),
        (
            'path: ".".join(path.relative_to(sources)',
            f'path: "{INSIDE}." + ".".join(path.relative_to(sources)',
        ),
    ),
    "pyproject.toml": (
        (
            'only-include = ["app", "engine", "views", "resources", "batchscope.py"]',
            f'only-include = ["{INSIDE}"]',
        ),
        ('exclude = ["resources/', f'exclude = ["{INSIDE}/resources/'),
        ('batchscope = "app.cli.entry', f'batchscope = "{INSIDE}.app.cli.entry'),
    ),
}
"""What the kernels' cache and the build read as text, by file."""


def move_inside(source: Path) -> None:
    """Move the packages of a copy of the sources into `batchscope`, with their imports.

    Raises ValueError where the text of a special place is not there once, OSError.
    """
    for name, changes in _SPECIAL.items():
        text = (source / name).read_text("utf-8")
        for before, after in changes:
            if text.count(before) != 1:
                raise ValueError(f"{name}: {before!r} is there {text.count(before)} times, and not once")
            text = text.replace(before, after)
        (source / name).write_text(text, "utf-8")
    main = (source / "app" / "__main__.py").read_text("utf-8")
    for path in [
        source / f"{INSIDE}.py",
        *(path for name in PACKAGES for path in (source / name).rglob("*.py")),
    ]:
        path.write_text(imports_inside(path.read_text("utf-8"), source), "utf-8")
    inside = source / INSIDE
    inside.mkdir()
    (source / f"{INSIDE}.py").rename(inside / "__init__.py")
    (inside / "__main__.py").write_text(imports_inside(main, source), "utf-8")
    (inside / "py.typed").touch()
    for name in PACKAGES:
        (source / name).rename(inside / name)


def imports_inside(text: str, source: Path) -> str:
    """The text of a module whose imports of the packages in `source` name the package around them."""

    def path_inside(match: re.Match[str]) -> str:
        """A string with the package, where its beginning is the path of a module."""
        module = source / Path(*match["module"].split("."))
        known = module.is_dir() or module.with_suffix(".py").is_file()
        return f"{match['quote']}{INSIDE}.{match['path']}" if known else match[0]

    # `import engine` binds this name, which `import batchscope.engine` would not.
    text = _BARE.sub(rf"\1from {INSIDE} import \2", text)
    text = _IMPORT.sub(rf"\1{INSIDE}.\2", text)
    return _PATH.sub(path_inside, text)
