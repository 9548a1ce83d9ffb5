"""Names that try to break what they are written into: each file is read by its format's own parser."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet
import pytest

from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.shown_text import MOST, escaped, printable, shown_name
from tests.app.cli.commands import Commands

NAMES = (
    "\x1b[31mred\x07",
    "\u202eevil",
    r"\u202eevil",
    "two\nlines",
    "ta\tb",
    "a\rb",
    "<script>alert(1)</script>",
    '"onload=x',
    "a&b--]]>",
    "=cmd|'/c calc'!A0",
    "$x^2$ \\textbf{y}%",
    "line\u0085of\u2028end",
    "|`*_[x](y)",
    "x" * 10_000,
    "x" * 9_999 + "y",
    "plain",
)
CLUSTER = ("--cluster", "16c")
RUNS = ("-p", "easy", "-p", "fcfs", *CLUSTER)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Each user has two jobs; accounts, queues, job ids and the file have such names too."""
    path = tmp_path / "lo\x1b[1m\u202eg<b>&\n.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\r\n")
        rows.writerow(["job_id", "submit", "runtime", "walltime", "procs", "user", "group", "queue", "wait"])
        for k in range(2 * len(NAMES)):
            user, account, queue = (NAMES[(k + shift) % len(NAMES)] for shift in (0, 1, 2))
            rows.writerow([f"{k}{user[:20]}", 60 * k, 500, 600, 8, user, account, queue, 5 + k])
    return path


