"""`batchscope new`: a file or a package to begin code of a user's own with."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import exists
from resources import template_package_path, template_path


def new_file(options: argparse.Namespace) -> None:
    """Write the template of a kind to a new file or folder.

    Raises InputError for one that is there, OSError.
    """
    path = options.file
    if options.kind == "package":
        _new_package(path)
        return
    if path.suffix != ".py":
        raise InputError(f"{path}: code of your own is in a file that ends in .py, like mine.py")
    if exists(path):
        raise InputError(f"{path}: this file is there already")
    text = template_path(options.kind).read_text(encoding="utf-8")
    head, middle, rest = text.partition('"""\n\n')  # the docstring names the file
    text = head.replace("FILE", str(path)) + middle + rest
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
    print(f"wrote {path}; now: batchscope compare LOG -p easy -p {path}:wfp")


def _new_package(folder: Path) -> None:
    """Write the template of a package to a new folder. Raises InputError for one that is there, OSError."""
    if exists(folder):
        raise InputError(f"{folder}: this is there already")
    shutil.copytree(template_package_path(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    print(f"wrote {folder}; now: pip install -e {folder}, and read its README.md")
