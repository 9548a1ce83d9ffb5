"""Wheels: the program in the package `batchscope`, with kernels for one kind of processor and of Python.

A wheel without kernels is for all others: pip takes the one with kernels where both fit.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

from builder import Folders
from sbom import bill_of_materials
from share import share_files
from stage import BuildError, Stage, call

_PLACE = "batchscope/engine/compiler/shipped"
_PINNED = ("numba", "llvmlite", "numpy")


def build_wheel(stage: Stage, output: Path) -> Path:
    """Build the wheel with the stage's kernels into a folder; its path. Raises BuildError, OSError."""
    made_by = json.loads((stage.kernels / "about.json").read_text("utf-8"))["made_by"]
    files = _plain_files(stage)
    info = f"batchscope-{stage.version}.dist-info"
    for path in sorted(stage.kernels.iterdir()):
        files[f"{_PLACE}/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = _pinned(files[f"{info}/METADATA"].decode(), made_by).encode()
    files[f"{info}/WHEEL"] = _tagged(files[f"{info}/WHEEL"].decode()).encode()
    return _packed(files, stage, output, wheel_tag())


def build_plain(stage: Stage, output: Path) -> Path:
    """Build the wheel without kernels, which are compiled at its first start: for every supported Python.

    Its path. Raises BuildError, OSError.
    """
    return _packed(_plain_files(stage), stage, output, "py3-none-any")


def write_index(folder: Path) -> Path:
    """Make a folder `simple` of the wheels in a folder, from which pip and uv install (PEP 503); its path.

    Raises OSError.
    """
    digests = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("batchscope-*.whl"))
    }
    links = [f'<a href="../../{name}#sha256={digest}">{name}</a><br>' for name, digest in digests.items()]
    index = folder / "simple"
    for place, lines in ((index, ['<a href="batchscope/">batchscope</a>']), (index / "batchscope", links)):
        place.mkdir(exist_ok=True)
        page = [
            "<!DOCTYPE html>",
            "<html><head><title>Batchscope</title></head><body>",
            *lines,
            "</body></html>",
        ]
        (place / "index.html").write_text("\n".join(page) + "\n", "utf-8")
    return index


def _plain_files(stage: Stage) -> dict[str, bytes]:
    """The files of a wheel without kernels, by their names. Raises BuildError, OSError."""
    plain = stage.work / "plain"
    shutil.rmtree(plain, ignore_errors=True)
    build = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(plain)]
    call(build, cwd=stage.source, environment=stage.environment)
    (made,) = plain.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    info = f"batchscope-{stage.version}.dist-info"
    for name, data in share_files(stage.version, stage.epoch).items():
        files[f"batchscope-{stage.version}.data/data/share/{name}"] = data
    files[f"{info}/sboms/batchscope.cdx.json"] = bill_of_materials(stage.version, stage.epoch).encode()
    return files


def _packed(files: dict[str, bytes], stage: Stage, output: Path, tag: str) -> Path:
    """Write the wheel of these files, with a list of them; its path. Raises BuildError, OSError."""
    folders = Folders(stage.work)
    if named := [name for name, data in files.items() if folders.named_in(data)]:
        raise BuildError(f"files of the wheel name folders of this machine: {', '.join(named)}")
    record = f"batchscope-{stage.version}.dist-info/RECORD"
    del files[record]
    files[record] = _record(files, record).encode()
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"batchscope-{stage.version}-{tag}.whl"
    _write(path, files, stage.epoch)
    return path


def wheel_tag() -> str:
    """Of this Python and this platform."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{python}-{python}-{re.sub(r'[^a-z0-9_]', '_', sysconfig.get_platform())}"


def _pinned(metadata: str, versions: dict[str, str]) -> str:
    """The metadata, requiring the very versions that the kernels were compiled with."""
    for name in _PINNED:
        line = re.compile(rf"^Requires-Dist: {name}\b.*$", re.MULTILINE)
        metadata, count = line.subn(f"Requires-Dist: {name}=={versions[name]}", metadata)
        if count != 1:
            raise BuildError(f"{count} requirements of {name} in the wheel, and not one")
    return metadata


def _tagged(wheel: str) -> str:
    """The description of the wheel, which is no longer one for every platform."""
    wheel = re.sub(r"^Tag: .*$", f"Tag: {wheel_tag()}", wheel, flags=re.MULTILINE)
    return wheel.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")


def _record(files: dict[str, bytes], record: str) -> str:
    """The list of files with their digests (PEP 376 and 427)."""
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{record},,"]) + "\n"


def _write(path: Path, files: dict[str, bytes], epoch: int) -> None:
    """Write the archive: files sorted by name, with a fixed time, so that the same files give the same
    bytes.
    """
    when = zip_time(epoch)
    info_last = sorted(files, key=lambda name: (".dist-info/" in name, name))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in info_last:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])


def zip_time(epoch: int) -> tuple[int, int, int, int, int, int]:
    """A time as ZIP files have it, which know no year before 1980."""
    year, month, day, hour, minute, second = time.gmtime(max(epoch, 315_532_800))[:6]
    return year, month, day, hour, minute, second
