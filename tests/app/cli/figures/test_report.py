"""A report from the command line: one folder, whole or not there, the same bytes every time."""

import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from app.cli.main import main
from app.session.archive import read_session
from tests.app.cli.commands import Commands, small_log
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from tests.engine.report.changed_sites import write_changed_log

RUNS = ("-p", "easy", "-p", "recorded")


@pytest.fixture(scope="module", autouse=True)
def few_figures() -> Iterator[None]:
    """One kind of figures instead of nine, besides a difference: the tests of `figure` draw all kinds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.report.make.FIGURES", ("radar",))
        yield


class Page(HTMLParser):
    """Addresses, ids, tags and pictures without words of a page, whose tags have to be closed in order."""

    VOID = frozenset({"meta", "img", "br", "link", "hr", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.unnamed = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        self.ids += [value] if (value := given.get("id")) else []
        self.unnamed += tag == "img" and not given.get("alt")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_log(tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def folder(log: Path) -> Path:
    made = log.parent / "report"
    assert main(["report", str(log), *RUNS, "-o", str(made), "--quiet"]) == 0
    return made


def test_thousands_stand_apart_in_one_way(folder: Path) -> None:
    page = re.sub(r"base64,[^\"]*", "", (folder / "index.html").read_text("utf-8"))
    body = page[page.index("<main") :]
    assert not re.findall(r"\d,\d{3}\D", body)
    assert not re.findall(r"\d{5,} ?(?:s|jobs)\b", body)
    assert re.findall("\\d\u202f\\d{3}</td>", body)


def test_all_is_there_and_the_manifest_has_its_digests(folder: Path, log: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == files - {"manifest.json"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert manifest["inputs"]["small.swf"]["sha256"] == hashlib.sha256(log.read_bytes()).hexdigest()
    assert (manifest["runs"], manifest["baseline"]) == (["easy", "recorded"], "easy")
    assert {"figures/radar.pdf", "figures/radar.svg", "figures/difference-2.png"} <= files
    assert {"tables/metrics.csv", "tables/metrics.tex", "tables/ranking.csv", "session.batchscope"} <= files


def test_the_page_stands_alone(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.unnamed == 0
    assert page.tags.count("h1") == page.tags.count("main") == 1
    assert "script" not in page.tags
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        elif not link.startswith("data:image/png;base64,"):
            assert (folder / link).is_file(), link
    assert not re.search(r"https?://|@import|url\(", text)
    assert "Log: small, 12 jobs of 3 users" in text
    assert 'href="#figure-difference-2"' in text


def test_the_verdict_comes_before_all_numbers(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    titles = re.findall(r'<h2 id="section-\d+">([^<]*)</h2>', page)
    assert titles.index("Verdict") + 1 == titles.index("Metrics")
    assert titles.index("Metrics") < titles.index("Which run is best, and by what")
    assert page.index("only the expected share of the machine") < page.index(">Metrics</h2>")


def test_the_session_opens_the_runs_again(folder: Path, log: Path) -> None:
    session = read_session(folder / "session.batchscope")
    assert [run.policy for run in session.runs] == ["easy", "recorded"]
    assert Path(session.source.path) == log.resolve()
    assert session.source.relative == "../small.swf"


def test_workloads_of_runs_are_named_and_come_back(cli: Commands, log: Path, tmp_path: Path) -> None:
    capped, without = "easy with walltime_cap=1m", "easy with users=-1"
    made = tmp_path / "report"
    cli.done("report", log, "-p", "easy", "-p", capped, "-p", without, "-o", made, "--quiet")
    page = unescape(re.sub(r"base64,[^\"]*", "", (made / "index.html").read_text("utf-8")))
    for name, number in ((capped, 2), (without, 3)):  # the differences say which workload they are of
        assert name in page[page.index(f'id="figure-difference-{number}"') :][:3000]
    head = (made / "tables" / "metrics.csv").read_text("utf-8").partition("\n")[0].split(",")
    assert [name for name in head if name in ("easy", capped, without)] == ["easy", capped, without]
    assert [run.policy for run in read_session(made / "session.batchscope").runs] == ["easy", capped, without]


def test_a_second_report_has_the_same_bytes(folder: Path, log: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    own = folder / "notes.txt"
    own.write_text("of the user")
    assert main(["report", str(log), *RUNS, "-o", str(folder), "--quiet", "--force"]) == 0
    assert own.read_text() == "of the user"
    own.unlink()
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_overwritten_unasked(cli: Commands, folder: Path, log: Path, tmp_path: Path) -> None:
    outcome = cli("report", log, *RUNS, "-o", folder)
    assert outcome.status == 2
    assert "this folder is there and not empty; give --force to replace it" in outcome.complaint
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    outcome = cli("report", log, *RUNS, "-o", tmp_path / "mine", "--force")
    assert outcome.status == 2
    assert "name another folder" in outcome.complaint
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_nothing_half_written_is_left(
    cli: Commands, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.report.make.FIGURES", ("radar",))
    monkeypatch.setattr("app.report.make.write_session", full)
    outcome = cli("report", log, "-p", "easy", "-o", tmp_path / "out", "--quiet")
    assert outcome.status == 1
    assert "No space left on device" in outcome.err
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("-p", "easy", "--baseline", "fcfs"), "--baseline fcfs is not one of the compared policies"),
        (
            (
                "-p",
                "esy",
            ),
            "esy",
        ),
    ],
)
def test_what_is_wrong_is_reported_before_the_work(
    cli: Commands, log: Path, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    outcome = cli("report", log, *words, "-o", tmp_path / "out")
    assert outcome.status == 2
    assert complaint in outcome.complaint
    assert not (tmp_path / "out").exists()


def test_the_accuracy_of_a_site_stands_beside_its_own_run_alone(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.report.make._figures", lambda report: ())
    conf, log, output = tmp_path / "slurm.conf", tmp_path / "log", tmp_path / "out"
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL\n")
    rows = [job(JobID=number, Submit=clock(number), Start=clock(9 + number)) for number in (1, 2, 3)]
    log.write_text("\n".join((HEADER, *rows, "")))
    cli.done("report", log, "--cluster", conf, "-p", conf, "-p", "easy", "-o", output)
    for name in ("users.csv", "queues.csv"):
        table = pd.read_csv(output / "tables" / name, keep_default_na=False)
        name = f"site:{tmp_path.name}"
        assert table["policy"].tolist() == [f"{name} = site:{tmp_path}", "easy"]
        assert table["jobs"].tolist() == [3, 3]
        assert [text.startswith(f"{name}: ") for text in table["accuracy"]] == [True, False]


def test_a_change_of_rules_is_told_first(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.report.make._figures", lambda report: ())
    written = write_changed_log(tmp_path)
    sites = ["--before", f"site:{written.before}", "--after", f"site:{written.after}"]
    asked = ["report", written.log, "-p", "recorded", "--at", written.at]
    folder = tmp_path / "report"
    assert "give --after" in cli(*asked, *sites[:2], "-o", folder).complaint
    assert not folder.exists()
    cli.done(*asked, *sites, "-o", folder, "--quiet")
    told = cli.done("change", written.log, "--at", written.at, *sites, "--json", "--quiet").document
    text = unescape((folder / "index.html").read_text("utf-8"))
    assert text.index("Did the change help?</h2>") < text.index(told["sentence"]) < text.index("Methods</h2>")
    table = pd.read_csv(folder / "tables" / "change.csv")
    assert table["Jobs"].tolist() == [" ".join((each["by"], each["name"])).strip() for each in told["groups"]]
    assert table["Jobs before"].tolist() == [each["jobs"][0] for each in told["groups"]]
    assert "New rules, after" in (folder / "tables" / "change-models.csv").read_text("utf-8")


def test_fair_starts_and_the_audit_of_a_site_stand_in_a_report(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.report.make._figures", lambda report: ())
    conf, log, output = tmp_path / "slurm.conf", tmp_path / "log", tmp_path / "out"
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL\n")
    rows = [job(JobID=number, Submit=clock(number), Start=clock(9 + number)) for number in range(1, 9)]
    log.write_text("\n".join((HEADER, *rows, "")))
    asked = ("report", log, "--cluster", conf, "-p", "recorded", "-p", conf, "-p", "easy")
    cli.done(*asked, "--fair-starts", "--audit", "-o", output)
    text = unescape((output / "index.html").read_text("utf-8"))
    name = f"site:{tmp_path.name}"
    plain = re.sub("<[^>]+>", "", text)
    assert "Starts that later jobs put off</h2>" in text
    for run in (name, "easy"):
        assert f"{run}: none of 8 jobs starts later than if no later job had come" in plain
    metrics = pd.read_csv(output / "tables" / "metrics.csv")
    unfair = metrics[metrics["metric"] == "unfair_jobs"].iloc[0, 2:5]
    assert unfair.isna().tolist() == [True, False, False]
    audit = pd.read_csv(output / "tables" / "audit.csv")
    assert audit.columns[:3].tolist() == ["Audit", name, "easy"]
    assert audit.iloc[0, :3].tolist() == ["Rules that are broken", "none", "none"]
    reasons = audit[audit["Audit"].str.startswith("reasons of waits: resources, limits")]
    assert sorted(map(sorted, reasons[[name, "easy"]].to_numpy().tolist())) == [["checked", "–"]] * 2
    cli.done(*asked, "-o", tmp_path / "plain")
    assert "later jobs put off" not in (tmp_path / "plain" / "index.html").read_text("utf-8")
    assert not (tmp_path / "plain" / "tables" / "audit.csv").exists()
