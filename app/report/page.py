"""The page of a report for browsers: a single file, without scripts, for screens, phones and paper."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from engine.report import Section, Statement, TextTable
from engine.report.verdict import VERDICT
from engine.shown_text import html_text
from engine.words import spaced_thousands

_MINUS = re.compile(r"(?:(?<=^)|(?<=[( ]))-(?=[0-9])")
"""The hyphens of cells that stand for a minus: not those within a name."""

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #15191e; --line: #8886; --faint: #59636e;
  --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --ink: #e6e9ee; --faint: #a9b4c0; --link: #8ab4f8 }
}
* { box-sizing: border-box }
html { background: var(--back) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem 1.25rem 3rem;
  background: var(--back); color: var(--ink); overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem }
p, ul { margin: .5rem 0 } li { margin: .35rem 0 }
a { color: var(--link) }
a:focus-visible, .wide:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -999px } .skip:focus { position: static }
.faint, figcaption, caption { color: var(--faint); font-size: .9rem }
nav ol { columns: 2 16rem; padding-left: 1.4rem }
.wide { overflow-x: auto; margin: .8rem 0 }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { text-align: left; padding-bottom: .3rem }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: baseline; overflow-wrap: normal }
thead th { vertical-align: bottom }
@media (max-width: 40rem) { th, td { padding: .25rem .35rem } body { padding: .5rem .75rem 2rem } }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
figure { margin: 1.5rem 0; break-inside: avoid }
figure img { width: 100%; height: auto; background: #fff; border: 1px solid var(--line); border-radius: 4px }
footer { margin-top: 3rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .85rem }
@media print {
  @page { size: A4; margin: 16mm 14mm }
  :root { color-scheme: light; --back: #fff; --ink: #000; --faint: #444; --link: #000 }
  body { max-width: none; padding: 0; font-size: 10pt }
  nav, .skip { display: none } a { text-decoration: none }
  h2 { break-after: avoid } li, tr { break-inside: avoid } .wide { overflow: visible }
  table { font-size: 7.5pt } th, td { padding: .15rem .35rem }
  figure img { border: 0; max-height: 215mm; width: auto; max-width: 100% }
}
"""


@dataclass(frozen=True)
class ReportFigure:
    """A figure in the page: its kind, the run that a difference shows, words, picture and files beside it."""

    kind: str
    pair: int | None
    title: str
    caption: str
    png: bytes
    size: tuple[int, int]  # of the picture, pixels
    files: Sequence[str]

    @property
    def anchor(self) -> str:
        """Its name in links."""
        return f"figure-{self.kind}" + ("" if self.pair is None else f"-{self.pair + 1}")


@dataclass(frozen=True)
class ReportPage:
    """The content of the page, all of it as text: names are shown as text, never as markup."""

    title: str
    lead: Sequence[str]
    metrics: TextTable
    sections: Sequence[Section]
    figures: Sequence[ReportFigure]
    methods: Sequence[str]
    files: Sequence[tuple[str, str]]  # address and words
    note: str


def page_html(page: ReportPage) -> str:
    """The page."""
    sections = [(section.title, _section(section, page.figures)) for section in page.sections]
    # Who decides reads the verdict first, and needs no numbers of metrics for it.
    first = next((place + 1 for place, (title, _) in enumerate(sections) if title == VERDICT), 0)
    sections.insert(first, ("Metrics", _table(page.metrics)))
    titles = [*(title for title, _ in sections), "Figures", "Methods", "Files"]
    contents = "".join(
        f'<li><a href="#section-{number}">{html_text(title)}</a></li>'
        for number, title in enumerate(titles, 1)
    )
    parts = [part for _, part in sections]
    parts += ["".join(_figure(number, figure) for number, figure in enumerate(page.figures, 1))]
    parts += ["".join(f"<p>{html_text(text)}</p>" for text in page.methods)]
    files = (
        f'<li><a href="{html_text(quote(name))}">{html_text(words)}</a></li>' for name, words in page.files
    )
    parts += [f"<ul>{''.join(files)}</ul>"]
    body = "\n".join(
        f'<section aria-labelledby="section-{number}">\n'
        f'<h2 id="section-{number}">{html_text(title)}</h2>\n{part}\n</section>'
        for number, (title, part) in enumerate(zip(titles, parts, strict=True), 1)
    )
    lead = "".join(f"<p>{html_text(text)}</p>" for text in page.lead)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html_text(page.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{html_text(page.title)}</h1>
{lead}
</header>
<nav aria-label="Contents">
<ol>{contents}</ol>
</nav>
<main id="content">
{body}
</main>
<footer><p>{html_text(page.note)}</p></footer>
</body>
</html>
"""


def _section(section: Section, figures: Sequence[ReportFigure]) -> str:
    text = "".join(
        f"<li>{html_text(statement.text)}{_link(statement, figures)}</li>" for statement in section.statements
    )
    tables = "\n".join(map(_table, section.tables))
    return (f"<ul>{text}</ul>\n" if text else "") + tables


def _link(statement: Statement, figures: Sequence[ReportFigure]) -> str:
    """A link to the figure of a statement; empty if that could not be drawn."""
    for number, figure in enumerate(figures, 1):
        if (figure.kind, figure.pair) == (statement.figure, statement.pair):
            return f' <a href="#{html_text(figure.anchor)}">Figure&nbsp;{number}</a>'
    return ""


def _number(cell: str) -> str:
    """A cell with its numbers as sentences have them: thin spaces between thousands, and signs of minus."""
    return _MINUS.sub("−", spaced_thousands(cell))


def _table(table: TextTable) -> str:
    # A number and its sign of percent stay on the same line.
    head, *rows = ([cell.replace(" %", "\u00a0%") for cell in row] for row in table.rows)
    rows = [[first, *map(_number, rest)] for first, *rest in rows]
    titles = "".join(f'<th scope="col">{html_text(text)}</th>' for text in head)
    body = "\n".join(
        f'<tr><th scope="row">{html_text(first)}</th>'
        + "".join(f"<td>{html_text(text)}</td>" for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    label = html_text(table.caption)
    return (
        f'<section class="wide" tabindex="0" aria-label="{label}">\n<table>\n'
        f"<caption>{html_text(table.caption)}</caption>\n<thead><tr>{titles}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n</section>"
    )


def _figure(number: int, shown: ReportFigure) -> str:
    width, height = shown.size
    links = ", ".join(
        f'<a href="{html_text(name)}">{html_text(name.rpartition(".")[2].upper())}</a>'
        for name in shown.files
    )
    return (
        f'<figure id="{html_text(shown.anchor)}">\n'
        f'<img src="data:image/png;base64,{b64encode(shown.png).decode("ascii")}" width="{width}" '
        f'height="{height}" alt="{html_text(shown.title)}">\n'
        f"<figcaption>Figure {number}. {html_text(shown.title)}. {html_text(shown.caption)} "
        f"({links})</figcaption>\n"
        "</figure>\n"
    )
