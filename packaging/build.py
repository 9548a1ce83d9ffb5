#!/usr/bin/env python3
"""Build a package of Batchscope, with its kernels compiled: `python3 packaging/build.py wheel`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import environment
from deb import build_deb
from environment import PYTHON, ROOT, VENV, SetupError
from folder import build_folder
from stage import BuildError, make_stage
from wheel import build_wheel

_KINDS = {
    "wheel": (build_wheel, "a wheel for pipx, uv and pip"),
    "folder": (build_folder, "a self-contained folder as tar.gz, with an installer for one user"),
    "deb": (build_deb, "a self-contained Debian package"),
}


def read_arguments(arguments: list[str]) -> argparse.Namespace:
    """What to build, and where; ends the process where the arguments are wrong."""
    parser = argparse.ArgumentParser(prog="packaging/build.py", description=__doc__)
    parser.add_argument(
        "kind", choices=_KINDS, help="; ".join(f"{k}: {about}" for k, (_, about) in _KINDS.items())
    )
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", metavar="FOLDER", help="(dist)")
    about = "folder for what is made on the way; kept, it makes the next build faster (build)"
    parser.add_argument("--work", type=Path, default=ROOT / "build", metavar="FOLDER", help=about)
    return parser.parse_args(arguments)


def main(options: argparse.Namespace) -> int:
    """Build what the options name; the exit status."""
    work, output = options.work.resolve(), options.output.resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        stage = make_stage(work)
        build, _ = _KINDS[options.kind]
        path = build(stage, output)
    except (BuildError, SetupError, OSError) as error:
        print(f"packaging/build.py: {error}", file=sys.stderr)
        return 1
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def run_in_environment() -> None:
    """Become the Python of `.venv`, which is made first where it is not there."""
    if Path(sys.prefix).resolve() != VENV.resolve():
        environment.ensure()
        os.execve(
            PYTHON, [str(PYTHON), str(Path(__file__).resolve()), *sys.argv[1:]], environment.variables()
        )


if __name__ == "__main__":
    try:
        options = read_arguments(sys.argv[1:])  # a wrong word is told before anything is installed
        run_in_environment()
        sys.exit(main(options))
    except SetupError as error:
        print(f"Batchscope cannot be set up: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
