"""What is asked of commit messages, and the hook that asks it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging_modules import load
from tests.paths import ROOT

messages = load("commit_messages")
SCRIPT = ROOT / "packaging" / "commit_messages.py"


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("Name values by the nouns they hold\n\nReaders had to guess.\n", None),
        ("Merge branch 'shifts'\n", None),
        (
            "Name values\n\nWhy.\n# a comment of the editor, longer than any subject may be, and by many\n",
            None,
        ),
        (f"Name {'v' * 67}\n\nWhy.\n", None),
        (f"Name {'v' * 68}\n\nWhy.\n", "73 letters"),
        ("Name values.\n\nWhy.\n", "full stop"),
        ("Name values\n", "no body"),
        ("Name values\n\n# only a comment\n", "no body"),
        ("Name values\nWhy.\n", "no empty line"),
        ("Named values\n\nWhy.\n", "imperative: Named"),
        ("name values\n\nWhy.\n", "imperative: name"),
        ("Name values\n\n# ---- >8 ----\n+the change, which git shows\n", "no body"),
        ("", "no body"),
    ],
)
def test_a_message_is_judged(message: str, fault: str | None) -> None:
    wrong = messages.faults(message)
    assert (fault is None and not wrong) or any(fault in each for each in wrong), wrong


def test_the_hook_refuses_and_the_log_only_prints(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    def judged(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(SCRIPT), *words], cwd=tmp_path, check=False, capture_output=True, text=True
        )

    git("init", "--quiet")
    git("commit", "--allow-empty", "--quiet", "-m", "Named before the tag.")
    git("tag", "v1.0")
    git("commit", "--allow-empty", "--quiet", "-m", "Name values", "-m", "Readers had to guess.")
    git("commit", "--allow-empty", "--quiet", "-m", "Name more")
    done = judged("--log")
    assert done.returncode == 0
    assert [line.partition(": ")[2] for line in done.stdout.splitlines()] == [
        "there is no body that says why"
    ]
    (tmp_path / "message").write_text("Name more\n")
    assert judged("message").returncode == 1
    (tmp_path / "message").write_text("Name more\n\nReaders had to guess.\n")
    assert judged("message").returncode == 0
    assert judged().returncode == 2


def test_hook_and_ci_call_it() -> None:
    assert "packaging/commit_messages.py" in (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert "packaging/commit_messages.py --log" in (ROOT / ".ci" / "run").read_text("utf-8")
