#!/usr/bin/env python3
"""Build packages of Batchscope, with its kernels compiled: `python3 packaging/build.py wheel folder`.

Those that are built in one call come from the same files: the folder, the deb and the rpm from one freeze.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import environment
from deb import build_deb
from environment import PYTHON, ROOT, VENV, SetupError
from folder import build_folder
from rpm import build_rpm
from stage import BuildError, locked_environment, make_stage
from wheel import build_plain, build_wheel, write_index

_KINDS = {
    "wheel": (build_wheel, "a wheel for pipx, uv and pip"),
    "plain": (build_plain, "a wheel without kernels, for every Python; it compiles them at its first start"),
    "folder": (build_folder, "a self-contained folder as tar.gz, with an installer for one user"),
    "deb": (build_deb, "a self-contained Debian package"),
    "rpm": (build_rpm, "the same as an rpm"),
}


def read_arguments(arguments: list[str]) -> argparse.Namespace:
    """What to build, and where; ends the process where the arguments are wrong."""
    parser = argparse.ArgumentParser(prog="packaging/build.py", description=__doc__)
    parser.add_argument(
        "kinds",
        nargs="+",
        choices=_KINDS,
        metavar="KIND",
        help="; ".join(f"{kind}: {about}" for kind, (_, about) in _KINDS.items()),
    )
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", metavar="FOLDER", help="(dist)")
    about = "folder for what is made on the way; kept, it makes the next build faster (build)"
    parser.add_argument("--work", type=Path, default=ROOT / "build", metavar="FOLDER", help=about)
    about = "with wheel alone: the Python that kernels are compiled for (that of .venv): 3.12, or its program"
    parser.add_argument("--python", metavar="VERSION", help=about)
    options = parser.parse_args(arguments)
    options.kinds = list(dict.fromkeys(options.kinds))
    if options.python and (others := [kind for kind in options.kinds if kind != "wheel"]):
        parser.error(f"--python is for a wheel, and not for a {others[0]}")
    return options


def main(options: argparse.Namespace) -> int:
    """Build what the options name; the exit status."""
    work, output = options.work.resolve(), options.output.resolve()
    if options.python:
        work = work / f"for-{sys.implementation.cache_tag}"  # kernels of another Python are kept apart
    work.mkdir(parents=True, exist_ok=True)
    try:
        stage = make_stage(work, compiled=options.kinds != ["plain"])
        for kind in options.kinds:
            build, _ = _KINDS[kind]
            path = build(stage, output)
            if path.suffix == ".whl":
                write_index(output)
            print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", flush=True)
    except (BuildError, SetupError, OSError) as error:
        print(f"packaging/build.py: {error}", file=sys.stderr)
        return 1
    return 0


def run_in_environment(options: argparse.Namespace) -> None:
    """Become the Python of `.venv`, or the one that is asked for, in an environment that is made first."""
    if options.python:
        folder = options.work.resolve() / f"python{Path(options.python).resolve().name}"
        if Path(sys.prefix).resolve() == folder:
            return
        program = shutil.which(options.python) or shutil.which(f"python{options.python}")
        if program is None:
            raise SetupError(f"there is no Python {options.python} on the path: name its program")
        # Managers of several Pythons put programs on the path that start none of them.
        if subprocess.run([program, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode:
            raise SetupError(f"{program} does not start: name the program of a Python that does")
        environment.ensure()  # whose uv reads the lock
        folder.parent.mkdir(parents=True, exist_ok=True)
        python = locked_environment(program, folder, environment.export())
        # The packages of this repository, which the files for shell and desktop are made from.
        variables = environment.variables() | {"PYTHONPATH": str(ROOT)}
        os.execve(python, [str(python), str(Path(__file__).resolve()), *sys.argv[1:]], variables)
    if Path(sys.prefix).resolve() != VENV.resolve():
        environment.ensure()
        os.execve(
            PYTHON, [str(PYTHON), str(Path(__file__).resolve()), *sys.argv[1:]], environment.variables()
        )


if __name__ == "__main__":
    try:
        options = read_arguments(sys.argv[1:])  # a wrong word is told before anything is installed
        run_in_environment(options)
        sys.exit(main(options))
    except (SetupError, BuildError) as error:
        print(f"Batchscope cannot be set up: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
