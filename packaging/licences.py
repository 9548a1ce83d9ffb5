"""The licences of all parts of a self-contained package, in one text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sbom import NAME, locked_packages, needed_packages

_NAMES = ("licen", "copying", "notice", "authors")
_COMMON_FOLDER = Path("/usr/share/common-licenses")
_COMMON = {
    "GNU Lesser General Public License 3, of Qt and PySide6, which are used as shared libraries": "LGPL-3",
    "GNU General Public License 3, which that one is an addition to": "GPL-3",
}
"""Licences whose texts are not in the packages that have them."""

_LINE = "=" * 78
_OWN = "the package's own metadata names it, and it has no text"


def third_party(site: Path, folder: Path) -> str:
    """The text: of the Python packages in `site`, of Python, and of the system's libraries in a folder."""
    parts = ["What Batchscope is made with, and under which licences."]
    locked = locked_packages()
    for name in needed_packages(locked):
        if name != NAME:
            parts.append(_package(site, name, locked[name]["version"]))
    own = Path(sys.base_prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "LICENSE.txt"
    if own.exists():
        parts.append(_section(f"Python {sys.version.split()[0]}", [own.read_text("utf-8")]))
    for title, name in _COMMON.items():
        if (_COMMON_FOLDER / name).exists():
            parts.append(_section(title, [(_COMMON_FOLDER / name).read_text("utf-8")]))
    for package, text in sorted(_system(folder).items()):
        parts.append(_section(f"Debian's package {package}", [text]))
    return "\n".join(parts)


def _package(site: Path, name: str, version: str) -> str:
    infos = [
        path
        for path in site.glob("*.dist-info")
        if _plain(path.name) == _plain(f"{name}-{version}.dist-info")
    ]
    texts = []
    for info in infos:
        for path in sorted(info.rglob("*")):
            if path.is_file() and path.name.lower().startswith(_NAMES):
                texts.append(path.read_text("utf-8", errors="replace"))
        metadata = (info / "METADATA").read_text("utf-8", errors="replace").partition("\n\n")[0]
        lines = [
            line for line in metadata.splitlines() if line.startswith(("License", "Classifier: License"))
        ]
        texts.insert(0, "\n".join(line for line in lines if not line.startswith("License-File")) or _OWN)
    return _section(f"{name} {version}", texts)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _section(title: str, texts: list[str]) -> str:
    return "\n".join(["", _LINE, title, _LINE, "", *(text.rstrip() + "\n" for text in texts)])


def _system(folder: Path) -> dict[str, str]:
    """The copyright files of Debian's packages whose libraries lie in a folder, by the package."""
    names = {path.name for path in folder.rglob("*.so*") if not path.is_symlink() and path.is_file()}
    found = {}
    for name in sorted(names):
        for place in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib", "/lib"):
            if not (Path(place) / name).exists():
                continue
            call = ["dpkg", "-S", str(Path(place) / name)]
            done = subprocess.run(call, capture_output=True, text=True, check=False)
            package = done.stdout.partition(":")[0]
            text = Path("/usr/share/doc") / package / "copyright"
            if done.returncode == 0 and text.exists():
                found[package] = text.read_text("utf-8", errors="replace")
                break
    return found
