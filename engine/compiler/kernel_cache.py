"""The cache of compiled code for Numba: checked files, which several processes may write at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.caching import NullCache
from numba.core.serialize import dumps

from engine.compiler.cache import filled_or_filling, kernel_folder, kernel_places, source_digest
from engine.compiler.cached_code import loaded, to_keep
from engine.compiler.compile_request import CompileRequest, MissingKernelError, compiles_here, take_entry
from engine.compiler.entries import read_entry, write_entry


class KernelCache(NullCache):  # type: ignore[misc]
    """The cache of the code of one function, with a file for each list of argument types.

    Numba's own cache reads index and code without checks: truncated files cause errors of pickle, and a
    flipped bit may crash the process.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        code = function.__code__
        self._place = function.__module__, function.__qualname__
        self._name = ".".join(self._place)
        self._source = f"{code.co_firstlineno} {source_digest(function.__module__, code.co_filename)}"

    @property
    def cache_path(self) -> str:
        """The folder of the code, for Numba's statistics."""
        return str(filled_or_filling())

    def load_overload(self, types: Any, context: Any) -> Any:
        """What the function was compiled to for these types; None if it was not.

        Raises MissingKernelError instead where this process compiles nothing itself.
        """
        purpose = self.purpose(types, context.codegen())
        for entry in self._entries(purpose):
            made_for, *kept = pickle.loads(entry)
            if made_for == types:  # not only in name
                return loaded(context, *kept)
        if compiles_here():
            return None
        raise MissingKernelError(CompileRequest(kernel_folder().name, *self._place, purpose, dumps(types)))

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep that, unless it holds addresses of this process."""
        if not compiled.library.has_dynamic_globals:
            purpose = self.purpose(types, compiled.codegen)
            write_entry(filled_or_filling(), purpose, _entry(types, compiled))

    def entry(self, types: Any, compiled: Any) -> bytes:
        """The entry for these types: as stored, or else of what this process has just compiled."""
        purpose = self.purpose(types, compiled.library.codegen)
        return next(self._entries(purpose), None) or _entry(types, compiled)

    def _entries(self, purpose: str) -> Iterator[bytes]:
        """The entries for a purpose: that which another process made, or else those in the folders."""
        came = take_entry(purpose)
        if came is not None:
            yield came
        for folder in kernel_places():
            entry = read_entry(folder, purpose)
            if entry is not None:
                yield entry

    def purpose(self, types: Any, codegen: Any) -> str:
        """The function as it is written, its types, and the compiler's name for the processor."""
        names = ", ".join(map(str, types))  # Numba's `repr` is the same for several kinds of arrays
        return f"{self._name} {self._source} ({names}) {codegen.magic_tuple()}"


def _entry(types: Any, compiled: Any) -> bytes:
    return bytes(dumps((types, *to_keep(compiled))))
