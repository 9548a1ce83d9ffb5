"""Which failures of tests are faults of the program, whatever a second run says."""

import json

import pytest

from tests.first_failures import CRASHED, HUNG, ROOT, TRACEBACK, text_fault
from tests.packaging_modules import load


def trace(*files: str) -> str:
    frames = "".join(f'  File "{file}", line 3, in some_function\n    run()\n' for file in files)
    return f"Traceback (most recent call last):\n{frames}ValueError: nothing there\n"


def test_faults_of_the_program_are_remembered_and_other_failures_are_not(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import subprocess, sys
        import pytest
        from pytestqt.exceptions import TimeoutError as WaitError

        def run(code):
            call = [sys.executable, "-X", "faulthandler", "-c", code]
            return subprocess.run(call, capture_output=True, text=True)

        def test_hangs():
            subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)

        def test_crashes():
            assert run("import os; os.abort()").stderr == ""

        def test_crashes_without_a_word():
            done = subprocess.run([sys.executable, "-c", "import os; os.abort()"], capture_output=True)
            assert len(done.stdout) == 1

        def test_dumps():
            code = "import faulthandler as f, time; f.dump_traceback_later(0.2, exit=True); time.sleep(60)"
            assert run(code).stderr == ""

        def test_raises():
            from engine.policy.policy import parse_policy
            parse_policy(None)

        def test_starts_what_raises():
            done = run("from engine.policy.policy import parse_policy; parse_policy(None)")
            assert len(done.stderr) == 0

        def test_starts_what_raises_by_itself():
            assert len(run("raise ValueError('not the program')").stderr) == 0

        def test_waits_in_vain():
            raise WaitError("a wait ran out")

        def test_waits_in_vain_in_the_program():
            from app.shell.offscreen import wait_until_still
            wait_until_still(lambda: True, lambda: "", 0.05)

        def test_fails():
            assert 1 == 2

        def test_passes():
            assert len(run("import os; os.abort()").stderr) > 0
        """
    )
    result = pytester.runpytest_subprocess("-p", "tests.first_failures", "-p", "no:xdist")
    result.assert_outcomes(failed=10, passed=1)
    (cached,) = pytester.path.glob(".pytest_cache/v/batchscope/faults")
    faults = {name.rpartition("::")[2]: kind for name, kind in json.loads(cached.read_text("utf-8")).items()}
    assert faults == {
        "test_hangs": HUNG,
        "test_crashes": CRASHED,
        "test_crashes_without_a_word": CRASHED,
        "test_dumps": HUNG,
        "test_raises": TRACEBACK,
        "test_starts_what_raises": TRACEBACK,
    }


def test_a_traceback_is_of_the_program_where_its_innermost_own_frame_is() -> None:
    program, test, library = (
        f"{ROOT}/views/theme/focus.py",
        f"{ROOT}/tests/test_it.py",
        "/usr/lib/numpy/array.py",
    )
    assert text_fault(trace(test, program)) == TRACEBACK
    assert text_fault(trace(test, program, library)) == TRACEBACK
    assert text_fault(f"assert 0 == {trace(program)!r}") == TRACEBACK  # as assertions show outputs
    assert text_fault(trace(program, test)) == ""  # a function of the test that the program called
    assert text_fault(trace(test, library)) == ""
    assert text_fault(trace(library)) == ""
    assert text_fault(trace(test) + trace(program)) == TRACEBACK


def test_a_lost_process_of_tests_is_a_crash() -> None:
    assert text_fault("worker 'gw1' crashed while running 'tests/test_it.py::test_it'") == CRASHED
    assert text_fault("Timeout (0:05:00)!\nThread 0x00007f") == HUNG
    assert text_fault("AssertionError: 1 != 2") == ""


IN_A_TEST = "import os\ndef test_crashes(): os.abort()\ndef test_comes_later(): pass"
AT_THE_END = """
import os

def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        os.abort()
"""


@pytest.mark.parametrize(
    ("files", "status", "told"),
    [
        ({"test_a": IN_A_TEST}, 1, "crashed while running 'test_a.py::test_crashes'"),
        ({"conftest": AT_THE_END}, 3, "crashed and worker restarting disabled"),
    ],
    ids=["in a test", "at the end"],
)
def test_a_lost_process_of_tests_ends_the_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], status: int, told: str
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    others = {f"test_{name}": "def test_passes(): pass\ndef test_too(): pass" for name in "bcd"}
    pytester.makepyfile(**files, **others)
    options = ["-p", "tests.first_failures", "-p", "no:faulthandler", *load("commands").parallel()]
    result = pytester.runpytest_subprocess(*options, timeout=60)
    assert result.ret == status
    result.stdout.fnmatch_lines(f"*{told}*")
