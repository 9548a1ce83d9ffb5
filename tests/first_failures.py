"""A plugin that tells faults of the program among failed tests, so that a second run does not excuse them.

A fault is a hang, a crash, or a traceback whose innermost frame of the project is the program's, also in the
output of a program that the test started. All else is an assertion of the test, or a wait of it that ran out.
"""

import re
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

CACHED = "batchscope/faults"
HUNG, CRASHED, TRACEBACK = "hung", "crashed", "printed a traceback"

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ("engine", "views", "app", "resources", "batchscope.py")
TESTS = ("tests", "conftest.py")

_SIGNS = {
    HUNG: re.compile(r"TimeoutExpired|Timeout \(\d+:\d\d:\d\d|no end after \d"),
    CRASHED: re.compile(
        r"Fatal Python error|Segmentation fault|crashed while running|ended with status -(4|6|7|8|11)\b"
    ),
}
"""How a subprocess that did not end, a crash, or a lost process of tests shows in the report of a failure."""

_CRASHES = (-4, -6, -7, -8, -11)
"""Exit statuses of a process that ended itself: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV."""

_FRAME = re.compile(r'File "([^"\n]+)", line \d+')
_BEGIN = "Traceback (most recent call last)"
_PROPERTY = "fault of the program"


def text_fault(text: str) -> str:
    """The fault that a text tells of: the output of a program, or the report of a failure; or nothing."""
    for kind, sign in _SIGNS.items():
        if sign.search(text):
            return kind
    # Within assertions that compare outputs, line ends and quotes are escaped.
    plain = text.replace("\\n", "\n").replace('\\"', '"')
    parts = plain.split(_BEGIN)[1:]
    return TRACEBACK if any(_is_of_program(_FRAME.findall(part)) for part in parts) else ""


def _is_of_program(files: list[str]) -> bool:
    """Whether the innermost of these frames that is the project's, and not a library's, is the program's."""
    for file in reversed(files):
        room = _room(file)
        if room in (*PROGRAM, *TESTS):
            return room in PROGRAM
    return False


def _room(file: str) -> str:
    """The first part of a path in the project; empty for other paths."""
    path = Path(file)
    return path.relative_to(ROOT).parts[0] if path.is_relative_to(ROOT) else ""


def error_fault(error: BaseException) -> str:
    """The fault that an exception in a test's own process is, or nothing: a wait that ran out is none."""
    if isinstance(error, subprocess.TimeoutExpired):
        return HUNG
    if isinstance(error, AssertionError | TimeoutError | pytest.fail.Exception):
        return ""
    files, trace = [], error.__traceback__
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return TRACEBACK if _is_of_program(files) else ""


class StartedPrograms:
    """Faults in the outputs of the programs that a test has started and waited for."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._communicate = subprocess.Popen.communicate

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Look at the output of every program from now on."""
        patch.setattr(subprocess.Popen, "communicate", self._look_at(self._communicate))

    def _look_at(self, communicate: Any) -> Any:
        def watched(process: subprocess.Popen[Any], *values: Any, **named: Any) -> Any:
            outputs = communicate(process, *values, **named)
            texts = (out.decode(errors="replace") if isinstance(out, bytes) else out or "" for out in outputs)
            fault = CRASHED if process.returncode in _CRASHES else text_fault("\n".join(texts))
            self.faults.extend([fault] if fault else [])
            return outputs

        return watched


class FirstFailures:
    """Collector of the faults of a run: a failed test, and what the program did there."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._faults: dict[str, str] = {}
        self._started = StartedPrograms()
        self._lost = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        self._started.faults.clear()
        with pytest.MonkeyPatch.context() as patch:
            self._started.watch(patch)
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
        report = yield
        if report.failed:
            own = error_fault(call.excinfo.value) if call.excinfo is not None else ""
            for fault in (own, *self._started.faults):
                if fault:
                    report.user_properties.append((_PROPERTY, fault))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            fault = next(self._told(report), "")
            if fault:
                self._faults.setdefault(report.nodeid, fault)

    def _told(self, report: pytest.TestReport) -> Iterator[str]:
        """What the process of the test said, then what the report tells, also of a process that is lost."""
        yield from (fault for name, fault in report.user_properties if name == _PROPERTY)
        yield from filter(None, [text_fault("\n".join([report.longreprtext, report.capstderr]))])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object | None) -> None:
        """Remember that a process of tests was lost, perhaps outside of any test."""
        self._lost = self._lost or bool(error)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._lost and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR  # what it should have run was not run
        cache = getattr(self._config, "cache", None)  # absent where the plugin is switched off
        if cache is not None and not hasattr(self._config, "workerinput"):
            cache.set(CACHED, self._faults)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(FirstFailures(config), "first failures")
