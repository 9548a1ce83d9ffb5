"""Completions of bash, zsh and fish: what each shell offers for a line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.cli.main import make_parser
from tests.packaging_modules import load

COMPLETED = [
    (["comp"], {"compare"}),
    (["a"], {"anonymize", "audit", "a folder", "a log.swf"}),
    (["compare", "--format", ""], {"text", "latex", "markdown", "csv", "json"}),
    (["info", "--js"], {"--json"}),
    (["sweep", "-o", "a"], {"a folder"}),
    (["info", "a"], {"a folder", "a log.swf"}),
    (["compare", "log", "-p", "fairshare-e"], {"fairshare-easy"}),
    (["compare", "log", "-p", "a"], {"aggressive", "auction", "a folder", "a log.swf"}),
    (["figure", "heatm"], {"heatmap", "heatmap-column"}),
    (["figure", "box"], {"boxes"}),
    (["sweep", "pack"], {"packing-and-fairness", "packing-when-users-react"}),
]
"""Words of a line, of which the last is completed, and what a shell offers for it."""

LINES = [" ".join(["batchscope", *words]) for words, _ in COMPLETED]

ZSH = r"""
PS1=; fpath=("$SCRIPTS" $fpath); autoload -Uz compinit; compinit -u -D
compadd() {  # by which each function adds what it offers
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        local -a added; builtin compadd -A added "$@"
        (( $#added )) && print -rl -- "$added[@]" >> "$ADDED"
    fi
    builtin compadd "$@"
}
list-all() {
    for BUFFER in "${(@f)TYPED}"; do
        CURSOR=$#BUFFER; zle list-choices; print END >> "$ADDED"
    done
    exit
}
zle -N zle-line-init list-all
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script of each shell, `_batchscope` for zsh, which finds it by this name."""
    folder = tmp_path_factory.mktemp("completions")
    commands = load("arguments").read_commands(make_parser())
    for shell, text in load("completions").completions(commands).items():
        (folder / ("_batchscope" if shell == "zsh" else shell)).write_text(text)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder in which the lines are completed."""
    place = tmp_path / "place"
    (place / "a folder").mkdir(parents=True)
    (place / "a log.swf").touch()
    return place


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(("words", "offered"), COMPLETED)
def test_bash_completes(scripts: Path, place: Path, words: list[str], offered: set[str]) -> None:
    script = 'source "$1"; shift; COMP_WORDS=(batchscope "$@"); COMP_CWORD=$#; previous="${@: -2:1}"\n'
    script += '_batchscope batchscope "${@: -1}" "$previous"; printf "%s\\n" "${COMPREPLY[@]}"'
    call = ["bash", "-c", script, "bash", str(scripts / "bash"), *words]
    done = subprocess.run(call, cwd=place, capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.splitlines()) == offered
    assert "error" not in done.stderr


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish_completes(scripts: Path, place: Path) -> None:
    script = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo END; end"
    call = ["fish", "--no-config", "-c", script, str(scripts / "fish"), *LINES]
    done = subprocess.run(call, cwd=place, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    # Behind each word stands what it means, and behind a folder a slash.
    check([[line.partition("\t")[0].rstrip("/") for line in part] for part in parted(done.stdout)])


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_zsh_completes(scripts: Path, place: Path, tmp_path: Path) -> None:
    """It completes in a terminal alone, so it gets one."""
    import pty

    (tmp_path / "list.zsh").write_text(ZSH)
    added = tmp_path / "added"
    ours, its = pty.openpty()
    variables = {"PATH": "/usr/bin:/bin", "TERM": "dumb", "HOME": str(place), "LC_ALL": "C.UTF-8"}
    variables |= {"SCRIPTS": str(scripts), "ADDED": str(added), "TYPED": "\n".join(LINES)}
    with subprocess.Popen(
        ["zsh", "-f", "-i"], cwd=place, env=variables, stdin=its, stdout=its, stderr=its
    ) as shell:
        os.close(its)
        os.write(ours, f"source '{tmp_path / 'list.zsh'}'\n".encode())
        shown = b""
        try:
            while block := os.read(ours, 65536):
                shown += block
        except OSError:
            pass  # of a terminal whose program has ended
        os.close(ours)
        assert shell.wait(timeout=60) == 0, shown
    assert b"command not found" not in shown
    assert b"unmatched" not in shown
    check([[line.replace("\\", "") for line in part] for part in parted(added.read_text())])


def parted(text: str) -> list[list[str]]:
    """What a shell printed for each line, which END ends."""
    return [part.splitlines() for part in text.split("END\n")[:-1]]


def check(parts: list[list[str]]) -> None:
    """Compare what a shell offers with what it should."""
    for (words, offered), part in zip(COMPLETED, parts, strict=True):
        assert set(part) == offered, words
