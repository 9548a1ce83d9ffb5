"""Writes the page on the five papers, `resources/guide/papers.md`, from their folders and kept numbers.

`python -m tests.paper_page RESULTS…` also takes over the numbers of newly made papers, folders that have
the results of a paper of the same name.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from app.paper.carry_out import RESULTS
from app.paper.expected_numbers import NUMBERS, JudgedNumber, read_numbers, verdict_counts
from engine.shown_text import markdown_text
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
    counts = verdict_counts(numbers)
    total = listed([f"{count} {verdict}" for verdict, count in counts.items()])
    logs = listed([f"`{Path(log.file).name}`" for log in paper.logs])
    yield f"`batchscope paper {name}`, on {logs}. Of {len(numbers)} numbers and claims: {total}."
    for item in paper.items:
        yield from _item(item, [each for each in numbers if each.item == item.name])


def _item(item: PaperItem, numbers: list[JudgedNumber]) -> Iterator[str]:
    yield from ("", f"**{item.name[0].upper()}{item.name[1:]}.** {item.caption}. `{' '.join(item.words)}`")
    if item.note:
        yield from ("", item.note)
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
    PAGE.write_text("\n".join(lines()) + "\n", "utf-8")
