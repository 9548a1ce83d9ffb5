"""The public names of Batchscope in Python, and what their import brings with it."""

import subprocess
import sys

import pytest

import batchscope
from tests.paths import ROOT

LOADED = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


def modules_after(code: str) -> set[str]:
    """The top-level modules of a new interpreter that has run the code."""
    call = [sys.executable, "-P", "-c", f"{code}\n{LOADED}"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_public_name_is_there_and_is_listed() -> None:
    assert sorted(batchscope.__all__) == sorted(
        name for names in batchscope._HOMES.values() for name in names
    )
    for name in batchscope.__all__:
        assert getattr(batchscope, name) is not None
        assert name in dir(batchscope)
    with pytest.raises(AttributeError, match="'batchscope' has no attribute 'compar'"):
        getattr(batchscope, "compar")  # noqa: B009 - a checker of types knows that it is not there


def test_an_import_brings_neither_kernels_nor_charts() -> None:
    brought = modules_after("import batchscope")
    assert not brought & {"numba", "numpy", "pandas", "matplotlib", "PySide6", "views"}


def test_a_comparison_brings_no_charts() -> None:
    code = "import batchscope; batchscope.compare; batchscope.read"
    brought = modules_after(code)
    assert "numba" in brought
    assert not brought & {"matplotlib", "PySide6", "pandas"}
