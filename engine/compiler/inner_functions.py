"""Functions that kernels alone call, before any kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any


class Inner:
    """A function for Numba, which Numba gets to know when it compiles the first kernel that calls it.

    Kernels from the cache hold their parts. Telling Numba of hundreds of these would take as long as loading
    the kernels that most commands use.
    """

    __wrapped__: Callable[..., object]

    def __init__(self, function: Callable[..., object], compiled: Callable[[Any], Any]) -> None:
        self._compiled = compiled
        update_wrapper(self, function)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's own object of the function."""
        return self._compiled(self.__wrapped__)

    @property
    def _numba_type_(self) -> Any:
        """Numba asks for this where a kernel names the function."""
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: object) -> object:
        """Call the compiled function, as tests do."""
        return self.dispatcher(*arguments)
