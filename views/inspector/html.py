"""Pieces of a page: text from logs is escaped here, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import NewType

from engine.shown_text import format_name, html_text, is_named
from engine.trace import Trace
from views.data.results import Result
from views.text.counts import format_count
from views.text.values import duration
from views.theme.palette import square_of
from views.theme.theme import Theme

Html = NewType("Html", str)
"""Text that is safe to show as it is."""


def text(plain: object) -> Html:
    """Anything, as text and not as markup; Qt would break lines at the thin spaces within numbers."""
    return Html(html_text(plain).replace("\u202f", "\u00a0"))


def unbroken(plain: str) -> Html:
    """Text that is never broken into lines."""
    return Html(text(plain).replace(" ", "\u00a0"))


def join(parts: Iterable[Html], between: str = "") -> Html:
    """Concatenate pieces."""
    return Html(html_text(between).join(parts))


def title(words: Html) -> Html:
    """The heading of a page."""
    return Html(f"<h2>{words}</h2>")


def section(words: Html) -> Html:
    """The heading of a part."""
    return Html(f"<h3>{words}</h3>")


def anchor(name: str) -> Html:
    """A target that the page is scrolled to."""
    return Html(f'<a name="{html_text(name)}"></a>')


def paragraph(words: Html) -> Html:
    """A sentence or two."""
    return Html(f"<p>{words}</p>")


def faint(words: Html) -> Html:
    """Secondary text."""
    return Html(f'<span class="faint">{words}</span>')


def bullets(lines: Iterable[Html]) -> Html:
    """A list; nothing where it has no lines."""
    items = "".join(f"<li>{line}</li>" for line in lines)
    return Html(f"<ul>{items}</ul>" if items else "")


_EXPLAINED = {
    "Area": "area",
    "Bounded slowdown": "bounded_slowdown",
    "Expected end": "eet",
    "Late": "veet",
    "Late by": "tardiness",
    "Mean wait": "wait",
    "Slowdown": "bounded_slowdown",
    "Wait": "wait",
    "Waited": "wait",
    "weighted tardiness": "wt",
}
"""Words with a term of their own, by its key in `views.text.terms`."""

TERM = "term:"
"""What a link to the explanation of a term begins with."""


def explained(words: str) -> Html:
    """Words with a dotted underline and a link to their explanation, if they have an explanation."""
    key = _EXPLAINED.get(words)
    return text(words) if key is None else Html(f'<a class="term" href="{TERM}{key}">{text(words)}</a>')


def facts(pairs: Iterable[tuple[str, Html]]) -> Html:
    """Names of things at the left, what they are at the right."""
    rows = "".join(
        f'<tr><td class="faint">{explained(name)}</td><td>{value}</td></tr>' for name, value in pairs
    )
    return Html(f'<table cellspacing="0" cellpadding="2">{rows}</table>')


def swatched(lines: Iterable[tuple[str, Html]]) -> Html:
    """Sentences, each after a square of a colour."""
    rows = "".join(f'<tr><td style="color: {colour}">■</td><td>{line}</td></tr>' for colour, line in lines)
    return Html(f'<table cellspacing="0" cellpadding="2">{rows}</table>')


_NARROWEST = 260
"""Pixels for the text of a table on a page as wide as the inspector is at first, beside its scroll bar."""


def table(heads: Sequence[str], rows: Iterable[Sequence[Html]], words: int = 1) -> Html:
    """Columns: the first `words` of them at the left, numbers at the right."""
    sides = ["left"] * words + ["right"] * (len(heads) - words)
    kept = list(rows)
    wide = _widths(heads, kept)
    columns = list(zip(sides, wide, strict=True))
    lines = [join(_cell("th", *column, explained(head)) for column, head in zip(columns, heads, strict=True))]
    lines += [
        join(_cell("td", *column, cell) for column, cell in zip(columns, row, strict=True)) for row in kept
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return Html(f'<table cellspacing="0" cellpadding="2" width="99%">{body}</table>')


def _widths(heads: Sequence[str], rows: Sequence[Sequence[Html]]) -> list[str]:
    """The attribute `width` of each column: of names of runs as much as the other columns leave.

    Without it Qt breaks words and numbers beside them, and names even at a hyphen.
    """
    needed = [
        _longest("[^ ]+" if head != "Run" else "[^:,\u200b]+", [text(head), *(row[k] for row in rows)])
        for k, head in enumerate(heads)
    ]
    others = sum(width for width, head in zip(needed, heads, strict=True) if head != "Run")
    most = min(120, max(_NARROWEST - others, 60))
    return [
        f' width="{min(width, most)}"' if head == "Run" else ""
        for width, head in zip(needed, heads, strict=True)
    ]


def _longest(part: str, cells: Iterable[Html]) -> int:
    """The width in pixels of the longest unbreakable part of these cells."""
    plain = (unescape(re.sub("<[^>]*>", "", cell)) for cell in cells)
    return round(6.8 * max((len(word) for cell in plain for word in re.findall(part, cell)), default=0)) + 8


def _cell(tag: str, side: str, width: str, content: Html) -> Html:
    whole = ' style="white-space: nowrap"' if (tag, side) == ("td", "right") else ""
    return Html(f'<{tag} align="{side}"{width}{whole}>{content}</{tag}>')


def job_link(trace: Trace, job: int) -> Html:
    """A job by the log's id; a click selects it."""
    return Html(f'<a href="job:{int(job)}">{text(trace.shown_id(job))}</a>')


