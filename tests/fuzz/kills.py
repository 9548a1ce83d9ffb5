"""Commands that are killed while they write: their outputs are whole or as before, and nothing else changes.

What a kill leaves hidden has our mark, and the same command sweeps it when it is run again a day later.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from engine import parts
from tests.engine.collect.logins import slurm_login
from tests.matrix.bench import Bench, lay_bench
from tests.paths import ROOT

AT_ONCE, WRITING, DONE = "before it wrote", "while it wrote", "after it had ended"
"""What comes of a case: when the command was killed."""

_LOG = "accounts"
_LOOK_S = 0.001
_LIMIT_S = 300.0
_FROM_FIRST_FILE = 0.8
"""Share of the kills that wait for a first new file: the others come at any time."""

_DELAYS_S = (0.0, 0.002, 0.02, 0.2)
"""After a first new file, at most: commands write for different times."""

_END_OF_ZIP = b"\0\0"
"""The length of a comment, which there is not."""

_PUBLISHED = 4
"""Files that `now --every` writes."""

_OLD = b"an older output\n"
_OTHERS = {"notes.txt": "somebody's", ".own-batchscope.csv": "like a part, but none", "kept/own.csv": "1\n"}
"""Files that stand beside the outputs, and that no command may change."""

Files = dict[str, bytes]
"""The contents of the files of a folder and of those in it, by their paths from there."""


@dataclass(frozen=True)
class Killed:
    """A command that writes: its words for a bench and a folder of outputs.

    `outputs` are files of which an older version may stand there; a command without them makes a folder. One
    that `goes_on` writes its files again and again, until it is ended. Files that differ from run to run are
    known as whole by their ends, one of those that `ends` has for their suffix.
    """

    words: Callable[[Bench, Path], Sequence[object]]
    outputs: tuple[str, ...] = ()
    goes_on: bool = False
    ends: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)


def _convert(suffix: str) -> Killed:
    return Killed(
        lambda bench, out: ["convert", bench.log, out / f"log{suffix}", "--force"], (f"log{suffix}",)
    )


COMMANDS: dict[str, Killed] = {
    "convert to .csv": _convert(".csv"),
    "convert to .swf.gz": _convert(".swf.gz"),
    "convert to .parquet": _convert(".parquet"),
    "simulate": Killed(
        lambda bench, out: ["simulate", bench.log, "-p", "easy", "-o", out / "s.csv", "--force"], ("s.csv",)
    ),
    "figure": Killed(
        lambda bench, out: ["figure", "gantt", bench.log, "-p", "easy", "-o", out / "f.svg", "--force"],
        ("f.svg",),
    ),
    "report": Killed(
        lambda bench, out: ["report", bench.log, "-p", "recorded", "-p", "easy", "-o", out / "report"],
        ends={".json": (b"}\n",), ".batchscope": (_END_OF_ZIP,), ".toml": (b'"\n',)},
    ),
    "sweep": Killed(
        lambda bench, out: ["sweep", bench.study, bench.log, "-o", out / "rows"],
        ends={".json": (b"}",), ".parquet": (b"PAR1",)},
    ),
    "anonymize": Killed(
        lambda bench, out: ["anonymize", bench.log, "--site", bench.site, "-o", out / "anonymous"]
    ),
    "collect": Killed(
        lambda bench, out: ["collect", out / "site", "--from", "2026-11-01", "--to", "2026-11-20"]
    ),
    "now --every": Killed(
        lambda bench, out: [
            *("now", "--from-file", bench.queue, "--site", bench.site, "--replays", 0, "--every", 1),
            *("-o", out / "www", "--metrics", out / "queue.prom"),
        ],
        goes_on=True,
        ends={".html": (b"</html>\n", b"</section>\n"), ".json": (b"}\n",), ".prom": (b"} 0\n",)},
    ),
}
"""The commands that are killed, by name."""


def prepare() -> None:
    """Nothing: the commands are processes of their own."""


def try_kill(chance: random.Random, folder: Path) -> str:
    """Kill one of the commands."""
    return kill(chance.choice(list(COMMANDS)), chance, folder)


def kill(name: str, chance: random.Random, folder: Path) -> str:
    """Kill this command once, look at what it left, and run it again as a day later."""
    command, (whole, seconds) = COMMANDS[name], _whole(name)
    out = _lay(folder)
    if chance.random() < 0.5:
        for output in command.outputs:
            (out / output).write_bytes(_OLD)
    before = _files(out)
    process = _start(command, folder)
    if chance.random() < _FROM_FIRST_FILE:
        _wait(lambda: process.poll() is not None or set(_files(out)) != set(before))
        time.sleep(chance.random() * chance.choice(_DELAYS_S))
    else:
        time.sleep(chance.random() * seconds)
    ended = process.poll() is not None
    process.kill()
    process.wait()
    left = _files(out)
    came = DONE if ended else WRITING if set(left) != set(before) else AT_ONCE
    check(command, whole, before, left)

    _make_old(out)
    again = _start(command, folder)
    if command.goes_on:
        _wait(lambda: set(whole) <= set(_files(out)))
        again.terminate()
    status = again.wait(_LIMIT_S)
    assert status == 0 or set(whole) <= set(left), f"status {status}"  # a whole folder is not replaced
    then = _files(out)
    check(command, whole, {path: text for path, text in before.items() if path not in command.outputs}, then)
    assert set(then) == {*before, *whole}, f"litter: {sorted(set(then) - {*before, *whole})}"
    return f"{name}, {came}"


def check(command: Killed, whole: Files, before: Files, left: Files) -> None:
    """All that was there is the same or was replaced, and what is new is whole, or hidden with our mark."""
    for path, text in before.items():
        assert path in left, f"{path} is gone"
        assert left[path] == text or path in command.outputs, f"{path} was changed"
    for path in set(left) - {path for path, text in before.items() if left[path] == text}:
        if _is_hidden(path):
            continue
        assert path in whole, f"{path} is no output"
        end = command.ends.get(Path(path).suffix)
        assert left[path] == whole[path] if end is None else left[path].endswith(end), f"{path} is not whole"


def _lay(folder: Path) -> Path:
    """A bench, a login node, and a folder of outputs with files of others, which is returned."""
    lay_bench(_LOG, folder)
    login = folder / "login"
    login.mkdir()
    slurm_login(login)
    out = folder / "out"
    for name, text in _OTHERS.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    return out


@cache
def _whole(name: str) -> tuple[Files, float]:
    """What the command writes when nobody kills it, and for how many seconds it runs."""
    command = COMMANDS[name]
    with TemporaryDirectory() as made:
        out = _lay(Path(made))
        before, began = set(_files(out)), time.monotonic()
        process = _start(command, Path(made))
        # A command that goes on by itself is ended when it has written enough, and nothing half.
        if command.goes_on:
            _wait(
                lambda: len(_files(out)) - len(before) >= _PUBLISHED and not any(map(_is_hidden, _files(out)))
            )
            process.terminate()
        assert process.wait(_LIMIT_S) == 0
        return {path: text for path, text in _files(out).items() if path not in before}, (
            time.monotonic() - began
        )


def _start(command: Killed, folder: Path) -> subprocess.Popen[bytes]:
    """The command as a process, for which the only Slurm is that of the login node."""
    bench = Bench(_LOG, folder / _LOG, folder / _LOG / "log.txt")
    words = [sys.executable, "-m", "app", *map(str, command.words(bench, folder / "out"))]
    return subprocess.Popen(
        words,
        cwd=ROOT,
        env={**os.environ, "PATH": str(folder / "login" / "bin")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + _LIMIT_S
    while not done():
        assert time.monotonic() < until, "it does not come"
        time.sleep(_LOOK_S)


def _files(folder: Path) -> Files:
    """The files of a folder, some of which may be renamed while it is looked at."""
    found = {}
    for path in folder.rglob("*"):
        try:
            found[str(path.relative_to(folder))] = path.read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            continue
    return found


def _is_hidden(path: str) -> bool:
    """Whether this is a part with our mark, or in one."""
    return any(parts._PART.fullmatch(name) for name in Path(path).parts)


def _make_old(folder: Path) -> None:
    """As if all had been written over a day ago."""
    then = time.time() - parts.SWEPT_AFTER_S - 60
    for path in folder.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)