class Page(HTMLParser):
    """The tags of a page, its cells, and where its tags are not closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.cells: list[str] = []
        self.attributes: Counter[str] = Counter()
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        if tag not in ("meta", "input", "img", "br"):
            self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("td", "th"):
            self.cells[-1] += data


def page_of(path: Path) -> Page:
    text = path.read_text("utf-8")
    assert printable(text) == text
    return Page(text)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_converted_log_has_the_same_names(cli: Commands, log: Path, tmp_path: Path, suffix: str) -> None:
    cli.done("convert", log, tmp_path / f"new{suffix}")
    before, after = (read_log_as(path, Reading()).trace for path in (log, tmp_path / f"new{suffix}"))
    assert before.user.names == NAMES, "names are those of the log"
    for of in ("user", "group", "queue"):
        assert getattr(after, of).names == getattr(before, of).names
        assert (getattr(after, of).codes == getattr(before, of).codes).all()
    assert after.job_id.tolist() == before.job_id.tolist()


def test_a_header_tells_names_apart(cli: Commands, log: Path, tmp_path: Path) -> None:
    paths = tmp_path / "new.swf", tmp_path / "schedule.swf"
    cli.done("convert", log, paths[0])
    cli.done("simulate", log, *RUNS[:2], *CLUSTER, "-o", paths[1])
    for path in paths:
        text = path.read_text("utf-8")
        assert printable(text) == text
        named = re.findall(r"(?m)^; User: (\d+) (.*)$", text)
        assert named == [(str(k), escaped(name)) for k, name in enumerate(NAMES, 1)]
        assert len(read_log_as(path, Reading()).trace) == 2 * len(NAMES)


def test_schedules_for_programs_have_the_same_names(cli: Commands, log: Path, tmp_path: Path) -> None:
    for suffix in (".csv", ".parquet"):
        cli.done("simulate", log, "-p", "easy", *CLUSTER, "-o", tmp_path / f"s{suffix}")
    users = [row["user"] for row in rows_of(tmp_path / "s.csv")]
    assert users == list(NAMES) * 2
    assert pyarrow.parquet.read_table(tmp_path / "s.parquet")["user"].to_pylist() == users
    cli.done("eet", log, "-p", "easy", *CLUSTER, "-o", tmp_path / "eet.csv")
    assert [row["user"] for row in rows_of(tmp_path / "eet.csv")] == users
    assert cli.done("audit", log, tmp_path / "s.csv", *CLUSTER, "--json").document["clean"] is True


def test_documents_have_the_same_names(cli: Commands, log: Path, tmp_path: Path) -> None:
    found = cli.done("compare", log, *RUNS, "--by", "user", "--json")
    assert [group["name"] for group in found.document["runs"][0]["groups"]] == list(NAMES)
    assert printable(found.out) == found.out
    waiting = cli.done("queue", log, *RUNS[:2], *CLUSTER, "--at", "600", "--json").document["waiting"]
    assert {job["user"] for job in waiting} <= set(NAMES)
    groups = cli.done("difference", log, *RUNS, "--by", "account", "--json").document["groups"]
    assert {group["name"] for group in groups} == set(NAMES)
    cli.done("figure", "heatmap", log, *RUNS, "--data", tmp_path / "h.json", "-o", tmp_path / "h.png")
    text = (tmp_path / "h.json").read_text("utf-8")
    assert printable(text) == text
    assert {row["user"] for row in json.loads(text)["rows"]} <= set(NAMES)


def test_tables_of_text_have_a_line_for_each_name(cli: Commands, log: Path) -> None:
    lines = cli.done("compare", log, *RUNS, "--by", "user").out.split("by user")[1].splitlines()[2:18]
    cells = [re.match(r"(.*?)  +2 ", line) for line in lines]
    assert [cell and cell[1] for cell in cells] == [shown_name(name) for name in NAMES]
    _, _, *table = cli.done("queue", log, *RUNS[:2], *CLUSTER, "--at", "600").out.splitlines()
    assert max(map(len, table)) < 5 * MOST
    assert "\x1b" not in "".join(table)


def test_the_page_of_a_queue(cli: Commands, log: Path, tmp_path: Path) -> None:
    asked = ("queue", log, *RUNS[:2], *CLUSTER, "--at", "1800")
    waiting = cli.done(*asked, "--json").document["waiting"]
    assert len(waiting) > len(NAMES) // 2
    cli.done(*asked, "-o", tmp_path / "queue.html")
    page = page_of(tmp_path / "queue.html")
    assert not {"script", "img", "b"} & set(page.tags)
    assert set(page.attributes) <= {"lang", "charset", "name", "content", "class"}
    for of in ("job_id", "user"):
        assert {shown_name(job[of]) for job in waiting} <= set(page.cells)


def test_a_report(cli: Commands, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "report"
    monkeypatch.setattr("app.report.make.FIGURES", ("heatmap", "gains"))  # which name users
    cli.done("report", log, *RUNS, "-o", folder)
    page = page_of(folder / "index.html")
    assert "script" not in page.tags
    assert len(set(page.cells) & {shown_name(name) for name in NAMES}) > 5
    users = rows_of(folder / "tables" / "users.csv")
    assert [row["user"] for row in users] == [escaped(name) for name in NAMES] * 2
    for path in folder.rglob("*"):
        if path.suffix in (".csv", ".tex", ".json", ".svg"):
            text = path.read_text("utf-8")
            assert printable(text) == text, path.name
        if path.suffix == ".svg":
            about = [part.text for part in ElementTree.parse(path).iter() if part.tag.endswith("description")]
            assert str(about[0]).startswith(r"lo\x1b[1m\u202eg<b>&\n on 16c"), path.name
        if path.suffix == ".pdf":
            assert rb"lo\\x1b[1m\\u202eg<b>&\\n" in subject_of(path)
            drawn = characters_of(path)
            assert {"e", "x"} <= set(drawn)
            assert printable(drawn) == drawn, path.name
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["report"] == log.stem
    assert list(manifest["inputs"]) == [log.name]


def subject_of(path: Path) -> bytes:
    found = re.search(rb"/Subject \((.*?[^\\])\)", path.read_bytes(), re.DOTALL)
    assert found is not None
    return found[1]


def characters_of(path: Path) -> str:
    """The characters that the fonts of a PDF draw, as its maps to Unicode name them."""
    text = ""
    for data in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.DOTALL):
        try:
            stream = zlib.decompress(data)
        except zlib.error:
            continue  # not packed
        if b"beginbfrange" in stream:
            for codes in re.findall(rb"\[([^\]]*)\]", stream):
                text += bytes.fromhex(re.sub(rb"[<>\s]", b"", codes).decode()).decode("utf-16-be")
    return text


def test_latex_and_markdown(cli: Commands, log: Path, tmp_path: Path) -> None:
    shares = tmp_path / "sh\x1b_$%are|s*.csv"
    shares.write_text("user,share\nplain,2\n")
    policy = f"fairshare-easy:shares={shares}"
    tex = cli.done("compare", log, "-p", policy, *CLUSTER, "--format", "latex").out
    assert r"sh\textbackslash{}x1b\_\$\%are|s*." in tex  # a line of the title ends there
    text = cli.done("compare", log, "-p", policy, *CLUSTER, "--format", "markdown").out
    assert r"sh\\x1b\_\$%are\|s\*.csv" in text.splitlines()[0]
