"""The rpm: the self-contained folder in /usr/lib, as in the Debian package, built by rpmbuild."""

from __future__ import annotations

import platform
import shutil
import time
from pathlib import Path

from deb import OWN, documents, lay_out, maintainer
from folder import NAME, freeze
from glibc import needed_glibc
from needs import Needs, needed_of_system
from stage import BuildError, Stage, call

_OF_THE_SYSTEM = (
    "usr",
    "usr/bin",
    "usr/lib",
    "usr/share",
    *(
        f"usr/share/{name}"
        for name in ("applications", "doc", "icons", "man", "man/man1", "mime", "mime/packages")
    ),
)
"""Folders below /usr that are there with any system, or that its package `filesystem` owns."""


def build_rpm(stage: Stage, output: Path) -> Path:
    """Build the package into a folder; its path. Raises BuildError, OSError."""
    if shutil.which("rpmbuild") is None:
        raise BuildError("rpmbuild is not here: it is in Debian's package rpm, and in rpm-build elsewhere")
    frozen = freeze(stage)
    root = stage.work / "rpm-root"
    shutil.rmtree(root, ignore_errors=True)
    lay_out(root, stage, frozen, documents(stage, frozen), debian=False)
    return pack_rpm(stage, root, needed_glibc(frozen), needed_of_system(frozen), output)


def pack_rpm(stage: Stage, root: Path, glibc: str, libraries: Needs, output: Path) -> Path:
    """Pack the files below a folder; the path of the package. Raises BuildError, OSError."""
    place = stage.work / "rpm"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    description = place / f"{NAME}.spec"
    description.write_text(spec(stage.version, stage.epoch, root, glibc, libraries), "utf-8")
    build = ["rpmbuild", "-bb", "--quiet", "--define", f"_topdir {place}", "--define", f"_rpmdir {place}"]
    build += ["--define", "use_source_date_epoch_as_buildtime 1", "--define", "_buildhost localhost"]
    build += ["--define", "clamp_mtime_to_source_date_epoch 1", "--target", platform.machine()]
    call([*build, str(description)], cwd=place, environment=stage.environment)
    (made,) = place.rglob("*.rpm")
    output.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy2(made, output / made.name))


def spec(version: str, epoch: int, root: Path, glibc: str, libraries: Needs) -> str:
    """The description of the package: libraries of the system that it needs, its glibc, and its files.

    `epoch`: the time of its entry in the list of changes, s from 1970.
    """
    day = time.strftime("%a %b %d %Y", time.gmtime(epoch))
    # The loader itself has another name among what rpm packages provide, and comes with the C library.
    named = [name for name in libraries.always if not name.startswith("ld-linux")]
    needs = [f"Requires: {name}()(64bit)" for name in named]
    # The settings of fontconfig, whose library is in the folder and reads them.
    needs += [f"Requires: libc.so.6(GLIBC_{glibc})(64bit)", "Requires: fontconfig"]
    needs += [f"Recommends: {name}()(64bit)" for name in libraries.wayland]
    files = sorted(
        path.relative_to(root) for path in root.rglob("*") if path.is_symlink() or not path.is_dir()
    )
    outside = [path for path in files if OWN not in path.parents]
    listed = [f"/{OWN}", *(f'"/{path}"' for path in outside)]
    # Folders that other packages have too are removed with the last of them.
    folders = {str(folder) for path in outside for folder in path.parents} - {".", *_OF_THE_SYSTEM}
    listed += [f'%dir "/{folder}"' for folder in sorted(folders)]
    return f"""\
Name: {NAME}
Version: {version}
Release: 1
Summary: Workbench for the schedules of batch clusters
License: MIT
Group: Applications/Engineering
Packager: {maintainer()}
AutoReqProv: no
{chr(10).join(needs)}

# The libraries are as their projects publish them: nothing is stripped, compiled again or searched for.
%global __os_install_post %{{nil}}
%global debug_package %{{nil}}
%global _build_id_links none

%description
Batchscope opens the workload log of a batch cluster, schedules it again under
several policies with a compiled simulator, and shows the schedules side by
side: Gantt charts, use of processors and memory, box-plots of waits and
slowdowns, and heatmaps of users whose jobs ended later than they could expect.

The package holds its own Python and Qt, and its kernels compiled.

%install
mkdir -p %{{buildroot}}
cp -a {root}/. %{{buildroot}}

%files
%defattr(-,root,root,-)
{chr(10).join(listed)}

%changelog
* {day} {maintainer()} - {version}-1
- See CHANGELOG.md.gz.
"""
