"""The cache of compiled code for Numba: checked files, which several processes may write at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from numba.core.caching import NullCache
from numba.core.serialize import dumps

from engine.compiler.cache import filled_or_filling, kernel_places, source_digest
from engine.compiler.entries import read_entry, write_entry
from engine.compiler.loaded import loaded, to_keep


class KernelCache(NullCache):  # type: ignore[misc]
    """The cache of the code of one function, with a file for each list of argument types.

    Numba's own cache reads index and code without checks: truncated files cause errors of pickle, and a
    flipped bit may crash the process.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        code = function.__code__
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._source = f"{code.co_firstlineno} {source_digest(function.__module__, code.co_filename)}"

    @property
    def cache_path(self) -> str:
        """The folder of the code, for Numba's statistics."""
        return str(filled_or_filling())

    def load_overload(self, types: Any, context: Any) -> Any:
        """What the function was compiled to for these types; None if it was not."""
        purpose = self._purpose(types, context.codegen())
        for folder in kernel_places():
            entry = read_entry(folder, purpose)
            if entry is not None:
                made_for, *kept = pickle.loads(entry)
                if made_for == types:  # not only in name
                    return loaded(context, *kept)
        return None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep that, unless it holds addresses of this process."""
        if not compiled.library.has_dynamic_globals:
            purpose = self._purpose(types, compiled.codegen)
            write_entry(filled_or_filling(), purpose, dumps((types, *to_keep(compiled))))

    def _purpose(self, types: Any, codegen: Any) -> str:
        """The function as it is written, its types, and the compiler's name for the processor."""
        names = ", ".join(map(str, types))  # Numba's `repr` is the same for several kinds of arrays
        return f"{self._name} {self._source} ({names}) {codegen.magic_tuple()}"
