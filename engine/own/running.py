"""A user's file in the process that runs it: the allowed texts, and what of its folder they import."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.own.file import OwnFile
from engine.own.modules import PROGRAM, is_installed


def texts_to_run(file: OwnFile) -> dict[str, Any]:
    """The code as a child runs it: the texts that the digest covers, not what the files hold by then."""
    taken = is_installed(file.path.stem, file.path.absolute().parent)
    return {
        "path": str(file.path),
        # Never the name of another module, which further imports would get instead.
        "module": f"own_{file.path.stem}" if taken else file.path.stem,
        "text": file.text,
        "modules": {
            module.name: (str(module.path), module.text, module.is_package) for module in file.modules
        },
    }


class Covered(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the file's folder that its digest covers, with the texts that were read.

    Others of that folder are refused, should it be in the path for modules: nobody has allowed their texts.
    """

    def __init__(self, path: str, modules: Mapping[str, tuple[str, str, bool]]) -> None:
        self._folder, self._modules = Path(path).resolve().parent, modules

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Where a covered module is; None for modules of other folders. Raises ImportError."""
        if fullname in self._modules:
            place, _, is_package = self._modules[fullname]
            # A package has no place to look for further modules: those that are covered are found here.
            return importlib.machinery.ModuleSpec(fullname, self, origin=place, is_package=is_package)
        if "." not in fullname and fullname not in PROGRAM and self._is_beside(fullname):
            raise ImportError(
                f"{fullname} is in the folder of the file, but no `import {fullname}` is written there: it "
                "is not covered by the digest",
                name=fullname,
            )
        return None

    def _is_beside(self, name: str) -> bool:
        """Whether an import that is not covered would find a module in the file's folder."""
        spec = importlib.machinery.PathFinder.find_spec(name)
        if spec is None:
            return False
        places = [spec.origin] if spec.has_location and spec.origin else []
        if spec.submodule_search_locations is not None:
            places = [str(place) for place in spec.submodule_search_locations]  # folders of a package
        return any(Path(place).resolve().parent == self._folder for place in places)

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a covered module."""
        path, text, _ = self._modules[module.__name__]
        module.__file__ = path
        exec(compile(text, path, "exec"), module.__dict__)


def take_niceness_of_program() -> None:
    """Give this process the niceness of the program that started it, where the system permits that.

    A process inherits the niceness of the thread that starts it, and the window's threads have a higher one
    than the window. Linux lets a process lower its niceness only within its `nice` limit, or as root.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, os.getppid()))


def described(error: BaseException, name: str, path: str) -> str:
    """An error of the user's code in a line, with the line of the file where it happened."""
    if isinstance(error, MemoryError):
        return f"{name} needs more memory than a process of own code may have"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{name} fails: {type(error).__name__}: {str(error)[:300]}"
