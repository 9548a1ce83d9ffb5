"""Tables for LaTeX fit a page: by the lines that are written, and compiled where LaTeX is installed."""

import random
import re
from pathlib import Path

import pytest

from app.export.latex_table import HEIGHT, PAGE, breakable, latex
from engine.shown_text import latex_text
from tests.app.export.latex_compiler import complaints, long_name, long_text, with_latex

POLICIES = [f"metric:bf=0.{k},window={k},estimate=survival0.95" for k in range(1, 9)]
LONG = "Shortest first with predicted runtimes waits less than with what users request, on all logs"
TABLES = {
    "narrow": (["Metric", "Unit", "easy"], [["Mean wait", "s", "1 234.5"]]),
    "spellings": (["Metric", "Unit", *POLICIES], [["Mean wait", "s", *["123,456 (+12.3 %)"] * 8]] * 3),
    "sentences": (["Finding", "Paper", "KTH-SP2", "CTC-SP2"], [[LONG, "90", "reproduced (89.1)", "–"]] * 2),
    "keys": (
        ["Policy", "estimate", "threshold", "Metric", "Unit", *[f"LOG-{k}-1996" for k in range(6)], "Paper"],
        [["easy-sjbf:order=saf,estimate=hierarchy", "scaled10", "30m", "Weighted response norm (l2)",
          "% of easy", *["12,345.6 ± 1,234.5"] * 6, "at least 95; at most 120"]] * 4,
    ),
    "words": (["Log", "How far the site is to be believed"], [["LOG", LONG * 3]]),
    "many": (["Metric", "Unit", *[f"{k}" for k in range(60)]], [["Wait & more", "%", *["−0.5"] * 60]]),
    "marks": (["ø", "%"], [["a_b ≤ 5 × 3² ± 1 – 2", "{}~^"]]),
}  # fmt: skip


def test_a_table_that_fits_is_plain() -> None:
    lines = latex(*TABLES["narrow"]).splitlines()
    assert lines[:3] == ["% needs \\usepackage{booktabs}", "\\noindent", "\\begin{tabular}{llr}"]


def test_wide_tables_have_wrapped_words_and_parts() -> None:
    assert re.search(r"p\{\d+pt\}", latex(*TABLES["sentences"]))
    assert latex(*TABLES["many"]).count("\\begin{tabular}") > 1
    assert "\\shortstack" in latex(*TABLES["spellings"])


@pytest.mark.parametrize("name", list(TABLES))
def test_every_cell_is_written_once_and_words_in_each_part(name: str) -> None:
    titles, rows = TABLES[name]
    text = latex(titles, rows)
    parts = text.count("\\begin{tabular}")
    for line in re.findall(r"^(?!\\).* & .*$", text, re.MULTILINE)[:1]:
        assert line.count(" & ") >= 1
    cells = sum(line.count(" & ") + 1 for line in text.splitlines() if line.endswith(r"\\"))
    keys = cells - (len(rows) + 1) * len(titles)
    assert keys % (len(rows) + 1) == 0
    assert (keys > 0) == (parts > 1)


def test_two_equal_columns_stand_in_one_part_each() -> None:
    titles = ["Metric", "Unit", *["123456"] * 60]
    text = latex(titles, [["Wait", "s", *["1.5"] * 60]])
    assert text.count("\\begin{tabular}") > 1
    assert text.count("123456") == 60


def test_high_tables_go_over_pages_by_the_lines_that_they_have() -> None:
    def rows(table: str) -> list[int]:
        return [part.count("\\\\\n") - 1 for part in table.split("\\begin{tabular}")[1:]]

    low = rows(latex(["Metric", "Unit", "easy"], [["Wait", "s", "1"]] * 100))
    assert sum(low) == 100
    assert low[:2] == [37, 37]  # of 12 points, below a line of titles
    high = rows(latex(["Finding", "Found"], [[LONG * 4, LONG * 4]] * 40))
    assert sum(high) == 40
    assert set(high[:-1]) == {4}  # of eleven lines of 9.5 points and more each


