"""The commands `paper` and `cite`: a paper made from its folder, compared with what is there, and cited."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from app.cli.terminal import warn_of_open_scheduler
from app.paper.carry_out import RESULTS, FoundLogs, MadePaper, find_logs, make_paper, own_code
from app.paper.citations import bibliography, entries
from app.paper.expected_numbers import NUMBERS, places_of, read_numbers, verdict_counts
from app.paper.results import MovedNumber, moved, numbers_of
from app.report.folder import MANIFEST, check_folder
from engine.errors import InputError
from engine.input import exists, read_text
from engine.own.allowed_code import allow, own_path
from engine.shown_text import in_a_line
from engine.spelling import nearest
from engine.sweep.paper_file import PAPER_FILE, PaperFile, read_paper_file, slug_of
from engine.words import counted, listed
from resources import papers

_LONGEST = 1 << 26  # bytes of a manifest

_MOST_MOVED = 10
"""The most changed numbers that are printed of a file; of further numbers only the count is printed."""


def make(options: argparse.Namespace) -> bool:
    """Make a paper into its folder, or check it; False if the check finds another number.

    Raises InputError, OSError.
    """
    paper = _with_policies(read_paper_file(_folder_of(options.folder)), options.policy)
    only = _chosen(paper, options.only)
    logs = find_logs(paper, [*options.logs, Path()])
    # Whether code may run is settled before any log is read or folder made.
    _ask_for_code(paper, trusted=options.trust)
    warn_of_open_scheduler(options)
    into = options.output or (paper.folder if exists(options.folder) else Path(paper.folder.name))
    # A check makes all in another place, so it needs neither the folder nor leave to replace it.
    if options.check:
        return _check(paper, logs, into, only, options)
    into.mkdir(exist_ok=True)
    check_folder(into / RESULTS, options.force)
    made = _make(paper, logs, into / RESULTS, into, only, options, force=options.force)
    _print_numbers(made, logs)
    if not options.quiet:
        print(f"wrote {into / RESULTS}", file=sys.stderr)
    return True


def cite(options: argparse.Namespace) -> None:
    """Print BibTeX entries: of the names that are given, else all. Raises InputError."""
    print(bibliography(options.names or list(entries())), end="")


def repeat_report(folder: Path, options: argparse.Namespace) -> bool:
    """Make a report again from its folder, in another folder, and print what differs; False if anything does.

    Raises InputError for a folder without a paper file, which reports made in the window have not.
    """
    # The cheap checks come first: the folder must be a report that the command line wrote.
    if not exists(folder / PAPER_FILE):
        raise InputError(
            f"{folder}: this report cannot be repeated: it has no {PAPER_FILE}, which says how it was made"
        )
    paper = read_paper_file(folder)
    (item,) = paper.items if len(paper.items) == 1 else (None,)
    if item is None or item.command != "report":
        raise InputError(
            f"{folder / PAPER_FILE}: this is a paper: `batchscope paper {folder}` makes it again"
        )
    # A report may name code of somebody's own, which must not run unasked.
    _ask_for_code(paper, trusted=False)
    logs = find_logs(paper, [Path()])
    _refuse_missing(logs)
    # Results are made in a folder that is deleted afterwards: the report itself stays as it is.
    with tempfile.TemporaryDirectory(prefix="batchscope-report-") as place:
        into = options.output or Path(place)
        _make(paper, logs, Path(place) / RESULTS, into, (), options)
        now = numbers_of(Path(place) / RESULTS / item.slug)
    _print_version(folder)
    return _print_moved(numbers_of(folder), now)


def _folder_of(folder: Path) -> Path:
    """The folder of a paper, or of a paper that the program brings along. Raises InputError."""
    known = papers()
    if exists(folder / PAPER_FILE) or not (str(folder) in known or not exists(folder)):
        return folder
    if str(folder) not in known:
        hint = nearest(str(folder), known)
        raise InputError(f"{folder}: no such folder{hint}; papers that come along: {', '.join(known)}")
    return known[str(folder)]


def _with_policies(paper: PaperFile, policies: Sequence[str]) -> PaperFile:
    """The paper with further policies in each of its rankings. Raises InputError where it has none."""
    if not policies:
        return paper
    if all(item.command != "rank" for item in paper.items):
        raise InputError(f"{paper.path}: this paper ranks no policies: --policy has no use here")
    words: list[str] = []
    for text in policies:
        own = own_path(text)
        # Commands of a paper run in its folder, from which a file given here would not be found.
        spelled = text if own is None else ":".join(filter(None, [str(own[0].resolve()), own[1]]))
        words += ["-p", spelled]
    items = tuple(
        replace(item, words=(*item.words, *words)) if item.command == "rank" else item for item in paper.items
    )
    return replace(paper, items=items)


def _chosen(paper: PaperFile, names: Sequence[str]) -> tuple[str, ...]:
    """The figures and tables of these names. Raises InputError for a name that the paper does not have."""
    known = {item.slug: item.name for item in paper.items}
    for name in names:
        if slug_of(name) not in known:
            hint = nearest(name, known.values())
            raise InputError(f"--only {name}: the paper has {listed(list(known.values()))}{hint}")
    return tuple(map(slug_of, names))


def _ask_for_code(paper: PaperFile, *, trusted: bool) -> None:
    """Allow the code of somebody's own that the paper runs, if its user says so. Raises InputError if not."""
    code = own_code(paper)
    if code and not trusted:
        files = listed([str(file.path) for file in code])
        # Nobody can be asked where the input is no terminal: silence is no consent.
        if not sys.stdin.isatty():
            raise InputError(
                f"{paper.path} runs {files}, programs of somebody's own: read them, then give --trust"
            )
        # The text is shown in full, with the modules that it imports: what is agreed to is what runs.
        for file in code:
            print(f"--- {file.path}\n{file.text}")
            for module in file.modules:
                print(f"--- {module.path}\n{module.text}")
        if input(f"{paper.path} runs {files}, shown above. Run it? [y/N] ").strip().lower() != "y":
            raise InputError("nothing was run")
    for file in code:
        allow(file)


