"""What `conftest.py` promises to every test."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from tests.app.conftest import pytest_collection_finish
from tests.conftest import FIRST, MOST_EXAMPLES, TESTS, limit_examples
from tests.paths import ROOT


def test_settings_and_caches_are_the_tests_own(tmp_path: Path) -> None:
    for folder in (
        platformdirs.user_config_dir("batchscope"),
        platformdirs.user_cache_dir("batchscope"),
        platformdirs.user_data_dir("batchscope"),
        platformdirs.user_state_dir("batchscope"),
    ):
        assert Path(folder).is_relative_to(tmp_path)
        assert not Path(folder).exists()


def test_windows_are_drawn_offscreen_unless_told_otherwise(qapp: object) -> None:
    from PySide6.QtGui import QGuiApplication

    assert QGuiApplication.platformName() == os.environ.get("BATCHSCOPE_TEST_PLATFORM", "offscreen")


def test_hypothesis_keeps_nothing_and_is_repeatable_in_ci() -> None:
    assert settings.default is not None
    assert settings.default.database is None
    assert settings.default.deadline is None
    assert settings.default.derandomize == bool(os.environ.get("CI"))


@pytest.mark.parametrize(("own", "tried"), [(3 * MOST_EXAMPLES, MOST_EXAMPLES), (5, 5)])
def test_examples_of_a_test_are_limited(own: int, tried: int) -> None:
    numbers = []

    @settings(max_examples=own)
    @given(st.integers())
    def takes(number: int) -> None:
        numbers.append(number)

    limit_examples(takes)
    takes()
    assert len(numbers) == tried


@pytest.mark.parametrize(
    ("needed", "is_filled", "compiled"),
    [({"kernels"}, False, 1), ({"kernels"}, True, 0), ({"site"}, False, 0)],
)
def test_kernels_are_compiled_before_the_first_test(
    monkeypatch: pytest.MonkeyPatch, needed: set[str], is_filled: bool, compiled: int
) -> None:
    calls: list[None] = []
    monkeypatch.setattr("engine.compiler.cache.is_filled", lambda: is_filled)
    monkeypatch.setattr("app.work.compile_kernels.fill_cache", lambda: calls.append(None))
    config = SimpleNamespace(option=SimpleNamespace(collectonly=False))
    session = SimpleNamespace(items=[SimpleNamespace(fixturenames=needed)], config=config)
    pytest_collection_finish(cast("pytest.Session", session))
    assert len(calls) == compiled


def test_a_busy_machine_ends_no_wait_for_an_event(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, False, False, True])
    with monkeypatch.context() as patch:
        patch.setattr("time.time", itertools.count(0.0, 6.0).__next__)  # 6 s pass between two looks
        qtbot.waitUntil(lambda: next(answers))
    assert list(answers) == []


def test_the_files_that_come_first_are_there() -> None:
    assert [name for name in FIRST if not (TESTS / name).exists()] == []


_WINDOW_FAILS = """
def test_it_fails(same_window):
    same_window.show_failed("The view could not be drawn")

def test_the_next_has_another(same_window):
    assert same_window._failure == ""
    assert len(same_window.workbench.finished()) == 4
    global seen
    seen = same_window

def test_which_stays(same_window):
    assert same_window is seen
"""


def test_a_shared_window_that_fails_fails_no_other_test(pytester: pytest.Pytester) -> None:
    """Of tests that share a window, only that in which it fails is at fault."""
    pytester.makeini("[pytest]\nqt_api = pyside6\n")
    pytester.makepyfile(_WINDOW_FAILS)
    options = ("-p", "tests.leaks", "-p", "tests.app.conftest", "-p", "no:cacheprovider", "-rE")
    result = pytester.runpytest_subprocess(*options, timeout=240)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["E *InputError: The view could not be drawn", "ERROR *::test_it_fails*"])


@pytest.mark.parametrize(("option", "chosen"), [((), False), (("--real",), True)])
def test_a_real_slurm_is_started_only_when_asked_for(option: tuple[str, ...], chosen: bool) -> None:
    call = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *option]
    call.append("tests/real/test_site_files.py")
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ("test_nodes_are_those_of_the_controller" in done.stdout) == chosen
    assert ("deselected" in done.stdout) != chosen
