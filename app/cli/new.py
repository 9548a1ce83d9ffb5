"""`batchscope new`: a file to begin code of one's own with."""

from __future__ import annotations

import argparse

from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import exists
from resources import template_path


def new_file(options: argparse.Namespace) -> None:
    """Write the template of a kind to a new file. Raises InputError for a file that is there, OSError."""
    path = options.file
    if path.suffix != ".py":
        raise InputError(f"{path}: code of your own is in a file that ends in .py, like mine.py")
    if exists(path):
        raise InputError(f"{path}: this file is there already")
    text = template_path(options.kind).read_text(encoding="utf-8")
    head, middle, rest = text.partition('"""\n\n')  # the docstring names the file
    text = head.replace("FILE", str(path)) + middle + rest
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
    print(f"wrote {path}; now: batchscope compare LOG -p easy -p {path}:wfp")
