"""Making a paper: each figure and table by its command, into a folder that is whole or not there."""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from app.export.output import write_table
from app.model.reading import source_of
from app.paper.citations import bibliography
from app.paper.expected_numbers import NUMBERS, JudgedNumber, claimed_numbers, judged_numbers, untried
from app.paper.manuscript import write_manuscript
from app.report.folder import write_folder
from engine.errors import InputError
from engine.input import STANDARD_INPUT, UnusableError, exists, first_bytes, hold_standard_input, naming
from engine.limits import MAX_TRACE_BYTES
from engine.own.allowed_code import own_path
from engine.own.file import OwnFile, read_own_file
from engine.sweep.paper_file import PaperFile, PaperItem, PaperLog
from engine.trace.variant import split_variant

RESULTS, KEPT = "results", "kept"
"""Folders in that of the paper: what was made, and the rows of studies, which are used again."""

_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20  # bytes

RunCommand = Callable[[Sequence[str]], int]
"""Runs the words of a command in this process, and returns its exit status."""


@dataclass(frozen=True)
class FoundLogs:
    """The files of a paper's logs on this computer, by name, and the logs that are not here."""

    files: dict[str, Path]
    missing: tuple[PaperLog, ...]


@dataclass(frozen=True)
class MadePaper:
    """What was made of a paper: its numbers, and the items that could not be made since a log is missing.

    Numbers of other `readings`, by the names of these, do not count among the paper's.
    """

    numbers: list[JudgedNumber]
    left_out: list[PaperItem]
    readings: frozenset[str] = frozenset()


def find_logs(paper: PaperFile, folders: Sequence[Path]) -> FoundLogs:
    """The logs of a paper: in its own folder, or by their file names in `folders`.

    Raises InputError for a file of that name with another content than the paper's.
    """
    files, missing = {}, []
    for log in paper.logs:
        places = [paper.base / log.file, *(folder / Path(log.file).name for folder in folders)]
        there = next(filter(exists, places), None)
        if there is None:
            missing.append(log)
            continue
        path = there if there == STANDARD_INPUT else there.resolve()
        hold_standard_input([path], MAX_TRACE_BYTES)  # it is read as a fingerprint, and then as a log
        if log.sha256 and digest_of(path) != log.sha256:
            raise InputError(
                f"{path}: this is another file than the log {log.name} of {paper.path}: its SHA-256 differs"
            )
        files[log.name] = path
    return FoundLogs(files, tuple(missing))