def _refuse_missing(logs: FoundLogs) -> None:
    if logs.missing:
        raise InputError(_missing_words(logs))


def _missing_words(logs: FoundLogs) -> str:
    """Which logs are not here, and how to get them."""
    named = [
        f"{log.file} (batchscope fetch {log.archive})" if log.archive else log.file for log in logs.missing
    ]
    return f"not found: {', '.join(named)}; --logs DIR names a folder that has them"


def _make(
    paper: PaperFile,
    logs: FoundLogs,
    results: Path,
    kept_in: Path,
    only: Sequence[str],
    options: argparse.Namespace,
    *,
    force: bool = False,
) -> MadePaper:
    from app.cli.main import main

    def say(name: str) -> None:
        if not options.quiet:
            print(f"making {name}", file=sys.stderr)

    of_studies: list[str] = []
    for name in ("scheduler", "workers"):  # which reports do not have
        if value := getattr(options, name, None):
            of_studies += [f"--{name}", str(value)]
    return make_paper(
        paper, logs, results, main, kept_in=kept_in, only=only, of_studies=of_studies, force=force, say=say
    )


def _check(
    paper: PaperFile, logs: FoundLogs, into: Path, only: Sequence[str], options: argparse.Namespace
) -> bool:
    """Make the paper in another place, and print which numbers differ from those that are there."""
    there = into / RESULTS if exists(into / RESULTS) else paper.folder / RESULTS
    if not exists(there):
        raise InputError(f"{there}: there are no results to compare with; make them without --check")
    before, known = numbers_of(there, but=NUMBERS), read_numbers(there / NUMBERS)
    into.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="batchscope-paper-") as place:
        made = _make(paper, logs, Path(place) / RESULTS, into, only, options)
        now = numbers_of(Path(place) / RESULTS, but=NUMBERS)
    _print_numbers(made, logs)
    _print_version(there)
    if not before:  # of a paper that comes along only the table of its numbers is kept
        now = {}
    if only or made.left_out:  # numbers of what was not made are not lost
        names = {file for file, _ in now}
        before = {place: value for place, value in before.items() if place[0] in names}
        known = [each for each in known if each.item in {number.item for number in made.numbers}]
    return _print_moved({**before, **places_of(known)}, {**now, **places_of(made.numbers)})


def _print_numbers(made: MadePaper, logs: FoundLogs) -> None:
    """Print each number of the paper beside that which was found, and how many of them agree."""
    for number in made.numbers:
        print(number)
    counts = verdict_counts([number for number in made.numbers if number.item not in made.readings])
    if counts:
        print("; ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if made.left_out:
        names = listed([item.name for item in made.left_out])
        print(f"not made: {names}: {_missing_words(logs)}", file=sys.stderr)


def _print_version(folder: Path) -> None:
    """Print by which version the results in a folder were made, where it is not this version."""
    try:
        made_by = json.loads(read_text(folder / MANIFEST, _LONGEST)).get("version")
    except (InputError, OSError, ValueError, AttributeError):  # no manifest that says it
        return
    if made_by != version("batchscope"):
        print(f"{folder}: made by Batchscope {in_a_line(str(made_by))}; this is {version('batchscope')}")


def _print_moved(before: dict[tuple[str, str], float], now: dict[tuple[str, str], float]) -> bool:
    """Print the numbers that moved, of each file the largest changes first; True if none did.

    Only files that both results have are compared number by number; others are named.
    """
    # A file that only a single result has is named once, instead of each of its numbers.
    files = {file for file, _ in before} & {file for file, _ in now}
    for word, values in (("no longer made", before), ("new", now)):
        for file in sorted({file for file, _ in values} - files):
            print(f"{file}: {word}")
    shared = [
        {place: value for place, value in values.items() if place[0] in files} for values in (before, now)
    ]
    changes = moved(*shared)
    of_file = Counter(change.place[0] for change in changes)
    shown: Counter[str] = Counter()
    # Changes are sorted by size within a file: after the largest the rest is a count, at the last of them.
    for change in changes:
        shown[change.place[0]] += 1
        if shown[change.place[0]] <= _MOST_MOVED:
            print(change)
        elif shown[change.place[0]] == of_file[change.place[0]]:
            print(f"{change.place[0]}: and {of_file[change.place[0]] - _MOST_MOVED:,} more")
    print(f"{_outcome(changes, len(shared[0]))}")
    return not changes


def _outcome(changes: Sequence[MovedNumber], compared: int) -> str:
    if not changes:
        return f"{counted(compared, 'number')} compared: all are as before"
    return f"{counted(compared, 'number')} compared: {len(changes):,} differ"
