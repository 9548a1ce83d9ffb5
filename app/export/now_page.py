"""A page for browsers in a single file: waiting jobs with their planned starts, sortable and searchable."""

from __future__ import annotations

from collections.abc import Container, Sequence

from app.export.queue_page import web_page
from engine.shown_text import html_text

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
h1 { font-size: 1.3em }
input { font: inherit; padding: .3em .6em; width: 100%; max-width: 20em; margin-bottom: 1em }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3em .8em; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884 }
th { position: sticky; top: 0; background: Canvas; cursor: pointer }
.alert, .old { border-left: .3em solid #d33; padding-left: .7em }
td.left, th.left { text-align: left }
tbody tr:hover { background: #8882 }
@media (max-width: 40em) {
  body { margin-top: 1em; font-size: 14px }
  th, td { padding: .4em .5em }
  .account, .partition { display: none }
}
"""

_SCRIPT = """
const rows = () => [...document.querySelectorAll("tbody tr")];
document.querySelector("input").addEventListener("input", event => {
  const words = event.target.value.toLowerCase();
  for (const row of rows()) row.hidden = !row.textContent.toLowerCase().includes(words);
});
document.querySelectorAll("th").forEach((head, column) => head.addEventListener("click", () => {
  const up = head.dataset.up !== "1";
  head.dataset.up = up ? "1" : "0";
  const text = row => row.cells[column].textContent.replace(/(\\d),(?=\\d{3})/g, "$1");
  const unknown = row => text(row) === "–";
  const order = (a, b) => text(a).localeCompare(text(b), undefined, { numeric: true });
  const sorted = (a, b) => unknown(a) - unknown(b) || (up ? order(a, b) : order(b, a));
  const body = document.querySelector("tbody");
  for (const row of rows().sort(sorted)) body.append(row);
  for (const other of document.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
}));
for (const head of document.querySelectorAll("th")) {
  head.tabIndex = 0;
  head.addEventListener("keydown", event => { if (event.key === "Enter") head.click(); });
}
"""


_RENEWED = """
const box = document.querySelector("input"), age = document.querySelector(".age");
const printed = Number(age.dataset.printed), every = Number(age.dataset.every);
const told = seconds => seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min`
  : `${Math.round(seconds / 3600)} h`;
function tellAge() {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - printed));
  const old = seconds > 3 * every;
  age.classList.toggle("old", old);
  age.textContent = `This queue was printed ${told(seconds)} ago` + (old
    ? `, and should be renewed every ${told(every)}: what renews it has stopped or fails.` : ".");
}
if (printed) { tellAge(); setInterval(tellAge, 5000); }
box.value = sessionStorage.getItem("search") || "";
box.dispatchEvent(new Event("input"));
setTimeout(() => { sessionStorage.setItem("search", box.value); location.reload(); }, 1000 * every);
"""
"""Tells by the reader's clock how old the page is, and loads it again; what is searched for stays."""

_LESS = ("account", "partition")
"""Columns that are left out where the page is as narrow as a phone; the search finds them all the same."""


def _classes(head: str, words: bool) -> str:
    found = [*(["left"] if words else []), *([head] if head in _LESS else [])]
    return f' class="{" ".join(found)}"' if found else ""


def now_page(
    title: str,
    summary: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Container[int],
    *,
    alerts: Sequence[str] = (),
    renewed: tuple[int | None, int] | None = None,
) -> str:
    """The page; columns whose numbers are in `left` are words. Names are shown as text, never as markup.

    `alerts` stand above the table. A page that is `renewed` was printed at a time, Unix seconds or None, and
    is written again every so many s: it says how old it is, and loads itself again.
    """

    # Every text goes through `html_text`: names of jobs and users come from the queue and may be markup.
    def cells(texts: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{_classes(heads[place], place in left)}>{html_text(text)}</{tag}>"
            for place, text in enumerate(texts)
        )

    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    script, above = (
        _SCRIPT,
        "".join(f'<p class="alert" role="alert">{html_text(text)}</p>\n' for text in alerts),
    )
    # A page without a known time of printing says so, and still loads itself again.
    if renewed is not None:
        printed, every = renewed
        above += f'<p class="age" data-printed="{printed or ""}" data-every="{every}"></p>\n'
        script += _RENEWED
    content = f"""{above}<input type="search" placeholder="Search" aria-label="Search">
<div class="wide" role="region" aria-label="Waiting jobs" tabindex="0"><table>
<thead><tr>{cells(heads, "th")}</tr></thead>
<tbody>
{body}
</tbody>
</table></div>
<script>{script}</script>"""
    return web_page(title, summary, _STYLE, content)