def user_link(trace: Trace, user: int) -> Html:
    """A user; a click selects it."""
    return Html(f'<a href="user:{int(user)}">{text(trace.user.shown[user])}</a>')


def queue_link(trace: Trace, queue: int) -> Html:
    """A queue; a click selects it. Of a job that had none there is nothing to click."""
    name = trace.queue.names[queue]
    words = text(format_name("queue", name))
    return Html(f'<a href="queue:{int(queue)}">{words}</a>') if is_named("queue", name) else words


def node_link(result: Result, node: int, name: str) -> Html:
    """A node of a run's machine; a click selects it with the jobs that ran there."""
    return Html(f'<a href="node:{result.run_id},{int(node)}">{text(name)}</a>')


def time_link(words: str, time: float) -> Html:
    """A point in time; a click shows it in the charts."""
    return Html(f'<a href="time:{float(time)}">{text(words)}</a>')


def measure_link(words: str, span: tuple[float, float] | None) -> Html:
    """A range of time, s; a click has it measured alone, and with None all of the time."""
    ends = "" if span is None else f"{round(span[0])},{round(span[1])}"
    return Html(f'<a href="measure:{ends}">{text(words)}</a>')


def run_name(result: Result) -> Html:
    """The name of a run in its colour; its spelling may break after `:`, `,` and `+`."""
    spelling = str(text(result.name))
    for sign in ":,+":
        spelling = spelling.replace(sign, f"{sign}\u200b")
    square = square_of(result.colour)
    return Html(f'<span style="color: {result.colour}">{square}</span>&nbsp;{spelling}')


def exactly(seconds: int) -> Html:
    """A length of time for people and, where that is not the same, in seconds."""
    words = text(duration(seconds))
    if abs(seconds) < 60:
        return words
    return Html(f"{words} {faint(text(f'({format_count(seconds)} s)'))}")


def style_sheet(theme: Theme) -> str:
    """Colours and distances of all pages."""
    return f"""
        body {{ color: {theme.text}; }}
        a {{ color: {theme.link}; text-decoration: none; }}
        h2 {{ font-size: large; margin: 2px 0 6px 0; }}
        h3 {{ font-size: medium; margin: 12px 0 3px 0; }}
        p, ul {{ margin: 3px 0 3px 0; }}
        ul {{ -qt-list-indent: 1; }}
        th {{ color: {theme.faint}; font-weight: normal; }}
        .term {{ color: {theme.faint}; }}
        .faint {{ color: {theme.faint}; }}
        .bad {{ color: {theme.bad}; }}
        .good {{ color: {theme.good}; }}
    """
