"""The steps of `bootstrap.py run` and `bootstrap.py test`, under a supported Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import environment
import libraries
from environment import BIN, PYTHON, ROOT, VENV, SetupError

KERNELS = "kernels"
SUITE = "pytest"
COMPILE = "from app.work.compile_kernels import fill_cache; fill_cache()"
"""Compiled once, before two processes of tests would each compile them all."""

COMPILED = "from engine.compiler.cache import is_filled; raise SystemExit(not is_filled())"
COMPILE_SIMULATIONS = "from app.work.compile_kernels import fill_simulations; fill_simulations()"

BOUNDS_KERNELS = "kernels, indices"
BOUNDS = "pytest, indices"
BOUNDS_TESTS = [f"tests/engine/simulation/test_{name}.py" for name in ("plan", "invariants", "same_starts")]
"""Tests on random workloads: of kernels that look after every index alone, and so not in the suite."""

QUICK = "--quick"
STRUCTURE = "tests/test_structure.py"

ALONE = "pytest, alone"
TESTS_FAILED = 1  # pytest's exit status
FEW = 12
"""So many failed tests are run once more, without others beside them: those that could not be set up, too.

A test of a window waits for a clock, and a machine that does something else may be too slow for it once.
What passes alone is named and counted at the end. A hang, a crash or a traceback of the program is never
excused so: a slow machine does none of these.
"""

_FAILED = "v/cache/lastfailed"
_FAULTS = "v/batchscope/faults"  # written by tests/first_failures.py

_NO_SETTINGS: Mapping[str, str] = {}
_CACHE = {"NUMBA_CACHE_DIR": str(VENV / "numba-cache")}  # as tests have it
_INDICES = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}  # compiled sooner, for the little that they run
_GENERIC = {"NUMBA_CPU_NAME": "generic"}
"""The whole suite tests code for any processor, as packages bring it, whose instructions can be counted."""

_LOW = 10
"""The niceness of steps beside the others: they use the processor where tests wait for a clock or a disk."""

STEP_LIMIT_S = 3000.0
"""A step that takes longer hangs, and is ended."""

NO_END = 124  # the exit status of a step that was ended, as timeout(1) has it

EXTRA = {KERNELS: _CACHE, BOUNDS_KERNELS: _CACHE | _INDICES, BOUNDS: _INDICES}
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
    say_what_compiles(variables)
    program = str(BIN / "batchscope")
    call = [program, *(arguments or ["demo"])]
    if os.name == "nt":
        return subprocess.run(call, env=variables, check=False).returncode
    sys.stdout.flush()
    os.execve(program, call, variables)


def say_what_compiles(variables: Mapping[str, str]) -> None:
    """Say on standard error why a first run is silent for so long; at a terminal the program does.

    With these environment variables, which may name a cache.
    """
    if not sys.stderr.isatty():
        look = [str(PYTHON), "-P", "-c", COMPILED]
        if subprocess.run(look, cwd=ROOT, env=variables, stderr=subprocess.DEVNULL, check=False).returncode:
            text = "Compiling what is used for the first time for this computer, once: up to three minutes…"
            print(text, file=sys.stderr, flush=True)


def test(arguments: list[str]) -> int:
    """Run every check, even after a failure, and sum up; 0 if all passed.

    With its own arguments pytest runs unchanged, after the static checks.
    """
    if arguments == [QUICK]:
        return summary([execute_step(name, call) for name, call in quick_steps(changed_files()).items()])
    pytest = [str(PYTHON), "-m", "pytest"]
    if arguments:
        calls = static_steps() | {SUITE: [*pytest, *arguments]}
        return summary([execute_step(name, call) for name, call in calls.items()])
    if os.environ.get("CI"):
        libraries.offer_slurm(tried=VENV / "apt-tried-slurm")
        libraries.offer_valgrind(tried=VENV / "apt-tried-valgrind")
        libraries.offer_shells(tried=VENV / "apt-tried-shells")
    suite = [*pytest, *(parallel() and [*parallel(), "--no-loadscope-reorder"])]  # tests/conftest.py orders
    suite += [f"--ignore={path}" for path in BOUNDS_TESTS]
    indices = {
        BOUNDS_KERNELS: [str(PYTHON), "-P", "-c", COMPILE_SIMULATIONS],
        # Without a cache: which tests of the suite failed is kept there.
        BOUNDS: [*pytest, "-p", "no:cacheprovider", *BOUNDS_TESTS],
    }
    # Side by side, so that both cores are busy to the end: compiling and tests wait now and then.
    checks = {KERNELS: [str(PYTHON), "-P", "-c", COMPILE], SUITE: suite}
    results = execute_beside(checks, static_steps() | indices, _GENERIC)
    steps, passed_again = run_again(results)
    return max(summary(steps), tell_passed_again(passed_again))


def parallel() -> list[str]:
    """Arguments by which pytest runs in two processes, where there are two cores.

    A process that crashes ends the run: another one in its place crashes in the same test, or waits for ever
    for the files that the first one left.
    """
    two = ["-n", "2", "--dist", "loadfile", "--max-worker-restart", "0"]
    return two if (os.cpu_count() or 1) > 1 else []


def lowered() -> list[str]:
    """The words before a command that let others go before it, where the system has such."""
    return ["nice", "-n", str(_LOW)] if shutil.which("nice") else []


def execute_beside(
    checks: dict[str, list[str]], others: dict[str, list[str]], settings: Mapping[str, str] = _NO_SETTINGS
) -> list[Step]:
    """Make checks one after another with these variables, and others at the same time, without them.

    The output of others that have ended is printed after each of the checks. The checks go first where both
    want a processor: they are the longer part, and wait now and then.
    """
    results: list[Step] = []
    ended: list[tuple[Step, str]] = []

    def make_others() -> None:
        for name, call in others.items():
            ended.append(make_step(name, [*lowered(), *call]))

    printed = 0
    with ThreadPoolExecutor(1) as beside:
        made = beside.submit(make_others)
        for name, call in checks.items():
            results.append(execute_step(name, call, settings))
            if len(results) == len(checks):
                made.result()
            news = ended[printed:]
            printed += len(news)
            for step, output in news:
                print(f"\n=== {step.name}\n{output}", end="", flush=True)
    return [*results, *(step for step, _ in ended)]


def static_steps() -> dict[str, list[str]]:
    """The checks that run no code, by name."""
    return {
        "ruff check": [str(BIN / "ruff"), "check", "."],
        "ruff format": [str(BIN / "ruff"), "format", "--check", "."],
        "mypy": [str(BIN / "mypy")],
        "import contracts": [str(BIN / "lint-imports"), "--no-logo"],
    }


def summary(results: list[Step]) -> int:
    """Print how long each step took and how it ended; 1 if any failed that was not made again, else 0."""
    print("\n=== summary")
    for step in results:
        outcome = "ok" if step.status == 0 else f"FAILED (exit status {step.status})"
        print(f"{step.name:<17} {step.seconds:6.1f} s  {outcome}{', see below' if step.made_again else ''}")
    return int(any(step.status for step in results if not step.made_again))


def quick_steps(changed: list[str]) -> dict[str, list[str]]:
    """The static checks, and the tests of the files that changed, by name."""
    steps = static_steps()
    tests = [STRUCTURE, *sorted({test for file in changed for test in tests_of(file)} - {STRUCTURE})]
    return steps | {
        SUITE: [str(PYTHON), "-m", "pytest", "-q", *(parallel() if len(tests) > 1 else []), *tests]
    }


def tests_of(file: str) -> list[str]:
    """The tests of a file of the project: its own tests, otherwise those of its folder, if any."""
    path = Path(file)
    if path.suffix != ".py":
        return []
    if path.parts[0] == "tests":
        own = [path] if path.name.startswith("test_") else []
    elif path.parts[0] == "packaging":
        own = [Path("tests") / f"test_{name}.py" for name in ("bootstrap", "build", "release")]
    else:
        room = Path("tests") / path.parent
        own = [room / f"test_{path.stem}.py"]
        if not (ROOT / own[0]).exists():
            own = sorted(test.relative_to(ROOT) for test in (ROOT / room).glob("test_*.py"))
    return [test.as_posix() for test in own if (ROOT / test).exists()]


def changed_files() -> list[str]:
    """The files that differ from the upstream branch, or else from `main`, new files too.

    Where nothing differs from that: the files of the last commit.
    """
    for base in ("@{upstream}", "main"):
        if merge_base := _git("merge-base", "HEAD", base):
            break
    new = _git("ls-files", "--others", "--exclude-standard")
    changed = [*_git("diff", "--name-only", *(merge_base or ["HEAD"])), *new]
    return sorted(set(changed or _git("diff", "--name-only", "HEAD~1")))


def _git(*arguments: str) -> list[str]:
    """The lines that git prints; none where it fails or is not installed."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    except OSError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def run_again(steps: list[Step]) -> tuple[list[Step], dict[str, str]]:
    """The steps; where few tests failed, with those run alone as a step that counts in place of the suite.

    Also the tests that passed alone, each with the fault of the program that its first failure was, or none.
    """
    if not any(step.name == SUITE and step.status == TESTS_FAILED for step in steps):
        return steps, {}
    tests, faults = [*cached(_FAILED)], cached(_FAULTS)
    if not 0 < len(tests) <= FEW:
        return steps, {}
    alone = execute_step(ALONE, [str(PYTHON), "-m", "pytest", *tests], _GENERIC)
    failed = cached(_FAILED) if alone.status == TESTS_FAILED else {} if alone.status == 0 else tests
    passed = {test: faults.get(test, "") for test in tests if test not in failed}
    return [replace(step, made_again=step.name == SUITE) for step in steps] + [alone], passed


