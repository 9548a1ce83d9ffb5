"""Setting up, short of fetching packages: the commands' first and last steps."""

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from tests.paths import ROOT

SCRIPT = ROOT / "packaging" / "bootstrap.py"


@dataclass
class Exit:
    """What a call of a program ends with."""

    returncode: int


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a module of `packaging` as the script does."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module


@pytest.fixture
def environment(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> ModuleType:
    """The module, about another repository whose `.venv` is not made."""
    module = load("environment")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "built-for")
    monkeypatch.setattr(module, "BIN", tmp_path / ".venv" / "bin")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    (tmp_path / "uv.lock").write_text((ROOT / "uv.lock").read_text(encoding="utf-8"))
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    return module


def script(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_wrong_usage_is_reported_and_changes_nothing(tmp_path: Path) -> None:
    done = script(cwd=tmp_path)
    assert done.returncode == 2
    assert "bootstrap.py run" in done.stderr
    assert script("--help").returncode == 0


def test_an_old_python_is_told_what_to_install(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bootstrap = load("bootstrap")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 10, 1))
    assert bootstrap.main(["test"]) == 1
    assert "this is 3.10" in capsys.readouterr().err


def test_the_entry_parses_on_old_pythons() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 6))
    assert "from __future__ import annotations" not in text  # Python 3.6 does not know it


def test_it_finds_its_parts_where_python_leaves_out_the_scripts_folder(tmp_path: Path) -> None:
    shutil.copytree(SCRIPT.parent, tmp_path / "packaging")
    (tmp_path / ".venv").write_text("")
    done = subprocess.run(
        [sys.executable, "-P", str(tmp_path / "packaging" / SCRIPT.name), "run"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert ".venv is a file" in done.stderr


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("NewConnectionError: [Errno -3] Temporary failure in name resolution", "cannot be reached"),
        ("SSLError(SSLCertVerificationError(1, 'CERTIFICATE_VERIFY_FAILED", "global.cert"),
        ("ERROR: No matching distribution found for numba==0.68.1", "no fitting package"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "uv.lock"),
        ("something else", "a step failed"),
    ],
)
def test_a_failure_says_what_to_do(environment: ModuleType, output: str, advice: str) -> None:
    assert advice in environment.explain(f"Collecting numba\n{output}\n")
    assert output in environment.explain(output)


def test_a_change_of_the_lock_or_the_project_or_the_place_is_noticed(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {environment.fingerprint()}
    for name in ("uv.lock", "pyproject.toml"):
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
        seen.add(environment.fingerprint())
    monkeypatch.setattr(environment, "ROOT", tmp_path / "moved")
    seen.add(environment.fingerprint())
    assert len(seen) == 4


def test_nothing_is_done_when_all_is_up_to_date(environment: ModuleType, tmp_path: Path) -> None:
    environment.BIN.mkdir(parents=True)
    environment.PYTHON.write_text("")
    environment.STAMP.write_text(environment.fingerprint())
    before = sorted(tmp_path.rglob("*"))
    began = time.thread_time()
    environment.ensure()
    assert time.thread_time() - began < 0.3
    assert sorted(tmp_path.rglob("*")) == before


def test_an_environment_of_a_fitting_python_is_kept_and_another_is_not(
    environment: ModuleType, tmp_path: Path
) -> None:
    assert not environment._usable()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment.VENV)], check=True)
    assert environment._usable()
    environment.PYTHON.unlink()
    environment.PYTHON.symlink_to("/nowhere/python3")
    assert not environment._usable()


def test_what_lies_in_the_place_of_the_environment_is_named(environment: ModuleType) -> None:
    environment.VENV.symlink_to("/nowhere/at/all")
    with pytest.raises(environment.SetupError, match=r"is a link to /nowhere/at/all, which is not there"):
        environment.ensure()
    assert environment.VENV.is_symlink()
    environment.VENV.unlink()
    environment.VENV.write_text("a note")
    with pytest.raises(environment.SetupError, match="is a file"):
        environment.ensure()
    assert environment.VENV.read_text() == "a note"


