"""Compiling a kernel for another process of this user, which may not wait for the compiler."""

from __future__ import annotations

import pickle
from functools import reduce
from importlib import import_module
from typing import Any

from engine.compiler.cache import kernel_folder
from engine.compiler.compile_request import CompileRequest


def entry_for(request: CompileRequest) -> bytes:
    """The entry of the cache for a request, which is written to the cache too if that is possible.

    Raises ValueError if the other process has read other sources than this one, and what the compiler raises.
    """
    module = import_module(request.module)
    kernel: Any = reduce(getattr, request.name.split("."), module)
    types = pickle.loads(request.types)
    purpose = kernel._cache.purpose(types, kernel.targetctx.codegen())
    # Both processes must agree on the sources, or the entry would be of other code.
    if (request.state, request.purpose) != (kernel_folder().name, purpose):
        raise ValueError("the program's files have changed since it was started; start it again")
    kernel.compile(types)
    entry: bytes = kernel._cache.entry(types, kernel.overloads[types])
    return entry