def digest_of(path: Path) -> str:
    """SHA-256 of a log, hexadecimal: of a compressed file that of its text, whoever packed it.

    Raises InputError.
    """
    if first_bytes(path, 2) != _GZIP:
        return source_of(path).sha256
    digest, left = hashlib.sha256(), MAX_TRACE_BYTES
    with naming(path), gzip.open(path) as file:
        while piece := file.read(_BLOCK):
            digest.update(piece)
            left -= len(piece)
            if left < 0:  # a small file can unpack to anything
                raise UnusableError(f"unpacked, this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
    return digest.hexdigest()


def own_code(paper: PaperFile) -> list[OwnFile]:
    """The files of somebody's own code that commands of the paper would run. Raises InputError."""
    found: dict[str, OwnFile] = {}
    with chdir(paper.base):  # commands run there, so that their paths are relative to it
        for item in paper.items:
            for word in item.words[1:]:
                # Code is named by an argument, or by the value of an option as in `--metric=FILE.py`.
                value = word.partition("=")[2] if word[:2] == "--" else word
                named = own_path(split_variant(value)[0])
                if named is not None and exists(named[0]):
                    file = read_own_file(named[0])
                    found.setdefault(file.digest, file)
    return list(found.values())


def make_paper(
    paper: PaperFile,
    logs: FoundLogs,
    results: Path,
    run: RunCommand,
    *,
    kept_in: Path,
    only: Sequence[str] = (),
    of_studies: Sequence[str] = (),
    force: bool = False,
    say: Callable[[str], object] = lambda _: None,
) -> MadePaper:
    """Make all figures, tables and numbers into the folder `results`; with `only`, those of these names.

    Rows of studies are kept in a folder in `kept_in`, and used again; `of_studies` are options that say where
    these run. Nothing is left where a command fails. Raises InputError, OSError.
    """
    bibliography(paper.cites)  # a name that it lacks is told before the long work
    left_out = [item for item in paper.items if any(log in logs.missing for log in item.logs(paper.logs))]
    names = {item.slug for item in left_out}
    # What is drawn from the results of a study that cannot be made cannot be made either.
    left_out += [item for item in paper.items if item not in left_out and names & set(item.words)]
    chosen = [item for item in paper.items if not only or item.slug in only]
    numbers: list[JudgedNumber] = []

    def fill(part: Path) -> None:
        for item in chosen:
            if item in left_out:
                numbers.extend(untried(item))
                continue
            say(item.name)
            numbers.extend(_make_item(paper, item, logs, part, run, kept_in.resolve() / KEPT, of_studies))
        _write_numbers(numbers, part / NUMBERS)
        # What a paper may mean otherwise is told beside its numbers, and is no figure or table of it.
        write_manuscript(paper, [item for item in chosen if item not in left_out and not item.of], part)

    words = {word for item in chosen for word in item.words}
    used = {name: path for name, path in logs.files.items() if name in words}
    about = {
        "paper": paper.title,
        "program": "batchscope",
        "version": version("batchscope"),
        "inputs": {
            paper.path.name: {"sha256": digest_of(paper.path)},
            **{name: {"file": path.name, "sha256": digest_of(path)} for name, path in used.items()},
        },
    }
    write_folder(results, fill, about, force)
    readings = frozenset(item.name for item in chosen if item.of)
    return MadePaper(numbers, [item for item in chosen if item in left_out], readings)


def _make_item(
    paper: PaperFile,
    item: PaperItem,
    logs: FoundLogs,
    part: Path,
    run: RunCommand,
    kept: Path,
    of_studies: Sequence[str],
) -> list[JudgedNumber]:
    """Run the command of an item, and judge its numbers. Raises InputError where the command fails.

    It writes into the folder `part`, and a study into `kept`, where its results stay between papers.
    """
    data: Path | None = None
    stem = part / item.slug
    studies = {each.slug: str(kept / each.slug) for each in paper.items if each.command == "sweep"}
    # Names become files only where a whole word is the name, so that a policy can be called like a log.
    words = [str(logs.files.get(word, studies.get(word, word))) for word in item.words]
    for written in _outputs(item, stem, kept / item.slug, of_studies):
        if written.prints:
            _run(paper, item, [*words, *written.options], run, written.file)
        else:
            _run(paper, item, [*words, *written.options], run)
        if written.file is not None and written.file.suffix == ".csv":
            data = written.file
    return judged_numbers(item, data, stem)


@dataclass(frozen=True)
class _Output:
    """A run of a command: the options that say where its results go, and the file to take numbers from."""

    options: tuple[str, ...]
    file: Path | None = None
    prints: bool = False  # the file is what it prints


def _outputs(item: PaperItem, stem: Path, kept: Path, of_studies: Sequence[str]) -> Iterator[_Output]:
    """What has to be run for an item: usually a single run, of which every file is written."""
    quiet = "--quiet"
    data = stem.with_name(f"{stem.name}.csv")
    match item.command:
        case "figure":
            picture = str(stem.with_name(f"{stem.name}.pdf"))
            yield _Output((quiet, "-o", picture, "--data", str(data)), data)
        case "sweep":
            kept.parent.mkdir(exist_ok=True)
            yield _Output((quiet, *of_studies, "-o", str(kept), "--figures", str(stem)), None, prints=True)
        case "report" | "rank":
            yield _Output((quiet, "-o", str(stem)))
        case "compare":
            yield _Output((quiet, "-o", str(stem.with_name(f"{stem.name}.tex"))))
            yield _Output((quiet, "-o", str(data)), data)
        case "eet" | "waits":
            yield _Output((quiet, "-o", str(data)), data)
        case _:  # what prints an answer alone
            yield _Output((quiet, "--json"), stem.with_name(f"{stem.name}.json"), prints=True)


def _run(
    paper: PaperFile, item: PaperItem, words: Sequence[str], run: RunCommand, printed: Path | None = None
) -> None:
    """Run a command in the paper's folder; what it prints is written to a file, or dropped.

    Raises InputError with the last line of what a command says that fails.
    """
    said, told = io.StringIO(), io.StringIO()
    try:
        with chdir(paper.base), redirect_stdout(said), redirect_stderr(told):
            status = run(words)
    except SystemExit:  # of a parser, which has said what is wrong
        status = 2
    if status >= 128:
        raise KeyboardInterrupt(status - 128)  # by a signal, which ended the command
    if status:
        why = told.getvalue().rstrip().rpartition("\n")[2].removeprefix("batchscope: ")
        raise InputError(f"{paper.path}: {item.name} could not be made by {' '.join(item.words)}: {why}")
    sys.stderr.write(told.getvalue())
    if printed is not None:
        printed.write_text(said.getvalue(), "utf-8", newline="")


def _write_numbers(numbers: Sequence[JudgedNumber], path: Path) -> None:
    """The paper's numbers as a table: a row for each number."""
    claims = [claimed_numbers(each.paper) for each in numbers]
    write_table(
        [
            ("item", [each.item for each in numbers]),
            ("number", [each.text for each in numbers]),
            ("log", [each.log for each in numbers]),
            ("claim", [each.paper for each in numbers]),
            ("paper", _floats([claim.size for claim in claims])),
            ("paper, low", _floats([claim.low for claim in claims])),
            ("paper, high", _floats([claim.high for claim in claims])),
            ("found", _floats([each.value for each in numbers])),
            ("verdict", [each.verdict for each in numbers]),
        ],
        path,
    )


def _floats(values: Sequence[float | None]) -> list[float]:
    """A column of numbers, NaN where there is none."""
    return [math.nan if value is None else value for value in values]
