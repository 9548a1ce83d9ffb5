"""The self-contained folder, with Python and all packages: as tar.gz, with an installer for one user."""

from __future__ import annotations

import functools
import gzip
import importlib.util
import io
import os
import platform
import py_compile
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import environment
from builder import Folders
from elf import keep_own_folders
from environment import ROOT
from glibc import ask_for_old, needed_glibc
from inside import INSIDE
from licences import third_party
from needs import needed_of_system
from sbom import bill_of_materials
from share import share_files
from stage import BuildError, Stage, call, locked_environment
from wheel import build_wheel, zip_time

from app.work.system_libraries import install_advice, missing_libraries

NAME = "batchscope"
_LEFT_OUT = (
    "tkinter",
    "IPython",
    "PIL.ImageTk",
    "distributed",
    "dask",
    "numba.cuda",
    "numba.tests",
    "pandas.tests",
    "pyarrow.tests",
    "matplotlib.tests",
    "numpy.tests",
    "setuptools",
    "pip",
)
_WITH_METADATA = (
    NAME,
    "PySide6-Essentials",
    "pyqtgraph",
    "numba",
    "llvmlite",
    "numpy",
    "pandas",
    "pyarrow",
    "optuna",
    "matplotlib",
)
_COLLECTED = ("numba.core", "numba.cpython", "numba.np", "numba.typed", "numba.misc", "numba.experimental")
_HIDDEN = (
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "numba._devicearray",
    "numba._dispatcher",
    "numba._helperlib",
    "optuna.samplers",
    "pyarrow.parquet",
)
_DROPPED = (
    "matplotlib/mpl-data/sample_data",
    "pyarrow/include",
    "pyarrow/includes",
    "pyarrow/tests",
    "pyarrow/*.p[xy][xdi]",
    "pyarrow/*flight*",
    "pyarrow/*s3*",
    "PySide6/Qt/translations",
    "PySide6/Qt/lib/libQt6EglF[sS]*",
    "PySide6/Qt/lib/libQt6Test*",
    "PySide6/QtTest*",
    "PySide6/Qt/plugins/imageformats/libqtiff*",
    "numba/np/ufunc/tbbpool*",
    "PySide6/Qt/plugins/egldeviceintegrations",
    "PySide6/Qt/plugins/platforms/libq[elv]*",
    "PySide6/Qt/plugins/platforms/libqminimalegl*",
    "PySide6/Qt/plugins/platformthemes/libqgtk3*",
    "libgtk-3*",
    "libgdk*",
    "libatk*",
    "libatspi*",
    "libcairo*",
    "libepoxy*",
    "libpango*",
    "libthai*",
    "libdatrie*",
    "libXcomposite*",
    "libXcursor*",
    "libXdamage*",
    "libXinerama*",
    "libXrandr*",
    "libstdc++.so*",
    "libgcc_s.so*",
    "libexpat.so*",
)
"""What PyInstaller takes along and nothing here uses, by patterns of paths.

A file that needs a library that is left out goes with it. The last three are newer here than Qt asks for, and
each system with Qt's other libraries has its own.
"""

FORMATS = (
    ("simulate", "{log}", "-p", "easy", "-o", "jobs.parquet"),
    ("info", "jobs.parquet", "--cluster", "7x80c504g"),
    ("figure", "waits", "{log}", "-p", "easy", "-o", "waits.png"),
    ("figure", "waits", "{log}", "-p", "easy", "-o", "waits.svg"),
    ("figure", "waits", "{log}", "-p", "easy", "-o", "waits.pdf"),
    ("search", "{log}", "--minimize", "wait_mean", "--vary", "order=fcfs|sjf", "--trials", "2"),
)
"""Commands that load what is loaded by name, or when it is used first: PyInstaller sees no import of it.

`{log}` is the log that they use.
"""

