"""Compilation of functions that are only called by kernels, without machine code of their own.

Numba compiles each function that a kernel calls to machine code, with all that it calls
in turn, although the kernel includes its intermediate form and never runs that machine
code. For the hundred parts of a simulation that is a third of the compile
time. Such a part is left in its intermediate form; only the kernel that includes it is compiled.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.untyped_passes import RewriteSemanticConstants

from engine.compiler.packed_tuples import Packed
from engine.compiler.pruning import PruneKnownBranches


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The intermediate form of a function and of all that it calls."""

    def _optimize_final_module(self) -> None:
        """Left to the kernel."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._make_places()
        self._finalized = True

    def _make_places(self) -> None:
        """Create the variable into which Numba writes the address of a function's environment."""
        engine = self._codegen._engine
        names = [variable.name for variable in self._final_module.global_variables]
        variables = [f'@"{name}" = common global i64 0' for name in names if _is_new_variable(engine, name)]
        if variables:
            engine.add_module(llvm.parse_assembly("\n".join(variables)))
            engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        """The address 0, as there is no machine code to run."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        """The data that is stored on disk."""
        return self.serialize_using_bitcode()


def _is_new_variable(engine: Any, name: str) -> bool:
    return name.startswith("_ZN08NumbaEnv") and not engine.is_symbol_defined(name)


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's own steps, and that which leaves out branches that are known not to be taken."""

    def define_pipelines(self) -> list[Any]:
        """The steps, ready to be taken."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.add_pass_after(PruneKnownBranches, RewriteSemanticConstants)
        steps.finalize()
        return [steps]


class StepCompiler(KernelCompiler):
    """The compiler of parts that are inlined into their callers if they get a small packed tuple.

    Inlining of all other parts too would make a function on which LLVM works for minutes.
    """

    def define_pipelines(self) -> list[Any]:
        """The steps, ready to be taken."""
        if any(isinstance(kind, Packed) and kind.small for kind in self.state.args):
            self.state.flags.forceinline = True
        self.state.library = Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


class PartCompiler(KernelCompiler):
    """The compiler of parts: the steps of KernelCompiler, with a library that makes no machine code."""

    def define_pipelines(self) -> list[Any]:
        """The steps, ready to be taken."""
        self.state.library = Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()
