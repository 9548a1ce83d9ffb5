"""How Numba is loaded: told where code is kept, and without what no kernel of ours needs.

Modules for settings in YAML and for descriptions of packages, and a search for extensions of Numba among all
that is installed, took a twentieth of the time of a command.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from engine.compiler.cache import kernel_folder

_WHEN_USED = ("yaml", "importlib.metadata")


class _Later(ModuleType):
    """A module in whose place the real one is loaded when something of it is used."""

    def __getattr__(self, name: str) -> object:
        _take_out(self)
        return getattr(import_module(self.__name__), name)


def load_numba() -> None:
    """Load Numba, before any module that needs it is."""
    kernel_folder()  # tells Numba, which reads its settings as it is loaded
    later = [_Later(name) for name in _WHEN_USED if name not in sys.modules]
    sys.modules.update((module.__name__, module) for module in later)
    # Each instruction that is compiled makes up a message for an error, in colours if Numba finds colorama.
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    import_module("numba")
    extensions: Any = import_module("numba.core.entrypoints")
    extensions._already_initialized = True
    _stop_timing_locks()
    for module in later:
        _take_out(module)


def _stop_timing_locks() -> None:
    """Stop Numba from timing each call of LLVM: nested timers take a tenth of compiling."""
    lock: Any = import_module("llvmlite.binding.ffi").lib._lock
    for callbacks in [*lock._cblist]:
        lock.unregister(*callbacks)


def _take_out(module: ModuleType) -> None:
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]
