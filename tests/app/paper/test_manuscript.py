"""The frame of a paper fits its pages, whatever its logs, items and policies are called."""

import random
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from app.export.formats import TitledTable, write_formats
from app.paper.manuscript import MANUSCRIPT, write_manuscript
from engine.sweep.paper_file import PaperFile, read_paper_file
from tests.app.export.latex_compiler import complaints, has_packages, long_name, long_text
from tests.app.export.test_latex_table import generated

ITEM = """
[[{kind}]]
name = '{kind} {number}'
run = "compare log-0 -p '{policy}' -p 'metric:bf=0.5,window=4,estimate=survival0.95'"
caption = '{caption}'
"""


def paper_of_long_names(folder: Path, chance: random.Random) -> PaperFile:
    """A paper with logs, policies and captions of long names."""
    parts = [f"title = '{long_text(chance)}'", "cites = ['tang2013']"]
    for number in range(4):
        file = f"{'SDSC-BLUE_2000-' * number}4.2-cln.swf.gz"
        parts.append(f"[[logs]]\nname = 'log-{number}'\nfile = '{file}'\nsha256 = '{'0123456789abcdef' * 4}'")
    for kind in ("figures", "tables"):
        parts += [
            ITEM.format(kind=kind, number=number, policy=long_name(chance), caption=long_text(chance)[:250])
            for number in range(6)
        ]
    (folder / "paper.toml").write_text("\n".join(parts), "utf-8")
    return read_paper_file(folder)


@pytest.mark.skipif(
    not has_packages("booktabs", "caption", "array", "graphicx"), reason="LaTeX or a package is not installed"
)
def test_nothing_of_a_paper_with_long_names_is_too_large_for_its_page(tmp_path: Path) -> None:
    chance = random.Random(5)
    paper = paper_of_long_names(tmp_path, chance)
    for item, size in zip(paper.items, [(3, 20), (30, 3), (5, 5)] * 4, strict=True):
        if item.kind == "figures":
            Figure(figsize=size).savefig(tmp_path / f"{item.slug}.pdf")
        else:
            table = TitledTable(*generated(chance), caption=long_text(chance))
            write_formats(tmp_path / item.slug, table)
    write_manuscript(paper, paper.items, tmp_path)
    text = (tmp_path / MANUSCRIPT).read_text("utf-8")
    assert text.count("\\includegraphics") == text.count("\\input{") == 6
    assert complaints(tmp_path / MANUSCRIPT) == []