_HOOKS_LEFT_OUT = (
    "pyi_rth_inspect",
    "pyi_rth_multiprocessing",
    "pyi_rth_pkgutil",
    "pyi_rth_pyqtgraph_multiprocess",
    "pyi_rth_pyside6",
)
"""What PyInstaller does at each start for modules that nothing here uses, or not in the way it cares for.

That of PySide6 would load Qt for every command, to say where its plugins are: `frozen.py` does so.
"""

_ANALYZED = "pyz = PYZ(a.pure)"
"""The line of PyInstaller's description after which it writes what it found."""


def build_folder(stage: Stage, output: Path) -> Path:
    """Build the archive into a folder; its path. Raises BuildError, OSError."""
    folder = freeze(stage)
    files = {f"share/{name}": data for name, data in share_files(stage.version, stage.epoch).items()}
    files["install.sh"] = (ROOT / "packaging" / "install.sh").read_bytes()
    files["needs-glibc"] = f"{needed_glibc(folder)}\n".encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files["THIRD-PARTY.txt"] = third_party(site_packages(stage), folder).encode()
    files["batchscope.cdx.json"] = bill_of_materials(stage.version, stage.epoch).encode()
    name = f"{NAME}-{stage.version}-{sys.platform}-{platform.machine()}"
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{name}.tar.gz"
    write_archive(path, name, folder, files, stage.epoch)
    return path


@functools.cache
def freeze(stage: Stage) -> Path:
    """Put the program and its dependencies into a folder, by PyInstaller. Raises BuildError, OSError.

    It is done once for all packages of a stage, since it takes minutes; nobody may change the folder.
    """
    if missing := missing_libraries("xcb"):
        raise BuildError(f"Qt's libraries are taken from this system; {install_advice(missing)}")
    python = _environment(stage)
    wheel = build_wheel(stage, stage.work / "wheel")
    install = [
        str(python),
        "-Im",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--force-reinstall",
        # By its name, since pip notes the path of a wheel that is given as a file.
        f"--find-links={wheel.parent}",
        f"{NAME}=={stage.version}",
    ]
    call(install, cwd=stage.work)
    made = stage.work / "frozen"
    shutil.rmtree(made, ignore_errors=True)
    options = ["--onedir", "--log-level=WARN", "--name", NAME, "--specpath", str(stage.work), "--optimize=0"]
    options += ["--collect-submodules", NAME, "--collect-data", NAME]
    for module in _COLLECTED:
        options += ["--collect-submodules", module]
    for module in _HIDDEN:
        options += ["--hidden-import", module]
    for package in _LEFT_OUT:
        options += ["--exclude-module", package]
    for package in _WITH_METADATA:
        options += ["--copy-metadata", package]
    folders = Folders(stage.work)
    settings = _settings_of_python(stage.work / "settings", folders)
    options += ["--exclude-module", settings.stem, "--add-data", f"{settings}:."]
    entry = str(ROOT / "packaging" / "frozen.py")
    clean = {name: value for name, value in stage.environment.items() if name != "PYTHONPATH"}
    describe = [str(python), "-I", "-m", "PyInstaller.utils.cliutils.makespec", *options, entry]
    call(describe, cwd=stage.work, environment=clean)
    spec = stage.work / f"{NAME}.spec"
    spec.write_text(without_hooks(spec.read_text("utf-8")), "utf-8")
    build = [
        str(python),
        "-I",
        "-m",
        "PyInstaller",
        "--noconfirm",
        "--log-level=WARN",
        "--distpath",
        str(made),
    ]
    build += ["--workpath", str(stage.work / "pyinstaller"), str(spec)]
    # Unpacking the modules that `compare` loads would take a tenth of a second at each start.
    call(build, cwd=stage.work, environment=clean | {"PYINSTALLER_ZLIB_COMPRESSION_LEVEL": "0"})
    for pattern in _DROPPED:
        for path in (made / NAME / "_internal").glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    for path in (made / NAME).rglob("*"):
        if path.is_symlink() and not path.exists():
            path.unlink()  # it led to what was dropped
    for path in (made / NAME).rglob("*"):
        if path.is_file() and not path.is_symlink():
            ask_for_old(path)
            keep_own_folders(path)
            if path.name.startswith("libpython"):
                path.write_bytes(folders.without(path.read_bytes()))
    date_archive(made / NAME / "_internal" / "base_library.zip", stage.epoch)
    if named := folders.named_below(made / NAME):
        raise BuildError(f"files of the package name folders of this machine: {', '.join(named)}")
    needed_of_system(made / NAME)  # which fails where a file needs what was left out
    _try_formats(stage, made / NAME / NAME)
    return made / NAME


