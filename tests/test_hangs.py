from __future__ import annotations

import json

import pytest


def test_hung_and_crashed_tests_are_remembered_and_others_are_not(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import subprocess, sys

        def test_hangs():
            subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)

        def test_crashes():
            done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", "import os; os.abort()"],
                                  capture_output=True, text=True)
            assert done.stderr == ""

        def test_dumps():
            code = "import faulthandler as f, time; f.dump_traceback_later(0.2, exit=True); time.sleep(60)"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert done.stderr == ""

        def test_fails():
            assert 1 == 2

        def test_passes():
            pass
        """
    )
    result = pytester.runpytest_subprocess("-p", "tests.hangs", "-p", "no:xdist")
    result.assert_outcomes(failed=4, passed=1)
    (cached,) = pytester.path.glob(".pytest_cache/v/batchscope/hung_or_crashed")
    names = [name.rpartition("::")[2] for name in json.loads(cached.read_text("utf-8"))]
    assert names == ["test_crashes", "test_dumps", "test_hangs"]
