"""Machine code from the cache, loaded without what only compiling needs.

Numba's own way also reads the intermediate form of a kernel, asks LLVM for the name of each function in it,
compiles the runtime that counts references, and makes an environment for every part of the kernel. The
machine code holds that runtime already, and few parts use an environment.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result
from numba.core.runtime.nrt import _nrt

_NEEDS = b"missing Environment: "
"""Begins the message in machine code that uses an environment, for when it is not there; its name follows."""

Kept = tuple[str, bytes, bytes, tuple[str, ...]]
"""A library: its name, machine code, intermediate form, and the names that it defines."""


class Loaded(JITCodeLibrary):  # type: ignore[misc]
    """Machine code that was kept. Its intermediate form is read only if another kernel takes it in."""

    _shared_module: Any

    def __init__(self, codegen: Any, kept: Kept) -> None:
        name, machine_code, self._bitcode, defined = kept
        super().__init__(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
        return self._shared_module


def to_keep(compiled: Any) -> tuple[Kept | None, tuple[Any, ...]]:
    """What `loaded` needs of a compiled function; the first is None if it has no machine code of its own."""
    # The annotation, which nothing reads later, names functions by their addresses: without it the
    # same sources give the same bytes.
    parts = compiled._replace(type_annotation="")._reduce()
    (name, kind, data), *about, environments = parts
    if kind != "object":
        return None, parts
    machine_code, bitcode = data
    module = compiled.library._get_module_for_linking()
    # Symbols that the code defines itself need no address when it is loaded.
    defined = [
        symbol.name
        for symbols in (module.functions, module.global_variables)
        for symbol in symbols
        if not symbol.is_declaration
    ]
    # Environments that the machine code does not name are not needed.
    used = [
        environment for environment in environments if _NEEDS + environment.env_name.encode() in machine_code
    ]
    return (name, machine_code, bitcode, tuple(sorted(defined))), (*about, tuple(used))


def loaded(context: Any, kept: Kept | None, parts: tuple[Any, ...]) -> Any:
    """A compiled function, of what `to_keep` gave."""
    _add_runtime()  # compiled code needs that alone, and not what Numba knows of all functions
    if kept is None:
        return CompileResult._rebuild(context, *parts)
    about, environment, signature, objectmode, lifted, annotation, reload_init, environments = parts
    for function in reload_init:
        function()
    library = Loaded(context.codegen(), kept)
    run = context.get_executable(library, about, environment)
    for own in environments:
        context.codegen().set_env(own.env_name, own)
    return compile_result(
        typing_context=context.typing_context,
        target_context=context,
        entry_point=run,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        fndesc=about,
        library=library,
        environment=environment,
        reload_init=reload_init,
        referenced_envs=environments,
    )


@cache
def _add_runtime() -> None:
    """Tell LLVM where the functions of Numba's runtime are, as Numba does before it compiles its own."""
    for name, address in _nrt.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
