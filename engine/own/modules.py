"""The modules beside a file of a user's own code that it imports, found in texts, without running any."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

from engine.errors import InputError

MOST_MODULES = 500
"""Modules of its folder that a file of own code may import, with those that these import."""

PROGRAM = ("app", "batchscope", "engine", "resources", "views")
"""The packages of this program, by the names under which own code can import them."""

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = "__init__.py"


class OwnModule(NamedTuple):
    """A module beside the file: its name with those of its packages, where it is, and its text."""

    name: str
    path: Path  # of a package its __init__.py, or its folder if it has none
    text: str

    @property
    def is_package(self) -> bool:
        """Whether other modules can be in it."""
        return self.path.name == _PACKAGE or self.path.suffix != ".py"


def modules_beside(
    path: Path, tree: ast.Module, read: Callable[[Path], str], parse: Callable[[Path, str], ast.Module]
) -> tuple[OwnModule, ...]:
    """The modules of the file's folder that it imports, and those that these import, by name.

    `tree` is the file's, `read` and `parse` give a text and its tree. Raises InputError, also for a module
    that has the name of a module of Python, of this program or of an installed package: it is not certain
    which of the two is meant.
    """
    folder = path.absolute().parent
    modules: dict[str, OwnModule] = {}
    todo: list[tuple[str, ast.Module]] = [("", tree)]
    read = cache(read)  # of a package it is asked for at each import from it
    while todo:
        package, importing = todo.pop()
        for name in _imported(importing, package):
            for module in _chain(folder, name, read):
                if module.name in modules or module.path == path.absolute():
                    continue
                if _is_of_program(module.name, folder):
                    break
                _check_name(module, folder, path)
                if len(modules) == MOST_MODULES:
                    raise InputError(f"{path}: it imports more than {MOST_MODULES} modules of its folder")
                modules[module.name] = module
                # Relative imports of a module begin in its package, those of a package in itself.
                inside = module.name if module.is_package else module.name.rpartition(".")[0]
                todo.append((inside, parse(module.path, module.text)))
    return tuple(modules[name] for name in sorted(modules))


def is_installed(name: str, folder: Path) -> bool:
    """Whether Python, this program or an installed package has a module of this name outside the folder."""
    if name in sys.stdlib_module_names or name in PROGRAM:
        return True
    elsewhere = [place for place in sys.path if Path(place).resolve() != folder.resolve()]
    # Looking for a module that is in no package runs nothing.
    spec = PathFinder.find_spec(name, elsewhere)
    return spec is not None and spec.origin is not None


def _is_of_program(name: str, folder: Path) -> bool:
    """Whether a module beside the file is this program itself, whose folder the file is in."""
    return name.partition(".")[0] in PROGRAM and folder.resolve() == _ROOT


def _check_name(module: OwnModule, folder: Path, path: Path) -> None:
    """Raise InputError where importing a module by its name could give another."""
    if "." not in module.name and is_installed(module.name, folder):
        raise InputError(
            f"{path}: it imports {module.name}, but {module.path} has the name of a module of Python or of "
            "an installed package: give it another name"
        )


def _chain(folder: Path, name: str, read: Callable[[Path], str]) -> Iterator[OwnModule]:
    """The packages from the outermost, and the module, that importing this name runs, if in the folder."""
    plain: list[OwnModule] = []  # packages without __init__.py, which count only if they hold a module
    within, parts = folder, name.split(".")
    for count, part in enumerate(parts, 1):
        whole = ".".join(parts[:count])
        package, module = within / part / _PACKAGE, within / f"{part}.py"
        # A package goes before a module of its name, as Python has it.
        file = package if package.is_file() else module if module.is_file() else None
        if file is not None:
            yield from plain
            plain.clear()
            yield OwnModule(whole, file, read(file))
            if file is module:
                return
        elif (within / part).is_dir():
            plain.append(OwnModule(whole, within / part, ""))
        else:
            return
        within /= part


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    """The names of modules that a module in this package imports, and of what may be modules in these."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                parents = package.split(".") if package else []
                if node.level > len(parents):
                    continue  # it fails when it runs
                above = ".".join(parents[: len(parents) - node.level + 1])
                origin = f"{above}.{origin}" if origin else above
            yield origin
            yield from (f"{origin}.{each.name}" for each in node.names)
