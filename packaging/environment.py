"""The environment in `.venv`: exactly what `uv.lock` names, and the project itself, editable.

pip fetches everything, so that its configuration (mirrors, certificates, proxies) holds. uv
only reads the lock: it is itself a locked package, and turns the lock into a list of
requirements with hashes, offline. A stamp in `.venv` says for what it was last built.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import libraries
from bootstrap import NEWEST, OLDEST

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "built-for"
NEEDED_BYTES = 1_500_000_000
"""The environment when it is complete, and what pip keeps aside meanwhile."""

_FROM_LIST = ("install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile", "-r")
_LARGE = ("pyside6-essentials==", "llvmlite==", "numba==", "numpy==")
"""What takes pip about as long to unpack as all other packages."""

# The interpreter below any environment that is active now: `.venv` itself may be.
BASE = getattr(sys, "_base_executable", None) or sys.executable

HINTS = {
    r"No space left on device|Errno 28|Disk quota exceeded": "the disk is full. About 1.5 GB are "
    "needed in the repository's folder, and 0.3 GB in the one for temporary files (TMPDIR).",
    r"CERTIFICATE_VERIFY_FAILED|SSLError|SSLCertVerificationError": "the package index's certificate is "
    "not trusted. Tell pip of your certificates: pip config set global.cert FILE",
    r"Temporary failure in name resolution|Name or service not known|Network is unreachable|"
    r"NewConnectionError|ConnectionError|ConnectTimeout|Max retries|ProxyError|Read timed out|"
    r"Connection (refused|reset|timed out|broken)": "the package index cannot be reached. Check the "
    "network, or tell pip of your proxy or mirror: pip config set global.index-url URL",
    r"DO NOT MATCH THE HASHES": "a package differs from the one in uv.lock. Clear pip's cache "
    "(pip cache purge) and try again; if a mirror serves it, the mirror is at fault.",
    r"No matching distribution|Could not find a version": "the package index has no fitting package. Either "
    "it cannot be reached (check the network, or: pip config set global.index-url URL), or it holds none "
    "ready-made for this machine and Python (try another, 3.11 to 3.14).",
    r"Permission denied|Errno 13|Read-only file system": "a file cannot be written. The repository's "
    "folder must belong to you.",
}
"""What may be wrong, by what the output says; the first that fits."""


class SetupError(Exception):
    """An error while making the environment, with advice."""


def ensure() -> None:
    """Make `.venv` or bring it up to date; nothing at all if its stamp fits. Raises SetupError."""
    try:
        if STAMP.exists() and STAMP.read_text() == fingerprint() and PYTHON.exists():
            return
        _build()
        STAMP.write_text(fingerprint())
    except OSError as error:
        raise SetupError(explain(str(error))) from error


def fingerprint() -> str:
    """The inputs of an environment: the lock, the project, this recipe, and the place and version of
    Python.
    """
    parts = [str(ROOT).encode()]
    for path in (ROOT / "uv.lock", ROOT / "pyproject.toml", Path(__file__), VENV / "pyvenv.cfg"):
        parts.append(path.read_bytes() if path.exists() else b"")
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def variables() -> dict[str, str]:
    """The process environment for what runs in `.venv`, without another Python's traces."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
    return kept | {"VIRTUAL_ENV": str(VENV), "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}


def explain(output: str) -> str:
    """The error and advice, from a failed command's output, whose last lines are kept."""
    hint = next((text for pattern, text in HINTS.items() if re.search(pattern, output)), "a step failed.")
    last = "".join(f"\n    {line[:200]}" for line in output.strip().splitlines()[-12:])
    return f"{hint}\nThe last lines were:{last or ' (none)'}"


def _check_place() -> None:
    """Raise SetupError if a file that is not a folder is in the place of the environment."""
    if VENV.is_symlink() and not VENV.exists():
        raise SetupError(f"{VENV} is a link to {VENV.readlink()}, which is not there. Remove the link.")
    if VENV.exists() and not VENV.is_dir():
        raise SetupError(f"{VENV} is a file, and the environment's folder has to lie there. Move it away.")


def _build() -> None:
    _check_place()
    STAMP.unlink(missing_ok=True)
    if not _usable():
        _want_space()
        _want_venv()
        _say(f"Making {VENV} with Python {sys.version_info[0]}.{sys.version_info[1]}")
        _call([BASE, "-m", "venv", "--clear", str(VENV)])
    elif subprocess.run([PYTHON, "-Im", "pip", "--version"], capture_output=True, check=False).returncode:
        _call([str(PYTHON), "-Im", "ensurepip"])
    listed = VENV / "requirements.txt"
    _say("Installing the locked packages; the first time some 220 MB are fetched")
    listed.write_text(_uv_requirement())
    _pip(*_FROM_LIST, str(listed))
    _install(export(), listed)
    _remove_others(listed.read_text())
    _pip("install", "--no-deps", "--no-index", "--no-build-isolation", "--editable", str(ROOT))


def _install(requirements: str, listed: Path) -> None:
    """Install locked packages, half of them in each of two processes, and write their list to `listed`.

    pip unpacks and compiles to bytecode on one core. Two cores compile here, without the packages' own
    tests, which are half of all sources.
    """
    halves = [VENV / f"requirements-{half}.txt" for half in (1, 2)]
    for half, text in zip(halves, split(requirements), strict=True):
        half.write_text(text)
    with ThreadPoolExecutor(len(halves)) as both:
        for installed in [both.submit(_pip, *_FROM_LIST, str(half)) for half in halves]:
            installed.result()
    for half in halves:
        half.unlink()
    listed.write_text(requirements)
    compiles = [str(PYTHON), "-Im", "compileall", "-qq", "-j", "2", "-x", r"[/\\]tests[/\\]"]
    folder = _call([str(PYTHON), "-Ic", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    # Its exit status is ignored: some packages hold templates that are not Python.
    subprocess.run([*compiles, folder], env=variables(), check=False, stdout=subprocess.DEVNULL)


def split(requirements: str) -> tuple[str, str]:
    """The requirements in two lists that take about as long to install."""
    found = re.findall(r"^\S.*(?:\n[ \t].*)*\n", requirements, re.MULTILINE)
    lists: tuple[list[str], list[str]] = [], []
    for entry in found:
        lists[entry.startswith(_LARGE)].append(entry)
    return "".join(lists[0]), "".join(lists[1])


def _usable() -> bool:
    """True if `.venv` works in this place with a Python that the lock covers: then it is kept."""
    probe = "import json, sys; print(json.dumps([sys.version_info[:2], sys.prefix]))"
    try:
        done = subprocess.run([PYTHON, "-Ic", probe], capture_output=True, text=True, check=False)
        version, prefix = json.loads(done.stdout)
    except (OSError, ValueError):
        return False
    return OLDEST <= tuple(version) <= NEWEST and os.path.realpath(prefix) == os.path.realpath(VENV)


def _want_space() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise SetupError(
            f"{ROOT} has {free / 1e9:.1f} GB free, and about {NEEDED_BYTES / 1e9:.1f} GB are needed."
        )


def _want_venv() -> None:
    """Debian and Ubuntu keep a part of Python in a package of its own: get it."""
    if importlib.util.find_spec("ensurepip"):
        return
    package = f"python3.{sys.version_info[1]}-venv"
    if not (libraries.may_install() and libraries.install([package])):
        raise SetupError(f"this Python cannot make environments. Install {package} and start again.")


def _uv_requirement() -> str:
    """The locked uv, with the hashes of its wheels, as a line for pip."""
    import tomllib

    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    uv = next(package for package in packages if package["name"] == "uv")
    hashes = " ".join(f"--hash={wheel['hash']}" for wheel in uv["wheels"])
    return f"uv=={uv['version']} {hashes}\n"


def export(groups: list[str] | None = None) -> str:
    """The lock as requirements with hashes, by default of what `.venv` holds. Raises SetupError.

    The lock names PyPI, whatever index pip uses.
    """
    clean = {name: value for name, value in variables().items() if not name.startswith("UV_")}
    options = ["--locked", "--offline", "--no-cache", "--default-index", "https://pypi.org/simple"]
    options += ["--python", str(PYTHON), "--no-emit-project", "--no-header", "--no-annotate", "--quiet"]
    options += groups or []
    done = subprocess.run(
        [BIN / "uv", "export", "--project", ROOT, *options],
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        complaint = "".join(done.stderr.splitlines(keepends=True)[:1])
        raise SetupError(f"uv.lock does not fit pyproject.toml: run {BIN / 'uv'} lock\n{complaint}")
    return done.stdout


def _remove_others(requirements: str) -> None:
    """Uninstall packages of an earlier lock, and packages installed by hand."""
    locked = {_plain(name) for name in re.findall(r"^([\w.-]+)==", requirements, re.MULTILINE)}
    listed = json.loads(_call([str(PYTHON), "-Im", "pip", "list", "--format=json"], errors=False))
    found = {_plain(entry["name"]) for entry in listed}
    others = sorted(found - locked - {"pip", "setuptools", "batchscope"})
    if others:
        _say(f"Removing what is not in the lock: {', '.join(others)}")
        _pip("uninstall", "--yes", *others)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _pip(*arguments: str) -> None:
    common = ["--disable-pip-version-check", "--no-input"]
    _call([str(PYTHON), "-Im", "pip", *arguments, *common])


def _call(command: list[str], errors: bool = True) -> str:
    """Run a command and return what it prints; on a terminal name the package it is at. Raises SetupError."""
    # A user's own pip may install into their home or another folder by default; `.venv` is meant here.
    clean = variables() | {"PIP_USER": "0"}
    for name in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"):
        clean.pop(name, None)
    process = subprocess.Popen(
        command,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        text=True,
        errors="replace",
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        package = re.match(r"Collecting ([\w.-]+)", line)
        if sys.stderr.isatty() and (package or line.startswith("Installing collected")):
            doing = f"fetching {package[1]}" if package else "unpacking everything"
            print(f"\r\033[K  {doing}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    output = "".join(lines)
    if process.wait():
        raise SetupError(explain(output))
    return output


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
