"""The Debian package: the self-contained folder in /usr/lib, with the files for desktop and shell."""

from __future__ import annotations

import gzip
import hashlib
import os
import platform
import shutil
from email.utils import formatdate
from pathlib import Path

from environment import ROOT
from folder import NAME, freeze, site_packages
from licences import third_party
from needs import FONTS_SETTINGS, debian_fields
from sbom import bill_of_materials
from share import share_files
from stage import BuildError, Stage, call

from app.work.system_libraries import FONTS

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OWN = Path("usr") / "lib" / NAME
"""The program's folder, below the root of a system."""

_OVERRIDES = (
    "embedded-library",
    "unstripped-binary-or-object",
    "hardening-no-bindnow",
    "hardening-no-fortify-functions",
    "hardening-no-pie",
    "no-code-sections",
    "shared-library-lacks-prerequisites",
    "shared-library-is-executable",
    "custom-library-search-path",
    "library-not-linked-against-libc",
    "elf-error",
    "exit-in-shared-library",
    "package-installs-python-bytecode",
    "package-contains-python-doctree-file",
    "package-installs-python-egg",
    "executable-not-elf-or-script",
    "extra-license-file",
    "package-contains-documentation-outside-usr-share-doc",
    "font-in-non-font-package",
    "font-outside-font-dir",
    "truetype-font-prohibits-installable-embedding",
    "script-not-executable",
    "unusual-interpreter",
    "national-encoding",
    "spelling-error-in-binary",
    "duplicate-files",
    "jar-not-in-usr-share",
    "initial-upload-closes-no-bugs",
    "no-changelog",
    "duplicate-font-file",
    "package-contains-timestamped-gzip",
    "missing-depends-on-sensible-utils",
    "bogus-mail-host",
    "bogus-mail-host-in-debian-changelog",
)
"""What lintian says of libraries that others have built, which are in the folder as they were published."""


def build_deb(stage: Stage, output: Path) -> Path:
    """Build the package into a folder; its path. Raises BuildError, OSError."""
    if shutil.which("dpkg-deb") is None:
        raise BuildError("dpkg-deb is not here: a Debian package is built on Debian or a relative of it")
    architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
    frozen = freeze(stage)
    root = stage.work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    lay_out(root, stage, frozen, documents(stage, frozen), debian=True)
    (root / "DEBIAN").mkdir()
    description = control(stage.version, architecture, _size(root), debian_fields(stage, root, OWN))
    (root / "DEBIAN" / "control").write_text(description, "utf-8")
    (root / "DEBIAN" / "md5sums").write_text(digests(root), "utf-8")
    _set_times(root, stage.epoch)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{NAME}_{stage.version}_{architecture}.deb"
    build = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", str(root), str(path)]
    call(build, cwd=stage.work, environment=stage.environment)
    return path


def lay_out(root: Path, stage: Stage, frozen: Path, texts: dict[str, bytes], *, debian: bool) -> None:
    """Put the files of a package below a folder, where they lie in a system. `texts`: those of its documents.

    Raises OSError.
    """
    shutil.copytree(frozen, root / OWN, symlinks=True)
    files = {f"share/{name}": data for name, data in share_files(stage.version, stage.epoch).items()}
    files = {_system_name(name, debian): _packed(name, data) for name, data in files.items()}
    for name, data in texts.items():
        files[f"share/doc/{NAME}/{name}"] = data
    if debian:
        files[f"share/lintian/overrides/{NAME}"] = overrides().encode()
    for name, data in files.items():
        path = root / "usr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / NAME).symlink_to(f"../lib/{NAME}/{NAME}")
    _set_modes(root)


def control(version: str, architecture: str, kilobytes: int, fields: dict[str, str]) -> str:
    """The description of the package. `fields`: the packages that its files need, by field."""
    needed = ", ".join(filter(None, [fields.get("Depends"), FONTS_SETTINGS]))
    advised = ", ".join(filter(None, [fields.get("Recommends"), FONTS]))
    return f"""\
Package: {NAME}
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer()}
Installed-Size: {kilobytes}
Depends: {needed}
Recommends: {advised}
Section: science
Priority: optional
Description: workbench for the schedules of batch clusters
 Batchscope opens the workload log of a batch cluster, schedules it again under
 several policies with a compiled simulator, and shows the schedules side by
 side: Gantt charts, use of processors and memory, box-plots of waits and
 slowdowns, and heatmaps of users whose jobs ended later than they could expect.
 .
 The package holds its own Python and Qt, and its kernels compiled.
"""


def digests(root: Path) -> str:
    """The MD5 digests of a package's files, as dpkg wants them, a line each, by name. Raises OSError."""
    paths = sorted(path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    lines = []
    for path in paths:
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'md5').hexdigest()}  {path.relative_to(root)}\n")
    return "".join(lines)


def documents(stage: Stage, frozen: Path) -> dict[str, bytes]:
    """The files of /usr/share/doc, by name."""
    licence = "\n".join(
        f" {line}" if line else " ." for line in (ROOT / "LICENSE").read_text("utf-8").splitlines()[2:]
    )
    about = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
    about += f"Upstream-Name: Batchscope\n\nFiles: *\nCopyright: {_holder()}\nLicense: Expat\n{licence}\n"
    about += "Comment: of what is in /usr/lib/batchscope see THIRD-PARTY.txt.gz beside this file\n"
    return {
        "copyright": about.encode(),
        "changelog.gz": gzip.compress(debian_changelog(stage.version, stage.epoch).encode(), 9, mtime=0),
        "CHANGELOG.md.gz": gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0),
        "THIRD-PARTY.txt.gz": gzip.compress(third_party(site_packages(stage), frozen).encode(), 9, mtime=0),
        "batchscope.cdx.json": bill_of_materials(stage.version, stage.epoch).encode(),
    }


def debian_changelog(version: str, epoch: int) -> str:
    """Debian's own form of a changelog, which leads to ours."""
    head = f"{NAME} ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n"
    return f"{head} -- {maintainer()}  {formatdate(epoch)}\n"


def maintainer() -> str:
    """The publisher of the package, from the environment like in Debian's own programs."""
    name = os.environ.get("DEBFULLNAME", "The developers of Batchscope")
    return f"{name} <{os.environ.get('DEBEMAIL', 'batchscope@localhost.localdomain')}>"


def overrides() -> str:
    """The lintian tags to suppress, with reasons."""
    lines = ["# The folder holds libraries as their projects publish them, which are not built here."]
    return "\n".join([*lines, *(f"{NAME}: {tag}" for tag in _OVERRIDES)]) + "\n"


def _holder() -> str:
    """The copyright holder and year, from the licence."""
    line = next(line for line in (ROOT / "LICENSE").read_text("utf-8").splitlines() if "Copyright" in line)
    return line.removeprefix("Copyright").replace("(c)", "").strip()


def _system_name(name: str, debian: bool) -> str:
    if name.startswith("share/man/"):
        return f"{name}.gz"
    # The unit of a user's own service stays below share, where systemd looks for it too.
    return name.replace("share/zsh/site-functions", "share/zsh/vendor-completions") if debian else name


def _packed(name: str, data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0) if name.startswith("share/man/") else data


def _size(root: Path) -> int:
    return (
        sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        // 1024
    )


def _set_modes(root: Path) -> None:
    for path in [root, *root.rglob("*")]:
        if path.is_symlink():
            continue
        program = path.is_dir() or path == root / OWN / NAME
        path.chmod(0o755 if program else 0o644)


def _set_times(root: Path, epoch: int) -> None:
    for path in [*root.rglob("*"), root]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
