"""The source of all packages: the files of a commit, and the kernels compiled from them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from builder import RELATIVE_PLACES
from environment import ROOT
from inside import INSIDE, PACKAGES, move_inside

_STAGED = (*PACKAGES, "batchscope.py", "LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "uv.lock")
_COMPILE = "from batchscope.app.work.compile_kernels import compile_kernels; compile_kernels()"
"""In one process: two would number functions by who is faster, and the bytes would differ."""

FIGURE_WORDS = {
    "planning": ["-p", "plan-search"],
    "budgets": ["-p", "auction:budget=20000;5000/1d"],
    "power": ["--power", "{power}"],
}
"""What figures of these kinds need besides runs; `{power}` is a file of `POWER`."""

POWER = "[[nodes]]\nidle_w = 100\ncore_w = 5\n"
"""The power of nodes."""

_USE = """
import json, os, sys
from pathlib import Path
from batchscope.app.cli.main import main
from batchscope.resources import example_path
from batchscope.views.catalog import RUN_FIGURES
log, out = str(example_path()), sys.argv[1]
runs = ["-p", "fairshare-easy", "-p", "easy"]
power, more = os.path.join(out, "power.toml"), json.loads(sys.argv[2])
Path(power).write_text(sys.argv[3])
kinds = [spec.kind for spec in RUN_FIGURES if not spec.kind.endswith("-column")]
for command in (
    ["compare", log, *runs, "--fair-starts", "--by", "user", "--quiet"],
    ["difference", log, *runs, "--quiet"],
    ["eet", log, "--quiet"],
    *(
        ["figure", kind, log, *runs, *(word.format(power=power) for word in more.get(kind, [])), "--quiet",
         "-o", f"{out}/{kind}.png"]
        for kind in kinds
    ),
    ["demo", "--screenshot", os.path.join(out, "demo.png")],
):
    print(command[:2], file=sys.stderr)
    if status := main(command):
        sys.exit(f"status {status}")
"""
"""Uses what is compiled in a checkout only when it is used first, on the bundled example."""

_DESCRIBE = """
import shutil, sys
from pathlib import Path
from batchscope.engine.compiler.cache import describe_sources, is_filled, kernel_folder
from batchscope.engine.compiler.shipped import write_about
assert is_filled(), "kernels are missing"
into = Path(sys.argv[1])
shutil.rmtree(into, ignore_errors=True)
into.mkdir(parents=True)
for path in kernel_folder().glob("*.kernel"):
    shutil.copyfile(path, into / path.name)
write_about(into, *describe_sources(Path(sys.argv[2])))
"""


class BuildError(Exception):
    """An error while building a package."""


@dataclass(frozen=True)
class Stage:
    """A copy of the project's files in a folder of the build.

    `source`: the copy, with all packages inside of `batchscope`. `kernels`: the folder of the kernels with
    their description. `version`: the project's. `epoch`: the time that all files of packages get, in seconds
    since 1970.
    """

    work: Path
    source: Path
    kernels: Path
    version: str
    epoch: int

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for build programs, without those that change the result."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        fixed = {
            "SOURCE_DATE_EPOCH": str(self.epoch),
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(self.source),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        return kept | fixed


def make_stage(work: Path, *, compiled: bool = True) -> Stage:
    """Copy the files under version control, in their current state, and where asked for compile the kernels.

    Raises BuildError, OSError.
    """
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    for name in _git("ls-files", "--", *_STAGED):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    try:
        move_inside(source)
    except ValueError as error:
        raise BuildError(str(error)) from error
    stage = Stage(work, source, work / "kernels", project_version(), commit_time())
    if compiled:
        _compile(stage)
    return stage


def project_version() -> str:
    """The version in pyproject.toml, where alone it is written."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def commit_time() -> int:
    """SOURCE_DATE_EPOCH where that is set, else when the last commit was made."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given) if given.isdecimal() else int(_git("log", "-1", "--format=%ct")[0])


def locked_environment(base: str, folder: Path, requirements: str) -> Path:
    """The Python of an environment in a folder with exactly these packages, made where it differs.

    `base`: the Python that it is made with. Raises BuildError, OSError.
    """
    python, listed, done = folder / "bin" / "python", folder / "requirements.txt", folder / "installed"
    if done.exists() and done.read_text("utf-8") == requirements:
        return python
    call([base, "-m", "venv", "--clear", str(folder)], cwd=folder.parent)
    listed.write_text(requirements, "utf-8")
    options = ["--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(listed)]
    call([str(python), "-Im", "pip", "install", *options], cwd=folder)
    done.write_text(requirements, "utf-8")
    return python


def call(
    command: list[str],
    *,
    cwd: Path,
    environment: dict[str, str] | None = None,
    output: IO[str] | None = None,
) -> None:
    """Run a program, with its output into a file if given. Raises BuildError if it fails."""
    words = [word if "\n" not in word else "…" for word in command[:6]]
    print("+", *words, "…" if len(command) > 6 else "", file=sys.stderr, flush=True)
    if status := subprocess.run(command, cwd=cwd, env=environment, check=False, stdout=output).returncode:
        raise BuildError(f"{command[0]} ended with exit status {status}")


def _compile(stage: Stage) -> None:
    """Compile all kernels for the generic processor; kernels of unchanged sources are reused."""
    settings = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(stage.work / "compiled")}
    environment = stage.environment | settings
    call([sys.executable, "-P", "-c", RELATIVE_PLACES + _COMPILE], cwd=stage.work, environment=environment)
    pictures = stage.work / "pictures"
    shutil.rmtree(pictures, ignore_errors=True)  # `figure` replaces none of an earlier build
    pictures.mkdir()
    with (stage.work / "use.log").open("w") as log:
        use = [
            sys.executable,
            "-P",
            "-c",
            RELATIVE_PLACES + _USE,
            str(pictures),
            json.dumps(FIGURE_WORDS),
            POWER,
        ]
        call(use, cwd=stage.work, environment=environment | {"QT_QPA_PLATFORM": "offscreen"}, output=log)
    describe = [sys.executable, "-P", "-c", _DESCRIBE, str(stage.kernels), str(stage.source / INSIDE)]
    call(describe, cwd=stage.work, environment=environment)


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.splitlines()
