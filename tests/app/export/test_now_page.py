"""The page for users in a browser as narrow as a phone; skipped where there is no Chromium."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.export.now_page import now_page
from app.export.now_table import NOW_TITLES, NOW_WORDS

CHROMIUM = shutil.which("chromium")
ROWS = [
    ["1", "ann", "physics", "batch", "512", "2026-01-01 10:00", "–", "–", "–", "its turn"],
    ["2", "bob", "chemistry", "batch", "1,024", "2026-01-01 09:00", "–", "–", "–", "priority"],
    ["3", "eve", "physics", "gpu", "64", "–", "–", "–", "–", "held"],
]
_DRIVE = """<script>
const out = {};
const seen = () => rows().filter(row => !row.hidden).map(row => row.cells[0].textContent).join(" ");
const heads = [...document.querySelectorAll("th")], box = document.querySelector("input");
const search = words => { box.value = words; box.dispatchEvent(new Event("input")); return seen(); };
const sort = (column, key) => {
  if (key) heads[column].dispatchEvent(new KeyboardEvent("keydown", { key })); else heads[column].click();
  return `${seen()} ${heads[column].getAttribute("aria-sort")}`;
};
out.account = search("PHYSICS");
out.nobody = search("zoe");
out.all = search("");
out.cpus = [sort(4), sort(4)];
out.starts = [sort(5, "Enter"), sort(5, "Enter")];
out.width = [innerWidth, document.documentElement.scrollWidth];
out.hidden = getComputedStyle(heads[2]).display;
parent.postMessage(JSON.stringify(out), "*");
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_page_is_searched_and_sorted_on_a_phone(tmp_path: Path) -> None:
    page = now_page("Queue", "three jobs wait", NOW_TITLES, ROWS, NOW_WORDS)
    (tmp_path / "page.html").write_text(page.replace("</body>", _DRIVE), "utf-8")
    (tmp_path / "phone.html").write_text(
        "<body><script>addEventListener('message', said => document.body.dataset.said = said.data)</script>"
        "<iframe src='page.html' width='390' height='844' style='border: 0'></iframe></body>",
        "utf-8",
    )
    found = _said(tmp_path / "phone.html", tmp_path)
    assert found["account"] == "1 3"  # in a column that is hidden here
    assert found["nobody"] == ""
    assert found["all"] == "1 2 3"
    assert found["cpus"] == ["3 1 2 ascending", "2 1 3 descending"]
    assert found["starts"] == ["2 1 3 ascending", "1 2 3 descending"]  # unknown starts stay last
    assert found["hidden"] == "none"
    assert found["width"] == [390, 390]


def _said(path: Path, folder: Path) -> Any:
    """What the page told its frame, in a browser without a window."""
    assert CHROMIUM is not None
    browser = f"--user-data-dir={folder / 'browser'}"
    call = (
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom"),
        *("--allow-file-access-from-files", "--virtual-time-budget=5000", browser),
        path.as_uri(),
    )
    printed = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True).stdout
    match = re.search(r'data-said="([^"]*)"', printed)
    assert match is not None, printed[:500]
    return json.loads(html.unescape(match[1]))