def test_a_row_that_no_page_holds_goes_on_in_further_rows() -> None:
    sentence = LONG + ". "
    text = latex(["Finding", "Found", "Paper"], [["easy", "all", "1"], [sentence * 200, "few", "2"]])
    _, *tabulars = text.split("\\begin{tabular}")
    bodies = [re.search(r"\\midrule\n(.*) \\\\\n\\bottomrule", part, re.DOTALL) for part in tabulars]
    parts = [row for body in bodies if body for row in body[1].split(" \\\\\n")]
    cells = [row.split(" & ") for row in parts]
    assert len(tabulars) > 2
    assert [cell[1:] for cell in cells] == [["all", "1"], ["few", "2"], *[["", ""]] * (len(cells) - 2)]
    assert "".join("".join(cell[0] for cell in cells[1:]).split()) == "".join((sentence * 200).split())


def test_long_names_can_be_broken_at_marks_and_numbers_cannot() -> None:
    name = "SDSC-SP2_1998:bf=0.5,window=4"
    assert breakable(name).replace("\\allowbreak{}", "") == latex_text(name)
    assert breakable(name).split("\\allowbreak{}") == [
        *("SDSC-", "SP2\\_", "1998:", "bf=", "0.5,", "window=", "4"),
    ]
    assert breakable("10,000 jobs of -5 to 1.5, and more") == "10,000 jobs of -5 to 1.5, and more"
    assert breakable("x" * 19) == "\\allowbreak{}".join(["x" * 9, "x" * 9, "x"])
    assert breakable("") == ""


@with_latex
@pytest.mark.parametrize("name", list(TABLES))
def test_no_box_is_overfull(tmp_path: Path, name: str) -> None:
    assert overfull([latex(*TABLES[name])], tmp_path) == []


@with_latex
def test_no_box_of_a_row_that_goes_on_is_overfull(tmp_path: Path) -> None:
    table = latex(["Finding", "Found", "Paper"], [["easy", "all", "1"], [LONG * 200, "few", "2"]])
    assert overfull([table], tmp_path) == []


@with_latex
def test_no_box_of_generated_names_and_texts_is_overfull(tmp_path: Path) -> None:
    chance = random.Random(57)
    assert overfull([latex(*generated(chance)) for _ in range(25)], tmp_path) == []


def generated(chance: random.Random) -> tuple[list[str], list[list[str]]]:
    """The titles and rows of a table with columns of numbers and of words."""
    columns, count = chance.choice([1, 3, 5, 9, 20]), chance.choice([0, 1, 5, 30])

    def cell(column: int) -> str:
        if column % 3:
            return f"{chance.uniform(-1e6, 1e6):,.{chance.choice([0, 1, 3])}f}"
        return long_text(chance) if columns < 9 else long_name(chance)

    titles = ["Policy", "Unit", *(long_name(chance) for _ in range(columns))]
    rows = [
        [long_name(chance), long_name(chance), *(cell(column) for column in range(columns))]
        for _ in range(count)
    ]
    return titles, rows


def overfull(tables: list[str], folder: Path) -> list[str]:
    """What LaTeX says is too large for a page, or wrong."""
    # The rules of booktabs, which a small installation lacks, are as wide as those of LaTeX itself.
    rules = "".join(f"\\newcommand{{\\{name}rule}}{{\\hline}}" for name in ("top", "mid", "bottom"))
    head = f"\\documentclass{{article}}\\usepackage[T1]{{fontenc}}\\usepackage{{textcomp,array}}{rules}"
    body = "\n\n".join(tables)  # as they are, as if each was pasted into a paragraph of its own
    (folder / "t.tex").write_text(f"{head}\\begin{{document}}\n{body}\n\\end{{document}}\n", "utf-8")
    assert (PAGE, HEIGHT) == (345.0, 480.0)  # of an article, with room for a caption
    return complaints(folder / "t.tex")
