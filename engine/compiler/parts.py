"""Compiles functions that are parts of kernels, and nothing by themselves.

Numba works out each function that a kernel calls down to machine code, with all that it calls
in its turn, though the kernel takes in its intermediate form and runs none of that machine
code. For the some hundred parts of a simulation that is a third of the time that compiling
takes. A part is left in its intermediate form; the kernel that takes it in is worked out whole.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.untyped_passes import RewriteSemanticConstants

from engine.compiler.packed import Packed
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
        """Room where Numba writes the address of a function's environment, as soon as it is compiled."""
        engine = self._codegen._engine
        names = [variable.name for variable in self._final_module.global_variables]
        variables = [f'@"{name}" = common global i64 0' for name in names if _is_new_variable(engine, name)]
        if variables:
            engine.add_module(llvm.parse_assembly("\n".join(variables)))
            engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is nothing to run."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        """What is kept on disk."""
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
    """As `PartCompiler`, but what is made of a small packed tuple becomes a part of its callers' code.

    Of all others too, it would make a function of a simulation on which LLVM works for minutes.
    """

    def define_pipelines(self) -> list[Any]:
        """The steps, ready to be taken."""
        if any(isinstance(kind, Packed) and kind.small for kind in self.state.args):
            self.state.flags.forceinline = True
        self.state.library = Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


class PartCompiler(KernelCompiler):
    """The same steps, with a library of parts for what they make."""

    def define_pipelines(self) -> list[Any]:
        """The steps, ready to be taken."""
        self.state.library = Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()
