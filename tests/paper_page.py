"""Writes the page on the five papers, `resources/guide/papers.md`, from their folders and kept numbers.

Another reading stands below its figure or table. `python -m tests.paper_page RESULTS…` also takes over the
numbers of newly made papers, folders that have the results of a paper of the same name.
"""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from app.paper.carry_out import RESULTS
from app.paper.expected_numbers import NUMBERS, JudgedNumber, read_numbers, verdict_counts
from engine.shown_text import markdown_text
from engine.sweep.paper_claim import ClaimResult
from engine.sweep.paper_file import PaperFile, PaperItem, read_paper_file
from engine.words import listed
from resources import papers
from tests.paths import ROOT

PAGE = ROOT / "resources" / "guide" / "papers.md"
INTRODUCTION = ROOT / "resources" / "papers" / "README.md"


def lines() -> list[str]:
    """The page: the introduction, then each paper with its items and numbers."""
    page = INTRODUCTION.read_text("utf-8").splitlines()
    for name, folder in papers().items():
        page += ["", *_paper(name, read_paper_file(folder), kept_numbers(folder))]
    return page


def kept_numbers(folder: Path) -> list[JudgedNumber]:
    """The numbers that were found when the paper was made last."""
    return read_numbers(folder / RESULTS / NUMBERS)


def _paper(name: str, paper: PaperFile, numbers: list[JudgedNumber]) -> Iterator[str]:
    yield f"## {paper.title}"
    yield ""
    readings = {item.name for item in paper.items if item.of}
    own = [each for each in numbers if each.item not in readings]
    total = listed([f"{count} {verdict}" for verdict, count in verdict_counts(own).items()])
    logs = listed([f"`{Path(log.file).name}`" for log in paper.logs])
    counted = f" Of {len(own)} numbers and claims: {total}." if own else ""
    yield f"`batchscope paper {name}`, on {logs}.{counted}"
    for item in paper.items:
        if item.of:
            continue
        yield from _item(item, [each for each in own if each.item == item.name])
        if item.command == "rank":
            yield from _boards(paper.folder / RESULTS / item.slug)
        missed = {each.text for each in own if each.item == item.name and each.verdict == ClaimResult.NOT}
        for reading in paper.items:
            if reading.of == item.name:
                found = [each for each in numbers if each.item == reading.name]
                # A study has all of its findings again; those that were found need no other reading.
                study = reading.command == "sweep"
                yield from _reading(reading, [each for each in found if not study or each.text in missed])


def _boards(folder: Path) -> Iterator[str]:
    """The kept tables of a ranking: the policies, and what tells the logs apart."""
    for name in ("board", "logs"):
        yield from ("", *(folder / f"{name}.md").read_text("utf-8").splitlines())


def _reading(item: PaperItem, numbers: list[JudgedNumber]) -> Iterator[str]:
    yield from ("", f"*Read otherwise.* {item.caption}. `{' '.join(item.words)}`")
    yield from _table(numbers)


def _item(item: PaperItem, numbers: list[JudgedNumber]) -> Iterator[str]:
    yield from ("", f"**{item.name[0].upper()}{item.name[1:]}.** {item.caption}. `{' '.join(item.words)}`")
    if item.note:
        yield from ("", item.note)
    yield from _table(numbers)


def _table(numbers: list[JudgedNumber]) -> Iterator[str]:
    if numbers:
        yield from (
            "",
            "| number or claim | log | paper | found | verdict |",
            "| --- | --- | --: | --: | --- |",
        )
    for each in numbers:
        cells = [each.text, each.log, each.paper, each.found, each.verdict]
        yield f"| {' | '.join(map(markdown_text, cells))} |"


if __name__ == "__main__":
    for results in map(Path, sys.argv[1:]):
        (kept := papers()[results.name] / RESULTS).mkdir(exist_ok=True)
        shutil.copyfile(results / RESULTS / NUMBERS, kept / NUMBERS)
        for item in read_paper_file(papers()[results.name]).items:
            if item.command == "rank":
                (kept / item.slug).mkdir(exist_ok=True)
                for name in ("board.csv", "board.md", "logs.csv", "logs.md", "ranks.csv"):
                    shutil.copyfile(results / RESULTS / item.slug / name, kept / item.slug / name)
    PAGE.write_text("\n".join(lines()) + "\n", "utf-8")