def _settings_of_python(place: Path, folders: Folders) -> Path:
    """The module with the settings that Python was compiled with, without the builder's folders; its file.

    It lies beside the program instead of within: PyInstaller takes modules of Python as they are. Raises
    OSError.
    """
    name = sysconfig._get_sysconfigdata_name()  # type: ignore[attr-defined]
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    place.mkdir(exist_ok=True)
    source, compiled = place / f"{name}.py", place / f"{name}.pyc"
    source.write_bytes(folders.without(Path(found.origin).read_bytes()))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH  # no time in the file
    py_compile.compile(str(source), str(compiled), source.name, doraise=True, invalidation_mode=unchecked)
    return compiled


def _try_formats(stage: Stage, program: Path) -> None:
    """Run the frozen program on the bundled example. Raises BuildError where it lacks something, OSError."""
    place = stage.work / "tried"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    log = str(stage.source / INSIDE / "resources" / "example.swf.gz")
    with (stage.work / "tried.log").open("w") as output:
        for words in FORMATS:
            command = [str(program), *(word.format(log=log) for word in words)]
            call(command, cwd=place, environment={"HOME": str(place), "PATH": os.defpath}, output=output)


def without_hooks(spec: str) -> str:
    """PyInstaller's description of a program, without the hooks that are left out. Raises BuildError."""
    if spec.count(_ANALYZED) != 1:
        raise BuildError(f"PyInstaller's description has no line `{_ANALYZED}`")
    kept = f"a.scripts = [script for script in a.scripts if script[0] not in {_HOOKS_LEFT_OUT!r}]"
    return spec.replace(_ANALYZED, f"{kept}\n{_ANALYZED}")


def date_archive(path: Path, epoch: int) -> None:
    """Write a ZIP file again, by name and with one time: PyInstaller has another order each time."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, zip_time(epoch))
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)


def site_packages(stage: Stage) -> Path:
    """The packages folder from which the folder was made."""
    (found,) = (stage.work / "env" / "lib").glob("python3*/site-packages")
    return found


def _environment(stage: Stage) -> Path:
    """The Python of an environment with the locked packages that are needed at run time, and PyInstaller."""
    return locked_environment(environment.BASE, stage.work / "env", requirements())


def requirements() -> str:
    """The lock as requirements with hashes, of what packages are made from."""
    options = ["--no-dev", "--group", "package"]
    return environment.export(options)


def write_archive(path: Path, name: str, folder: Path, files: dict[str, bytes], epoch: int) -> None:
    """Write a tar.gz of the program's folder and further files: sorted by name, with a fixed time and no
    owner.
    """
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for inner, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{inner}")
            entry.size, entry.mtime = len(data), epoch
            entry.mode = 0o755 if inner.endswith(".sh") else 0o644
            archive.addfile(entry, io.BytesIO(data))
        for source in sorted(folder.rglob("*")):
            if not source.is_symlink() and source.is_dir():
                continue
            entry = archive.gettarinfo(source, f"{name}/{NAME}/{source.relative_to(folder)}")
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = epoch, 0, 0, "", ""
            entry.mode = 0o755 if os.access(source, os.X_OK) and entry.isreg() else 0o644
            if entry.isreg():
                with source.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
