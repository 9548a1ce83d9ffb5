"""The command line on damaged logs, with options of which some are damaged too."""

import contextlib
import io
import json
import random
from pathlib import Path

from app.cli.main import DONE, FAILED, WRONG_USAGE, main
from tests.fuzz import samples
from tests.fuzz.fuzzer import READ, REFUSED
from tests.fuzz.mutate import NUMBERS, mutate, mutate_text

_POLICIES = (
    "easy",
    "fcfs",
    "conservative",
    "just:order=saf",
    "metric:window=3",
    "recorded",
    "easy:estimate=last2",
)
_BROKEN = "broken"


def prepare() -> None:
    """Compile what the commands need."""
    from app.work.compile_kernels import fill_cache

    fill_cache()


def try_command(chance: random.Random, folder: Path) -> str:
    """A command ends with its status, and says in one line what was wrong where that is 2."""
    log = folder / "log.swf"
    log.write_bytes(_log(chance))
    if chance.random() < 0.5:
        (folder / "log.swf.machines").write_bytes(samples.MACHINES)
    if chance.random() < 0.3:
        (folder / "log.swf.failures").write_bytes(mutate(chance, [samples.FAILURES]))
    out, err = io.StringIO(), io.StringIO()
    words = [*_command(chance, folder), *_options(chance)]
    # The words are written before the command runs, which may kill the process.
    (folder / "command").write_text(repr(words))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as ended:
            status = int(ended.code or 0)
    # Output for programs has to be a document, whatever the input was.
    if status == DONE and "--json" in words:
        json.loads(out.getvalue())
    found = err.getvalue()
    # Wrong input is told in one line on standard error, and nothing on standard output.
    if status == WRONG_USAGE:
        assert not out.getvalue()
        assert len(found.splitlines()) == 1, found
        return REFUSED
    assert status == DONE or (words[0] == "audit" and status == FAILED), (status, found)
    return READ if status == DONE else _BROKEN


def _log(chance: random.Random) -> bytes:
    """A log that is mostly good: one number, or a few, of another size."""
    lines = [row.split() for row in chance.choice((samples.SWF, samples.ALEA)).decode().splitlines()]
    jobs = [row for row in lines if row and row[0] != ";"]
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        row = chance.choice(jobs)
        row[chance.randrange(18)] = chance.choice(NUMBERS)
    return "".join(" ".join(row) + "\n" for row in lines).encode()


def _command(chance: random.Random, folder: Path) -> list[str]:
    log = str(folder / "log.swf")
    policy = chance.choice(_POLICIES)
    return chance.choice(
        (
            ["info", log],
            [
                "simulate",
                log,
                "-p",
                policy,
                "-o",
                str(folder / f"out.{chance.choice(('csv', 'swf', 'parquet'))}"),
            ],
            ["compare", log, "-p", policy, "-p", chance.choice(_POLICIES), "--by", "user"],
            ["eet", log, "-p", policy, "--share", mutate_text(chance, samples.SHARE_SPELLINGS)],
            ["audit", log, "recorded"],
        )
    )


def _options(chance: random.Random) -> list[str]:
    """Some options, with values of which most are good."""
    found = ["--quiet"]
    for option, values in (
        ("--cluster", (*samples.CLUSTERS, "134217728c", "64c68719476736m", "8x4c1t~1h/1m")),
        ("--jobs", ("0:5", ":", "-3:", "2:2", "1")),
        ("--from", samples.TIMES),
        ("--to", samples.TIMES),
        ("--users", ("1,2", "-1", "1")),
    ):
        if chance.random() < 0.2:
            value = chance.choice(values) if chance.random() < 0.7 else mutate_text(chance, values)
            found += [option, value[:5000].replace("\0", "")]
    return [*found, "--json"] if chance.random() < 0.5 else found
