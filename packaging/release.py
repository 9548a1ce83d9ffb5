#!/usr/bin/env python3
"""Releases: `release.py collect` gathers the changes, `release.py check` lists what is missing."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
METAINFO = Path("resources/desktop/org.batchscope.Batchscope.metainfo.xml")
CITATION = Path("CITATION.cff")
_UNRELEASED = "not yet released"


def main(arguments: list[str]) -> int:
    """Do what the arguments say; 0 if nothing is wrong, else 1, or 2 for wrong usage."""
    if arguments == ["collect"]:
        for name in collect(ROOT):
            print(f"{name}: now in CHANGELOG.md")
        return 0
    if arguments in (["check"], ["check", "--tag"]):
        faults = check(ROOT) + (check_tag(ROOT) if "--tag" in arguments else [])
        print("\n".join(faults) or f"{version(ROOT)} can be released")
        return int(bool(faults))
    print(__doc__, file=sys.stderr)
    return 2


def version(root: Path) -> str:
    """The version, where alone it is written."""
    return str(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def fragments(root: Path) -> list[Path]:
    """The files of changes that are not in CHANGELOG.md yet, by name."""
    return sorted(path for path in (root / "changes").glob("*.md") if path.name != "README.md")


def collect(root: Path) -> list[str]:
    """Put the changes first into the section of this version, and remove their files; their names.

    The section is made where there is none; its date is today's.
    """
    path, now = root / "CHANGELOG.md", version(root)
    text, found = path.read_text("utf-8"), fragments(root)
    items = "".join(f"{fragment.read_text('utf-8').strip()}\n" for fragment in found)
    date = time.strftime("%Y-%m-%d", time.gmtime())
    heading = re.compile(rf"^## {re.escape(now)} .*\n\n", re.MULTILINE)
    if heading.search(text):
        text = heading.sub(lambda _: f"## {now} ({date})\n\n{items}", text, count=1)
    else:
        text = text.replace("# Changes\n", f"# Changes\n\n## {now} ({date})\n\n{items}", 1)
    path.write_text(text, "utf-8")
    for fragment in found:
        fragment.unlink()
    return [fragment.name for fragment in found]


def check(root: Path) -> list[str]:
    """The missing parts of a release, a line each, judged by files alone."""
    now, faults = version(root), []
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    first = re.search(r"^## (\S+) \((.*)\)$", changes, re.MULTILINE)
    if first is None or first[1] != now:
        faults.append(f"CHANGELOG.md: the first section is not of {now}")
    elif first[2] == _UNRELEASED:
        faults.append(f"CHANGELOG.md: {now} has no date: packaging/release.py collect")
    faults += [f"changes/{path.name}: not in CHANGELOG.md yet" for path in fragments(root)]
    release = re.search(r'<release version="([^"]+)" date="([^"]+)"', (root / METAINFO).read_text("utf-8"))
    if release is None or release[1] != now:
        faults.append(f"{METAINFO}: the first release is not {now}")
    elif first is not None and first[2] not in (release[2], _UNRELEASED):
        faults.append(f"{METAINFO}: {release[2]} is not the date in CHANGELOG.md")
    locked = tomllib.loads((root / "uv.lock").read_text("utf-8"))["package"]
    if next(package for package in locked if package["name"] == "batchscope").get("version", now) != now:
        faults.append("uv.lock: of another version: .venv/bin/uv lock")
    if f"version: {now}" not in (root / CITATION).read_text("utf-8").splitlines():
        faults.append(f"{CITATION}: of another version than {now}")
    return faults


def check_tag(root: Path) -> list[str]:
    """The missing parts for a tag in git: a clean work tree, and no existing tag of this version."""
    now = version(root)
    faults = []
    if _git(root, "status", "--porcelain"):
        faults.append("git: there are changes that are not committed")
    if _git(root, "tag", "--list", f"v{now}"):
        faults.append(f"git: v{now} is there already")
    return faults


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
