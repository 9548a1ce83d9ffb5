"""What the programs of a frozen folder need of a system: shared libraries, and the Debian packages of these.

All of it is read from the files themselves: a list that is kept by hand names what is in the folder by now,
and misses what a newer package needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from elf import elf_files, needed_libraries
from stage import BuildError, Stage, call

from app.work.system_libraries import loads

FONTS_SETTINGS = "fontconfig-config"
"""The Debian package with the settings of fontconfig, whose library is in the folder and reads them."""

_WAYLAND = ("wayland", "libqt6wl")
"""What the paths of files contain, in small letters, that only a window under Wayland needs."""


class Needs(NamedTuple):
    """The names of libraries that a system must have (`always`), and those for windows under Wayland."""

    always: list[str]
    wayland: list[str]


def needed_of_system(folder: Path) -> Needs:
    """The libraries that files of a folder are linked with and that are not in it, by name.

    Raises OSError, and BuildError where this system does not have one of them either: the file that needs
    it could not be loaded, because the library was left out or is of another system.
    """
    there = {path.name for path in folder.rglob("*")}
    found: tuple[set[str], set[str]] = (set(), set())
    absent = []
    for path, data in elf_files(folder):
        for name in set(needed_libraries(data)) - there:
            if not loads(name):
                absent.append(f"{path.relative_to(folder)} needs {name}")
            found[_of_wayland(path, folder)].add(name)
    if absent:
        raise BuildError(
            f"libraries are neither in the folder nor on this system: {', '.join(sorted(absent))}"
        )
    always, wayland = found
    return Needs(sorted(always), sorted(wayland - always))


def debian_fields(stage: Stage, root: Path, own: Path) -> dict[str, str]:
    """The packages that the files of a package need, with the versions whose symbols they use.

    `root`: the tree of the package, with its folder DEBIAN. `own`: the folder of the program below it. By
    field of a package's description: Depends, and Recommends of windows under Wayland. dpkg-shlibdeps works
    them out. Raises OSError, and BuildError where it fails.
    """
    if shutil.which("dpkg-shlibdeps") is None:
        raise BuildError("dpkg-shlibdeps is not here: it is in Debian's package dpkg-dev")
    place = stage.work / "shlibdeps"
    (place / "debian").mkdir(parents=True, exist_ok=True)
    source = "Source: batchscope\n\nPackage: batchscope\nArchitecture: any\n"
    (place / "debian" / "control").write_text(source, "utf-8")
    files = [path for path, _ in elf_files(root / own)]
    # Libraries of the program are found before those of the system, by the paths where they will lie: else
    # the package would need what it holds, in the version of the system on which it is built.
    folders = sorted({f"-l/{path.parent.relative_to(root)}" for path in files})
    words = ["dpkg-shlibdeps", "-O", "--ignore-missing-info", "--warnings=0", *folders]
    for field, wayland in (("Depends", False), ("Recommends", True)):
        words.append(f"-d{field}")
        words += sorted(str(path) for path in files if _of_wayland(path, root / own) == wayland)
    answer = place / "fields"
    with answer.open("w", encoding="utf-8") as output:
        call(words, cwd=place, environment=stage.environment, output=output)
    return read_fields(answer.read_text("utf-8").splitlines())


def read_fields(lines: Iterable[str]) -> dict[str, str]:
    """The packages by field, of lines like `shlibs:Depends=libc6 (>= 2.34), libegl1`."""
    pairs = (line.removeprefix("shlibs:").partition("=") for line in lines if line.startswith("shlibs:"))
    return {field: packages for field, _, packages in pairs}


def _of_wayland(path: Path, folder: Path) -> bool:
    return any(part in str(path.relative_to(folder)).lower() for part in _WAYLAND)
