"""A page for browsers: waiting jobs with their planned starts, without a script or any other file."""

from __future__ import annotations

from collections.abc import Sequence

from engine.shown_text import html_text

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
h1 { font-size: 1.3em }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3em .8em; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884 }
th { position: sticky; top: 0; background: Canvas }
.left { text-align: left }
tbody tr:hover { background: #8882 }
footer { margin-top: 1.5em; font-size: .85em; opacity: .75 }
"""

PAGE_BEGINS = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" [^>]*>\n'
    "<title>Queue (now|of )"
)
"""How pages of a queue begin, as a regular expression."""


def queue_page(
    title: str,
    summary: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Sequence[bool],
    note: str,
) -> str:
    """The page: a title, a summary, a table of texts, and the source.

    `left` marks the columns of words. Names are shown as text, never as markup.
    """
    sides = [' class="left"' if words else "" for words in left]

    def cells(texts: Sequence[str], tag: str) -> str:
        pairs = zip(texts, sides, strict=True)
        return "".join(f"<{tag}{side}>{html_text(text)}</{tag}>" for text, side in pairs)

    titles = cells(head, "th")
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    table = f"<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>" if rows else ""
    return web_page(title, summary, _STYLE, f"{table}\n<footer>{html_text(note)}</footer>")


def web_page(title: str, summary: str, style: str, content: str) -> str:
    """A page that needs no other file: a title and a summary, plain text, above `content`, which is HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html_text(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{html_text(title)}</h1>
<p>{html_text(summary)}</p>
{content}
</main>
</body>
</html>
"""
