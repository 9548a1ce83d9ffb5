"""Modules of the folder `packaging`, which is no package."""

import importlib
import sys
from typing import Any

from tests.paths import ROOT


def load(name: str) -> Any:
    """A module of that folder, as `bootstrap.py` and `build.py` import it."""
    folder = str(ROOT / "packaging")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)
