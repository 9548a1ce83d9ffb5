"""Kernels that a window's process lacks are compiled by child processes."""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.work.kernel_children import KernelChildren
from engine.compiler.compile_request import CompilationError, CompileRequest, compile_elsewhere
from engine.simulation.control import Cancelled, Control, controlled_by, thread_pool
from tests.paths import ROOT
from views.work.executor import Executor

REQUEST = CompileRequest("state", "module", "name", "purpose", b"")
NEVER_ANSWERS = [sys.executable, "-c", "import time; time.sleep(60)"]

NEW_TYPES = """
import resource, sys
import numpy as np
from numba.core import event
from app.work.kernel_children import KernelChildren
from engine.compiler.compile_request import compile_elsewhere
from engine.row_groups import grouped

if "full" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as on a full disk
children = KernelChildren()
compile_elsewhere(children.compile_kernel)
with event.install_recorder("numba:compile") as compiled:
    for kind in (np.int16, np.int32) if "writable" in sys.argv else (np.int16,):
        rows, offset = grouped(np.array([1, 0, 1], kind), 2)
        assert (rows.tolist(), offset.tolist()) == ([1, 0, 2], [0, 1, 3])
        children._idle[0].kill()  # the next kernel needs another child
children.close()
print(len(compiled.buffer))
"""


def run_code(code: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The output of code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@contextmanager
def children_of(words: list[str]) -> Iterator[KernelChildren]:
    """Children that another command starts."""
    children = KernelChildren(words)
    try:
        yield children
    finally:
        children.close()


compiled = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


@compiled
@pytest.mark.parametrize("place", ["writable", "refused", "full"])
def test_a_kernel_for_new_types_is_compiled_by_a_child(place: str, tmp_path: Path) -> None:
    folder = os.devnull if place == "refused" else str(tmp_path)
    done = run_code(NEW_TYPES, place, NUMBA_CACHE_DIR=folder, XDG_CACHE_HOME=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0\n", "kernels that this process compiled"
    assert len(list(tmp_path.rglob("*.kernel"))) == (2 if place == "writable" else 0)


@compiled
def test_a_child_of_newer_files_compiles_nothing() -> None:
    request = CompileRequest("older", "engine.row_groups", "grouped", "older", pickle.dumps(()))
    children = KernelChildren()
    with pytest.raises(CompilationError, match="files have changed since it was started"):
        children.compile_kernel(request)
    children.close()


def test_a_cancelled_thread_waits_no_longer_and_its_child_ends() -> None:
    control, ends = Control(), list[Exception]()

    def wait_for_kernel() -> None:
        with controlled_by(control), thread_pool(1) as pool:  # whose threads are cancelled too
            try:
                pool.submit(children.compile_kernel, REQUEST).result()
            except Exception as error:
                ends.append(error)

    with children_of(NEVER_ANSWERS) as children:
        thread = threading.Thread(target=wait_for_kernel)
        thread.start()
        while not (jobs := list(children._jobs.values())) or jobs[0].child is None:
            time.sleep(0.01)
        child = jobs[0].child
        began = time.monotonic()
        control.cancel()
        thread.join()
        assert time.monotonic() - began < 30.0
        assert isinstance(ends[0], Cancelled)
        assert child.wait(30) != 0
        assert children._jobs == {}


def test_a_thread_that_still_waits_keeps_the_child_of_a_cancelled_one() -> None:
    control, ends = Control(), list[Exception]()

    def wait_for_kernel(own: Control) -> None:
        with controlled_by(own):
            try:
                children.compile_kernel(REQUEST)
            except Exception as error:
                ends.append(error)

    with children_of(NEVER_ANSWERS) as children:
        threads = [threading.Thread(target=wait_for_kernel, args=(own,)) for own in (control, Control())]
        for thread in threads:
            thread.start()
        while not (jobs := list(children._jobs.values())) or jobs[0].child is None or jobs[0].waiters < 2:
            time.sleep(0.01)
        control.cancel()
        threads[0].join()
        assert [type(end) for end in ends] == [Cancelled]
        assert jobs[0].child.poll() is None
    threads[1].join()
    assert isinstance(ends[1], CompilationError), "the children were closed"


def test_a_child_that_fails_ends_in_an_error_that_says_so() -> None:
    with (
        children_of([sys.executable, "-c", "import sys; sys.stdin.buffer.read(1); sys.exit(3)"]) as children,
        pytest.raises(CompilationError, match=r"module\.name could not be compiled: .* status 3"),
    ):
        children.compile_kernel(REQUEST)
    with children_of([os.devnull]) as children, pytest.raises(CompilationError, match="ermission denied"):
        children.compile_kernel(REQUEST)


@compiled
def test_an_executor_that_ends_does_not_wait_for_a_compile(qapp: object) -> None:
    import numpy as np

    from engine.row_groups import grouped

    failures: list[Exception] = []
    with children_of(NEVER_ANSWERS) as children:
        compile_elsewhere(children.compile_kernel)
        try:
            executor = Executor()
            executor.submit("key", lambda _: grouped(np.zeros(2, np.uint8), 1), print, failures.append)
            executor._begin()
            while not children._jobs:
                time.sleep(0.01)
            began = time.monotonic()
            assert executor.shutdown()
            assert time.monotonic() - began < 30.0
        finally:
            compile_elsewhere(None)
    assert failures == []
