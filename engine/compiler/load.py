"""How Numba is loaded: told where code is kept, and without what it needs for no kernel."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

from engine.compiler.cache import kernel_folder


def before_numba() -> None:
    """Prepare for `import numba`, which reads its settings as it is loaded."""
    kernel_folder()
    if "numba" not in sys.modules:
        _load_when_used("yaml")  # Numba needs it for settings in a file of its own


def _load_when_used(name: str) -> None:
    """Put a module in its place that is loaded when something of it is used."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    loader = LazyLoader(spec.loader)
    spec.loader = loader
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
