"""Names of logs: without their suffixes, and of the files beside them."""

from __future__ import annotations

from pathlib import Path

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""File name suffixes of packed files; what is inside a file decides how it is read."""

ARCHIVES = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst")
"""File name suffixes of archives of files, in the same way."""

_FORMATS = (".swf", ".gwf", ".txt", ".log", ".csv", ".json", ".parquet", ".mwf")


def trace_name(path: Path) -> str:
    """The file name without the suffixes of packing and format."""
    name = _unpacked(path)
    return name.with_suffix("").name if name.suffix.lower() in _FORMATS else name.name


def machines_path(path: Path) -> Path:
    """The path of the machines file of a trace: `log.swf.machines` for `log.swf.gz`."""
    return beside_log(path, ".machines")


def beside_log(path: Path, suffix: str) -> Path:
    """The path beside a log, with a suffix in place of those of packing."""
    name = _unpacked(path)
    return name.parent / f"{name.name}{suffix}"


def _unpacked(path: Path) -> Path:
    """The name without the suffixes of packing; folders such as `.` are named as their parent names them."""
    if path.name in ("", ".."):
        path = path.resolve()
    for suffixes in (COMPRESSIONS, ARCHIVES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path
