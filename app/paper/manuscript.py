r"""The frame of a paper in LaTeX: its figures and tables with their captions, its methods, and references.

It is a beginning for the author, to be copied: it is written anew whenever the paper is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from app.export.formats import CAPTION
from app.export.latex_table import breakable
from app.paper.citations import PROGRAM, bibliography
from engine.sweep.paper_file import PaperFile, PaperItem
from engine.words import listed

MANUSCRIPT, REFERENCES = "paper.tex", "references.bib"

_HEAD = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{graphicx}
\usepackage{array}
\usepackage{booktabs}
\usepackage{caption}
\captionsetup{justification=raggedright}
"""

_PICTURE = "width=\\linewidth,height=.85\\textheight,keepaspectratio"
"""How large a picture is: no higher than leaves room for its caption on the page."""

_SHORT = 300
"""Letters of a caption that stands above or below the highest table on one page."""


def write_manuscript(paper: PaperFile, items: Sequence[PaperItem], folder: Path) -> None:
    """Write the frame and the BibTeX of a paper into a folder that has the outputs of its items."""
    names = list(dict.fromkeys([PROGRAM, *paper.cites]))
    (folder / REFERENCES).write_text(bibliography(names), "utf-8", newline="")
    (folder / MANUSCRIPT).write_text(_text(paper, items, folder, names), "utf-8", newline="")


def _text(paper: PaperFile, items: Sequence[PaperItem], folder: Path, names: Sequence[str]) -> str:
    parts = [
        f"{_HEAD}\\title{{{breakable(paper.title)}}}",
        "\\begin{document}\n\\maketitle",
        f"\\section{{Methods}}\n{methods_text(paper)}",
        "\\section{Results}",
        *(block for item in items for block in _blocks(item, folder)),
        f"\\nocite{{{','.join(names)}}}",
        "\\bibliographystyle{plain}\n\\bibliography{references}",
        "\\end{document}\n",
    ]
    return "\n\n".join(parts)


def methods_text(paper: PaperFile) -> str:
    """The methods in LaTeX: the program, the logs with their digests, and the command of each item.

    Lines end ragged: names of files and policies are too long to fill lines evenly.
    """
    lines = [
        f"{{\\raggedright All schedules were simulated with Batchscope {breakable(version(PROGRAM))}"
        f"~\\cite{{{PROGRAM}}}; the same logs and commands give the same numbers."
    ]
    if paper.logs:
        logs = [
            f"{breakable(Path(log.file).name)}"
            + (f" (SHA-256 \\texttt{{{log.sha256[:12]}}}\\,\\ldots)" if log.sha256 else "")
            for log in paper.logs
        ]
        lines.append(f"The logs are {listed(logs)}.")
    # Names stand in the text and not as labels, which cannot be broken.
    commands = [
        f"\\item \\textbf{{{breakable(item.name)}}}: {breakable(' '.join(item.words))}"
        for item in paper.items
    ]
    lines.append(
        "Figures and tables are made by these commands of the program:\n"
        "\\begin{itemize}\\raggedright\n" + "\n".join(commands) + "\n\\end{itemize}\n\\par}"
    )
    return "\n".join(lines)


def _blocks(item: PaperItem, folder: Path) -> Iterator[str]:
    """The floats of an item: a picture, or each table or picture of a study's folder."""
    caption = breakable(item.caption or item.name)
    for path in [folder / f"{item.slug}.pdf", *sorted((folder / item.slug).rglob("*.pdf"))]:
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield _float("figure", f"\\includegraphics[{_PICTURE}]{{{name}}}", item, caption)
    for path in [folder / f"{item.slug}.tex", *sorted((folder / item.slug).rglob("*.tex"))]:
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            text = path.read_text("utf-8")
            own = caption_in(text)
            full = " ".join(filter(None, [f"{caption.rstrip('.')}.", own]))
            content = f"\\input{{{name}}}"  # which is no wider than a page
            # A float cannot be broken between pages: what has several tabulars is set in the text, and what
            # could leave no room to its caption.
            if text.count("\\begin{tabular}") > 1 or len(full) > _SHORT:
                yield _in_text(content, item, full)
            else:
                yield _float("table", content, item, full)


def caption_in(text: str) -> str:
    """The caption that a table in LaTeX has as a comment; empty without one."""
    own = (line for line in text.splitlines()[:2] if line.startswith(CAPTION))
    return next(own, "").removeprefix(CAPTION).removesuffix("}")


def _float(kind: str, content: str, item: PaperItem, caption: str) -> str:
    return (
        f"\\begin{{{kind}}}[htbp]\n\\centering\n{content}\n"
        f"\\caption{{{caption}}}% {' '.join(item.name.split())}\n\\end{{{kind}}}"
    )


def _in_text(content: str, item: PaperItem, caption: str) -> str:
    return (
        f"\\begin{{center}}\n\\captionof{{table}}{{{caption}}}% {' '.join(item.name.split())}\n"
        f"\\par\\medskip\n{content}\n\\end{{center}}"
    )