def tell_passed_again(tests: Mapping[str, str]) -> int:
    """Name and count the tests that failed once and passed alone; 1 if the program was at fault, else 0."""
    if tests:
        print(f"\n=== failed once, passed alone: {len(tests)}")
    for test, fault in tests.items():
        print(f"{test}: {f'FAILED, since the program {fault}' if fault else 'an assertion, or a wait'}")
    return int(any(tests.values()))


@dataclass(frozen=True)
class Step:
    """A check that was made: its name, exit status and duration in seconds; whether another counts for it."""

    name: str
    status: int
    seconds: float
    made_again: bool = False


def execute_step(name: str, call: list[str], settings: Mapping[str, str] = _NO_SETTINGS) -> Step:
    """Make a check, under its name in the output."""
    print(f"\n=== {name}", flush=True)
    step, output = make_step(name, call, settings, captured=False)
    print(output, end="", flush=True)
    return step


def make_step(
    name: str, call: list[str], settings: Mapping[str, str] = _NO_SETTINGS, *, captured: bool = True
) -> tuple[Step, str]:
    """Run a check with these variables; returns its result, and its output if that is captured."""
    began = time.monotonic()
    variables = environment.variables() | EXTRA.get(name, {}) | dict(settings)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # or each program that tests start compiles all sources
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        into: dict[str, Any] = {"stdout": file, "stderr": subprocess.STDOUT} if captured else {}
        ended = ""
        try:
            done = subprocess.run(call, cwd=ROOT, env=variables, check=False, timeout=STEP_LIMIT_S, **into)
            status = done.returncode
        except subprocess.TimeoutExpired:
            ended = f"\n{name} was ended: it took more than {STEP_LIMIT_S:.0f} s\n"
            status = NO_END
        file.seek(0)
        return Step(name, status, time.monotonic() - began), file.read() + ended


def cached(name: str) -> dict[str, str]:
    """The tests that the last run listed in a file of pytest's cache, by name; none without the file."""
    try:
        listed = json.loads((ROOT / ".pytest_cache" / name).read_text())
    except (OSError, ValueError):
        return {}
    return dict(sorted(listed.items())) if isinstance(listed, dict) else {}


def has_display(variables: Mapping[str, str]) -> bool:
    """True if windows can be shown: always outside of Linux, there under X or Wayland."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))
