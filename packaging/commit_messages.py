#!/usr/bin/env python3
"""What commit messages fall short of: `commit_messages.py FILE` judges one, `--log` those since the last tag.

The first form is the local hook, which refuses a message; the second prints, and refuses nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LONGEST_SUBJECT = 72
_NEWEST = 100
"""The commits that `--log` looks at where no version is tagged."""

_CUT = re.compile(r"^# -+ >8 -+\n.*", re.MULTILINE | re.DOTALL)
_MADE_BY_GIT = re.compile(r"(Merge|Revert|fixup!|squash!|amend!) ?")
_NOT_IMPERATIVE = re.compile(r"[a-z]|(?!(?:Bring|Embed|Exceed|Feed|Need|Seed|Speed) )\w+(?:ed|ing) ")


def main(arguments: list[str]) -> int:
    """Do what the arguments say; 1 if a message to commit falls short, 2 for wrong usage."""
    if arguments == ["--log"]:
        for commit, message in _log():
            for fault in faults(message):
                print(f"{commit}: {fault}")
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = faults(Path(arguments[0]).read_text("utf-8"))
    print("\n".join(f"the commit's message: {fault}" for fault in wrong), end="\n" if wrong else "")
    return int(bool(wrong))


def faults(message: str) -> list[str]:
    """What a message falls short of, a line each. Comments of an editor and Git's own messages pass."""
    lines = [line for line in _CUT.sub("", message).splitlines() if not line.startswith("#")]
    subject, *rest = "\n".join(lines).strip().splitlines() or [""]
    if _MADE_BY_GIT.match(subject):
        return []
    wrong = []
    if len(subject) > LONGEST_SUBJECT:
        wrong.append(f"the subject has {len(subject)} letters, more than {LONGEST_SUBJECT}")
    if subject.endswith("."):
        wrong.append("the subject ends with a full stop")
    if _NOT_IMPERATIVE.match(subject):
        wrong.append(f"the subject does not begin with an imperative: {subject.split()[0]}")
    if rest and rest[0].strip():
        wrong.append("there is no empty line below the subject")
    if not any(line.strip() for line in rest):
        wrong.append("there is no body that says why")
    return wrong


def _log() -> list[tuple[str, str]]:
    """Commits since the last tagged version, or the newest ones, each with its message."""
    tag = _git("describe", "--tags", "--abbrev=0", "--match", "v*").strip()
    span = [f"{tag}..HEAD"] if tag else [f"--max-count={_NEWEST}"]
    commits = _git("log", "-z", "--format=%h%n%B", *span).split("\0")
    return [(commit, message) for commit, _, message in (text.partition("\n") for text in commits) if commit]


def _git(*arguments: str) -> str:
    """What git prints; empty where it fails, as without a tag."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
