"""How the house is built, as far as a test can tell; import-linter holds the layers."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

MODULES = sorted(path for room in ("engine", "views", "app") for path in (ROOT / room).rglob("*.py"))
LONGEST = 450


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_packaging_is_no_package() -> None:
    """It would hide the PyPI package of the same name."""
    assert not (ROOT / "packaging" / "__init__.py").exists()
    spec = importlib.util.find_spec("packaging")
    assert spec is not None
    assert "site-packages" in str(spec.origin)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is_and_is_read_in_one_sitting(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{name(path)} has no docstring"
    lines = len(text.splitlines())
    assert lines <= LONGEST, f"{name(path)} has {lines} lines: it holds more than one idea"


@pytest.mark.parametrize(
    ("module", "late"),
    [
        ("app.cli.main", {"numba", "pandas", "pyarrow", "matplotlib", "PySide6"}),
        ("app.shell.window", {"numba", "pandas", "pyarrow", "matplotlib"}),
    ],
)
def test_what_is_slow_to_import_is_imported_late(module: str, late: set[str]) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} does not exist yet")
    program = f"import sys, {module}; print(*sorted({late!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"{module} imports {done.stdout.strip()} at start"
