"""Tables for LaTeX fit a page: by the lines that are written, and compiled where LaTeX is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.export.latex_table import PAGE, latex

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
    assert lines[:2] == ["% needs \\usepackage{booktabs}", "\\begin{tabular}{llr}"]


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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize("name", list(TABLES))
def test_no_box_is_overfull(tmp_path: Path, name: str) -> None:
    assert overfull(latex(*TABLES[name]), tmp_path) == []


def overfull(table: str, folder: Path) -> list[str]:
    """What LaTeX says is too wide for a page, or wrong."""
    # The rules of booktabs, which a small installation lacks, are as wide as those of LaTeX itself.
    rules = "".join(f"\\newcommand{{\\{name}rule}}{{\\hline}}" for name in ("top", "mid", "bottom"))
    head = f"\\documentclass{{article}}\\usepackage[T1]{{fontenc}}\\usepackage{{textcomp,array}}{rules}"
    text = f"{head}\\begin{{document}}\\noindent\n{table}\n\\end{{document}}\n"
    (folder / "t.tex").write_text(text, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    lines = done.stdout.splitlines()
    assert PAGE == 345.0  # of an article
    return [line for line in lines if line.startswith(("Overfull \\hbox", "!"))]
