"""What we know of Numba's inside, as it is in the pinned versions.

When this fails a pin has moved. Read what changed in each function below, and in those that they
call, against its use in `engine/compiler`; then put the new versions here.
"""

import inspect
import os
import tomllib
from collections.abc import Callable
from importlib.metadata import version

import llvmlite.binding.ffi
import numba
import pytest
from numba.core import cgutils
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.caching import NullCache, _Cache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen, JitEngine
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, compile_result, run_frontend
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.core.entrypoints import init_all
from numba.core.ir_utils import get_definition, guard
from numba.core.pythonapi import PythonAPI
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.untyped_passes import RewriteSemanticConstants
from numba.np.arrayobj import getitem_array_tuple, getitem_arraynd_intp, populate_array, setitem_array

from engine.compiler.load import load_numba
from tests.paths import ROOT

VERSIONS = {"numba": "0.68.1", "llvmlite": "0.50.0"}

INSIDE: dict[Callable[..., object], str] = {
    CompileResult._reduce: "(self)",
    CompileResult._rebuild: "(target_context, libdata, fndesc, env, signature, objectmode, lifted, "
    "typeann, reload_init, referenced_envs)",
    compile_result: "(**entries)",
    CPUContext.get_executable: "(self, library, fndesc, env)",
    JITCPUCodegen.set_env: "(self, env_name, env)",
    JITCodeLibrary._get_module_for_linking: "(self)",
    JITCodeLibrary._set_compiled_object: "(self, value)",
    JITCodeLibrary._unserialize: "(codegen, state)",
    JitEngine._load_defined_symbols: "(self, mod)",
    type(rtsys).initialize: "(self, ctx)",
    PythonAPI.emit_environment_sentry: "(self, envptr, return_pyobject=False, debug_msg='')",
    init_all: "()",
    dumps: "(obj)",
    NullCache.load_overload: "(self, sig, target_context)",
    NullCache.save_overload: "(self, sig, cres)",
    CompilerBase.define_pipelines: "(self)",
    DefaultPassBuilder.define_nopython_pipeline: "(state, name='nopython')",
    PassManager.add_pass_after: "(self, pass_cls, location)",
    RewriteSemanticConstants.run_pass: "(self, state)",
    compute_cfg_from_blocks: "(blocks)",
    get_definition: "(func_ir, name, **kwargs)",
    guard: "(func, *args, **kwargs)",
    run_frontend: "(func, inline_closures=False, emit_dels=False)",
    JITCodeLibrary._optimize_final_module: "(self)",
    JITCodeLibrary._finalize_final_module: "(self)",
    JITCodeLibrary._finalize_dynamic_globals: "(self)",
    JITCodeLibrary._verify_declare_only_symbols: "(self)",
    JITCodeLibrary.get_pointer_to_function: "(self, name)",
    JITCodeLibrary.serialize_using_object_code: "(self)",
    JITCodeLibrary.serialize_using_bitcode: "(self)",
    cgutils.gep_inbounds: "(builder, ptr, *inds, **kws)",
    cgutils.get_or_insert_function: "(module, fnty, name)",
    cgutils.unpack_tuple: "(builder, tup, count=None)",
    getitem_arraynd_intp: "(context, builder, sig, args)",
    getitem_array_tuple: "(context, builder, sig, args)",
    setitem_array: "(context, builder, sig, args)",
    populate_array: "(array, data, shape, strides, itemsize, meminfo, parent=None)",
}


@pytest.mark.parametrize("name", VERSIONS)
def test_the_pinned_version_is_the_one_that_we_know(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"{name}=={VERSIONS[name]}" in project["dependencies"]
    assert version(name) == VERSIONS[name]


@pytest.mark.parametrize("function", INSIDE, ids=lambda function: function.__qualname__)
def test_what_we_call_or_replace_is_there(function: Callable[..., object]) -> None:
    assert str(inspect.signature(function)) == INSIDE[function]


def test_a_cache_is_asked_nothing_else() -> None:
    asked = {name for name in vars(_Cache) if not name.startswith("_")}
    assert asked == {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_function_has_its_cache_where_we_put_ours() -> None:
    compiled = numba.njit(lambda number: number)
    assert isinstance(compiled, Dispatcher)
    assert isinstance(compiled._cache, NullCache)


def test_calls_of_llvm_are_not_timed() -> None:
    load_numba()
    assert llvmlite.binding.ffi.lib._lock._cblist == []