def test_the_locked_uv_comes_with_hashes(environment: ModuleType) -> None:
    line = environment._uv_requirement()
    assert line.startswith("uv==")
    assert "--hash=sha256:" in line


def test_the_locked_packages_are_installed_in_two_halves(environment: ModuleType) -> None:
    entries = [
        f"{name}==1.0 ; python_full_version < '3.12' \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        for name in ("alembic", "llvmlite", "numba", "numba-like", "numpy", "pyside6-essentials", "zipp")
    ]
    halves = environment.split("".join(entries))
    assert halves == ("".join(entries[i] for i in (0, 3, 6)), "".join(entries[i] for i in (1, 2, 4, 5)))


def test_too_little_space_is_reported_before_the_start(
    environment: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "NEEDED_BYTES", 1 << 60)
    with pytest.raises(environment.SetupError, match="GB free"):
        environment.ensure()


def test_another_pythons_variables_do_not_reach_ours(
    environment: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/opt/modules")
    assert "PYTHONPATH" not in environment.variables()
    assert environment.variables()["PATH"].startswith(str(environment.BIN))


def test_an_absent_library_is_named_with_its_package(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    libraries = load("libraries")
    monkeypatch.setattr(libraries, "LIBRARIES", {"libnowhere.so.7": "libnowhere7"})
    monkeypatch.setattr(libraries, "may_install", lambda: False)
    libraries.check(xcb=False, tried=tmp_path / "tried")
    output = capsys.readouterr().err
    assert "libnowhere.so.7" in output
    assert "apt-get install" in output
    assert "libnowhere7" in output
    assert not (tmp_path / "tried").exists()


def test_what_could_not_be_installed_is_not_tried_at_every_start(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    libraries = load("libraries")
    tries = []

    def fails(packages: list[str]) -> bool:
        tries.append(packages)
        return False

    monkeypatch.setattr(libraries, "LIBRARIES", {"libnowhere.so.7": "libnowhere7"})
    monkeypatch.setattr(libraries, "may_install", lambda: True)
    monkeypatch.setattr(libraries, "install", fails)
    for _ in range(2):
        libraries.check(xcb=False, tried=tmp_path / "tried")
    assert len(tries) == 1


OFFERED = {
    "slurm": ["slurmctld", "munge"],
    "valgrind": ["valgrind", "gcc", "libc6-dev"],
    "shells": ["zsh", "fish"],
}
"""Debian packages that are installed for tests."""


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("name", OFFERED)
def test_what_tests_use_is_installed_once_at_most(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, works: bool
) -> None:
    libraries = load("libraries")
    calls: list[list[str]] = []

    def install(packages: list[str], seconds: float) -> bool:
        assert 0 < seconds < 600
        calls.append(packages)
        return works

    offer = getattr(libraries, f"offer_{name}")
    monkeypatch.setattr(libraries, f"_{name.upper()}_PROGRAMS", ("nothing-of-this-name",))
    monkeypatch.setattr(libraries, "may_install", lambda: True)
    monkeypatch.setattr(libraries, "install", install)
    offer(tmp_path / "tried")
    assert calls == [OFFERED[name]]
    assert (tmp_path / "tried").exists() != works
    offer(tmp_path / "tried")
    assert len(calls) == (2 if works else 1)
    monkeypatch.setattr(libraries, f"_{name.upper()}_PROGRAMS", ("sh",))
    offer(tmp_path / "other")
    assert len(calls) == (2 if works else 1)


def test_an_installation_that_takes_too_long_is_given_up(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    libraries = load("libraries")
    (tmp_path / "apt-get").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    began = time.monotonic()
    assert not libraries.install(["x"], 0.3)
    assert time.monotonic() - began < 50


@pytest.mark.parametrize(
    ("variables", "shown"), [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True)]
)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_is_known(
    load: Callable[[str], ModuleType], variables: dict[str, str], shown: bool
) -> None:
    assert load("commands").has_display(variables) is shown


def test_a_first_run_without_a_terminal_says_why_it_is_silent(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What the environment's Python says of the cache decides; here there is none yet, then a filled one."""
    commands = load("commands")
    monkeypatch.setattr(commands, "PYTHON", Path(sys.executable))
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    commands.say_what_compiles(variables | {"NUMBA_CACHE_DIR": str(tmp_path / "none")})
    assert "Compiling what is used for the first time" in capsys.readouterr().err
    monkeypatch.setattr(commands, "COMPILED", "raise SystemExit(0)")
    commands.say_what_compiles(variables)
    monkeypatch.setattr(commands, "COMPILED", "raise SystemExit(1)")
    monkeypatch.setattr(commands.sys.stderr, "isatty", lambda: True)
    commands.say_what_compiles(variables)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("failed", "counts"), [(1, [3]), (12, [3]), (13, [1]), (0, [1])])
def test_few_failed_tests_are_run_alone_and_that_counts(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    failed: int,
    counts: list[int],
) -> None:
    commands = load("commands")
    calls = []
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    monkeypatch.setattr(commands.subprocess, "run", lambda call, **_: calls.append(call) or Exit(3))
    monkeypatch.setattr(commands.environment, "variables", dict)
    names = [f"tests/test_it.py::test_{number:02}" for number in range(failed)]
    kept = tmp_path / ".pytest_cache/v/cache/lastfailed"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps(dict.fromkeys(names, True)))
    steps = [commands.Step("ruff check", 0, 1.0), commands.Step("pytest", 1, 1.0)]
    after, passed = commands.run_again(steps)
    assert not passed  # the second run broke off
    assert [step.status for step in after[1:] if not step.made_again] == counts
    assert after[1].status == 1  # which the summary tells all the same
    assert calls == ([[str(commands.PYTHON), "-m", "pytest", *names]] if counts == [3] else [])


@pytest.mark.parametrize(
    ("first", "second", "status", "told"),
    [
        ({"a::b": "", "a::c": ""}, [], 0, ["failed once, passed alone: 2", "a::b: an assertion, or a wait"]),
        ({"a::b": "", "a::c": "crashed"}, [], 1, ["alone: 2", "a::c: FAILED, since the program crashed"]),
        ({"a::b": "", "a::c": "crashed"}, ["a::c"], 1, ["alone: 1", "a::b: an assertion, or a wait"]),
        ({"a::b": "hung"}, ["a::b"], 1, []),
    ],
    ids=["assertions", "a crash", "one fails again", "all fail again"],
)
def test_what_passes_alone_is_counted_and_a_fault_of_the_program_fails_the_run(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    first: dict[str, str],
    second: list[str],
    status: int,
    told: list[str],
) -> None:
    commands = load("commands")
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    monkeypatch.setattr(commands.environment, "variables", dict)
    kept = tmp_path / ".pytest_cache/v/cache/lastfailed"
    faults = tmp_path / ".pytest_cache/v/batchscope/faults"
    for file, listed in ((kept, first), (faults, {test: fault for test, fault in first.items() if fault})):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(listed))

    def run(call: list[str], **_: object) -> Exit:
        kept.write_text(json.dumps(dict.fromkeys(second, True)))
        return Exit(int(bool(second)))

    monkeypatch.setattr(commands.subprocess, "run", run)
    steps, passed = commands.run_again([commands.Step("pytest", 1, 1.0)])
    assert max(commands.summary(steps), commands.tell_passed_again(passed)) == status
    output = capsys.readouterr().out
    assert all(words in output for words in told)
    assert ("passed alone" in output) == bool(told)


def test_a_suite_that_passed_or_broke_is_not_run_again(load: Callable[[str], ModuleType]) -> None:
    commands = load("commands")
    for status in (0, 2, 3):
        steps = [commands.Step("pytest", status, 1.0)]
        assert commands.run_again(steps) == (steps, {})


def test_checks_run_beside_another_and_all_are_reported(
    load: Callable[[str], ModuleType], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    commands = load("commands")
    wait = "while not os.path.exists('second'): pass\nprint('waited')"
    calls = [
        [sys.executable, "-c", f"import os; os.chdir({str(tmp_path)!r})\n{code}"]
        for code in (wait, "print('first done')", "open('second', 'w'); raise SystemExit(3)")
    ]
    last = [sys.executable, "-c", "print('last done')"]
    checks = {"long": calls[0], "last": last}
    steps = commands.execute_beside(checks, dict(zip(("a", "b"), calls[1:], strict=True)))
    assert [(step.name, step.status) for step in steps] == [("long", 0), ("last", 0), ("a", 0), ("b", 3)]
    words = capfd.readouterr().out.split("\n")
    for order in (
        ["=== long", "waited", "=== a", "first done", "=== b"],
        ["waited", "=== last", "last done"],
    ):
        places = [words.index(word) for word in order]
        assert places == sorted(places)


@pytest.mark.skipif(not shutil.which("nice"), reason="processes have no priority here")
def test_checks_go_before_what_runs_beside_them(
    load: Callable[[str], ModuleType], capfd: pytest.CaptureFixture[str]
) -> None:
    call = [sys.executable, "-c", "import os; print(os.nice(0))"]
    load("commands").execute_beside({"check": call}, {"beside": call})
    lines = capfd.readouterr().out.split("\n")
    checked, beside = (int(line) for line in lines if line.removeprefix("-").isdigit())
    assert beside == min(checked + 10, 19)


def test_a_step_that_does_not_end_is_ended_and_fails(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = load("commands")
    monkeypatch.setattr(commands, "STEP_LIMIT_S", 0.2)
    step = commands.execute_step("endless", [sys.executable, "-c", "import time; time.sleep(60)"])
    assert step.status == commands.NO_END
    assert step.seconds < 30.0
    assert "endless was ended: it took more than" in capsys.readouterr().out


def test_checks_keep_bytecode_for_the_programs_that_tests_start(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = load("commands")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    call = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"]
    assert commands.make_step("asks", call)[1] == "False\n"


def test_quick_checks_run_the_tests_of_what_changed(load: Callable[[str], ModuleType]) -> None:
    commands = load("commands")
    changed = [
        "engine/policy/policy.py",  # has tests of its own
        "engine/sweep/row_cache.py",
        "tests/engine/policy/test_keys.py",
        "tests/traces.py",
        "packaging/commands.py",
        "README.md",
        "engine/gone.py",
    ]
    steps = commands.quick_steps(changed)
    assert list(steps) == ["ruff check", "ruff format", "mypy", "import contracts", "pytest"]
    tests = [word for word in steps["pytest"] if word.startswith("tests/")]
    assert tests[0] == "tests/test_structure.py"
    assert "tests/engine/policy/test_policy.py" in tests
    assert "tests/engine/policy/test_keys.py" in tests
    assert {f"tests/test_{name}.py" for name in ("bootstrap", "build", "release")} <= set(tests)
    assert all((ROOT / test).exists() for test in tests)
    assert not any(test.startswith("tests/app") for test in tests)


def test_without_git_no_file_is_known_to_have_changed(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert load("commands").changed_files() == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_files_that_changed_are_those_that_differ_from_main(
    load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands = load("commands")
    monkeypatch.setattr(commands, "ROOT", tmp_path)

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("first.py", "second.py"):
        (tmp_path / name).write_text("", "utf-8")
        git("add", name)
        git("commit", "-m", name)
    assert commands.changed_files() == ["second.py"], "of the last commit, where nothing else changed"
    git("checkout", "-b", "work")
    (tmp_path / "first.py").write_text("x = 1", "utf-8")
    git("commit", "-am", "change")
    (tmp_path / "new.py").write_text("", "utf-8")
    assert commands.changed_files() == ["first.py", "new.py"]
