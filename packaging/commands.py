"""What `bootstrap.py run` and `bootstrap.py test` do, once a fitting Python runs them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping

import environment
import libraries
from environment import BIN, PYTHON, ROOT, VENV, SetupError

KERNELS = "kernels"
COMPILE = "from app.work.compile_kernels import fill_cache; fill_cache()"
"""Compiled once, on two cores, before two processes of tests would each compile them all."""

BOUNDS = "pytest, indices"
BOUNDS_TESTS = [
    "tests/engine/simulation/test_invariants.py",
    "-k",
    "every_job_runs_once or nothing_runs_on_a_node",
]
"""Kernels that look after every index, on random workloads: compiling them takes most of the minute."""

EXTRA = {
    KERNELS: {"NUMBA_CACHE_DIR": str(VENV / "numba-cache")},  # as tests have it
    BOUNDS: {"NUMBA_BOUNDSCHECK": "1"},
}
"""Variables of single steps."""


def execute(command: str, arguments: list[str]) -> int:
    """Set up what is needed, then do the command, `run` or `test`; its exit status."""
    try:
        environment.ensure()
    except SetupError as error:
        print(f"Batchscope cannot be set up: {error}", file=sys.stderr)
        return 1
    under_x = command == "run" and has_display(os.environ) and "WAYLAND_DISPLAY" not in os.environ
    libraries.check(xcb=under_x, tried=VENV / "apt-tried")
    return run(arguments) if command == "run" else test(arguments)


def run(arguments: list[str]) -> int:
    """Become `batchscope ARGUMENTS`, or `batchscope demo`; without a display Qt draws offscreen."""
    variables = environment.variables()
    if not has_display(variables):
        variables.setdefault("QT_QPA_PLATFORM", "offscreen")
    program = str(BIN / "batchscope")
    call = [program, *(arguments or ["demo"])]
    if os.name == "nt":
        return subprocess.run(call, env=variables, check=False).returncode
    sys.stdout.flush()
    os.execve(program, call, variables)


def test(arguments: list[str]) -> int:
    """Run every check, also after one failed, and sum up; 0 if all passed.

    The whole suite goes to two processes; with arguments of its own pytest is left alone.
    """
    parallel = ["-n", "2", "--dist", "loadfile"] if not arguments and (os.cpu_count() or 1) > 1 else []
    steps = {
        "ruff check": [str(BIN / "ruff"), "check", "."],
        "ruff format": [str(BIN / "ruff"), "format", "--check", "."],
        "mypy": [str(BIN / "mypy")],
        "import contracts": [str(BIN / "lint-imports"), "--no-logo"],
    }
    if not arguments:
        steps[KERNELS] = [str(PYTHON), "-P", "-c", COMPILE]
    steps["pytest"] = [str(PYTHON), "-m", "pytest", *parallel, *arguments]
    if not arguments:
        steps[BOUNDS] = [str(PYTHON), "-m", "pytest", *BOUNDS_TESTS]
    results = []
    for name, call in steps.items():
        print(f"\n=== {name}", flush=True)
        began = time.monotonic()
        variables = environment.variables() | EXTRA.get(name, {})
        status = subprocess.run(call, cwd=ROOT, env=variables, check=False).returncode
        results.append((name, status, time.monotonic() - began))
    print("\n=== summary")
    for name, status, seconds in results:
        print(f"{name:<17} {seconds:6.1f} s  {'ok' if status == 0 else f'FAILED (exit status {status})'}")
    return int(any(status for _, status, _ in results))


def has_display(variables: Mapping[str, str]) -> bool:
    """Whether windows can be shown: elsewhere than on Linux always, there under X or Wayland."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))
