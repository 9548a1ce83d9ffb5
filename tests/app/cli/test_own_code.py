"""Code of a user's own on the command line: `new`, and what names it."""

import json
from pathlib import Path

import pytest

import batchscope
from app.cli.main import main
from app.session.archive import read_session
from app.session.restore import read_saved_study
from engine.own import allowed_code
from engine.own.file import read_own_file
from engine.simulation.control import Control
from resources import example_path, template_path
from tests.app.cli.commands import small_log

LOG = [str(example_path()), "--jobs", "0:400"]


def test_the_template_runs_and_its_scheduler_is_easy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    assert main(["new", "policy", str(mine)]) == 0
    assert f"-p {mine}:wfp" in capsys.readouterr().out
    assert f"-p {mine}:Mean\n" in mine.read_text()
    own = ["wfp", "easy_again", "Mean,cautious=2"]
    policies = ["easy", "wfp3", *(f"{mine}:{name}" for name in own)]
    options = [word for policy in policies for word in ("-p", policy)]
    assert main(["compare", *LOG, "--cluster", "64c", *options, "--json", "--quiet"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["policy"] for run in runs] == policies
    easy, wfp3, wfp, again, mean = (run["metrics"]["wait_mean"] for run in runs)
    assert (wfp, again) == (wfp3, easy)
    assert mean != easy
    assert runs[-1]["estimate"] == "own"


def test_a_file_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("precious\n")
    assert main(["new", "policy", str(mine)]) == 2
    assert "this file is there already" in capsys.readouterr().err
    assert mine.read_text() == "precious\n"
    assert main(["new", "policy", str(tmp_path / "mine.txt")]) == 2
    assert "in a file that ends in .py" in capsys.readouterr().err


def test_what_is_wrong_with_it_is_a_line_and_the_status_of_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("import batchscope\n@batchscope.order\ndef f(jobs, now machine): ...\n")
    assert main(["compare", *LOG, "-p", f"{mine}:f"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"batchscope: {mine}:3: ")


def test_a_study_that_names_a_file_does_not_run_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    text = template_path("policy").read_text()
    mine.write_text(f"{text}\nopen({str(tmp_path / 'ran')!r}, 'w').write(__name__)  # {mine}\n")
    study = tmp_path / "study.toml"
    policies = f'policies = ["easy", "{mine}:wfp"]\nmetrics = ["wait_mean"]\nagainst = "easy"\n'
    study.write_text(f'traces = ["{example_path()}"]\n{policies}')
    assert main(["sweep", str(study), "-o", str(tmp_path / "out")]) == 2
    assert "is a program of somebody's own" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()
    assert len(read_own_file(mine).declared) == 3  # nor is it run to be read
    assert not (tmp_path / "ran").exists()


def test_a_report_has_the_text_that_ran_and_its_digest_and_its_session_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.report.make.FIGURES", ("radar",))
    log, mine, folder = small_log(tmp_path), tmp_path / "my #1.py", tmp_path / "report"
    text = "import batchscope\nfrom pack.deep import score\n@batchscope.order\ndef f(jobs, now, machine): "
    mine.write_text(f"{text}return score(jobs)  # {tmp_path}\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "deep.py").write_text("def score(jobs): return -jobs.procs\n")
    named = [word for policy in ("easy", f"{mine}:f") for word in ("-p", policy)]
    assert main(["report", str(log), *named, "-o", str(folder), "--quiet"]) == 0
    digest = read_own_file(mine).digest
    kept = folder / "code" / digest[:12]
    assert (kept / mine.name).read_text() == mine.read_text()
    assert (kept / "pack/deep.py").read_text() == (tmp_path / "pack" / "deep.py").read_text()
    manifest = json.loads((folder / "manifest.json").read_text())
    files = [f"code/{digest[:12]}/{name}" for name in (mine.name, "pack/deep.py")]
    assert manifest["code"] == [{"path": str(mine), "sha256": digest, "files": files}]
    assert set(files) <= manifest["files"].keys()
    page = (folder / "index.html").read_text()
    assert f'href="code/{digest[:12]}/my%20%231.py"' in page
    assert f"{digest}. The text is among the files of this report" in page
    assert f"my #1.py:f = {mine}:f" in page
    assert ">my #1.py:f</th>" in page
    assert f">{mine}:f</th>" not in page
    session = folder / "session.batchscope"
    (code,) = read_session(session).code
    assert (code.path, code.sha256) == (str(mine), digest)
    assert "\n".join(code.texts[0].lines) == mine.read_text()
    monkeypatch.setattr(allowed_code, "_allowed", set())  # as in the next process
    opened = read_saved_study(session, None, Control())
    assert [run.policy.spelling for run in opened.study.runs] == ["easy"]
    assert "a run was left out" in " ".join(opened.doubts)


def test_a_report_has_metrics_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.report.make.FIGURES", ("radar",))
    mine, folder = tmp_path / "mine.py", tmp_path / "report"
    text = "import batchscope\n@batchscope.metric(unit='%')\ndef late(jobs):\n"
    mine.write_text(f"{text}    return 100.0 * (jobs.wait > 0).mean()  # {tmp_path}\n")
    name = f"{mine}:late"
    words = ["report", str(small_log(tmp_path)), "-p", "easy", "--metric", name, "-o", str(folder), "--quiet"]
    assert main(words) == 0
    table = (folder / "tables/metrics.csv").read_text()
    assert any(row.startswith(name) for row in table.splitlines())
    (code,) = read_session(folder / "session.batchscope").code
    assert (code.path, code.sha256) == (str(mine), read_own_file(mine).digest)
    assert (folder / "code" / code.sha256[:12] / "mine.py").read_text() == mine.read_text()


def test_a_metric_of_ones_own_stands_in_the_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    text = "import batchscope\n@batchscope.metric(unit='%')\ndef late(jobs, *, hours=1):\n"
    mine.write_text(f"{text}    return 100 * (jobs.wait > 3600 * hours).mean()\n")
    name = f"{mine}:late,hours=0"
    log = small_log(tmp_path)
    asked = ["compare", str(log), "-p", "easy", "-p", "fcfs", "--metric", name, "--quiet"]
    assert main([*asked, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["runs"]
    assert all(0 <= run["metrics"][name] <= 100 for run in facts)
    assert main(asked) == 0
    assert "mine.py:late,hours=0" in capsys.readouterr().out


def test_a_search_is_judged_against_code_that_is_named_as_its_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        f"import batchscope\n@batchscope.order\ndef f(jobs, now, machine): return jobs.wait\n# {mine}"
    )
    asked = ["search", *LOG, "--minimize", "wait_mean", "--vary", "order=saf|sjf", "--trials", "2", "--quiet"]
    assert main([*asked, "--baseline", f"{mine}:f", "--cluster", "64c"]) == 0
    assert f"{mine}:f" in capsys.readouterr().out


def test_a_search_goes_by_a_metric_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    text = "import batchscope\n@batchscope.metric(unit='s')\ndef mean(jobs, *, times=1):\n"
    mine.write_text(f"{text}    return times * jobs.wait.mean()\n")

    def answer(goal: str) -> list[str]:
        asked = ["search", *LOG, "--cluster", "64c", "--minimize", goal, "--vary", "order=saf|sjf|fcfs"]
        assert main([*asked, "--trials", "4", "--quiet"]) == 0
        return capsys.readouterr().out.replace(goal, "GOAL").splitlines()[:4]

    usual, own = answer("wait_mean"), answer(f"{mine}:mean")
    assert own[3].split()[:5] == ["policy", "mine.py:mean", "searched", "mine.py:mean", "judged"]
    assert [line.split()[0] for line in usual[1:] if line] == [line.split()[0] for line in own[1:] if line]
    log = batchscope.read(LOG[0], jobs="0:400", machine="64c")
    found = batchscope.search(log, minimize=f"{mine}:mean,times=2", keys="order=saf|sjf|fcfs", trials=4)
    builtin = batchscope.search(log, minimize="wait_mean", keys="order=saf|sjf|fcfs", trials=4)
    best, other = found.answer.front[0], builtin.answer.front[0]
    assert best.trial.policy == other.trial.policy
    assert best.trial.values[f"{mine}:mean,times=2"] == pytest.approx(2 * other.trial.values["wait_mean"])


def test_a_study_runs_the_code_that_the_command_names_and_again_when_its_text_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, study, out = tmp_path / "mine.py", tmp_path / "study.toml", tmp_path / "out"
    head = f"import batchscope  # {tmp_path}\n@batchscope.order\ndef f(jobs, now, machine): return"
    metric = "@batchscope.metric()\ndef first(jobs): return"
    mine.write_text(f"{head} jobs.wait\n{metric} 1\n")
    names = f'policies = ["easy", "{mine}:f"]\nmetrics = ["wait_mean", "{mine}:first"]\nagainst = "easy"\n'
    study.write_text(names)

    def values() -> list[dict[str, float]]:
        asked = ["sweep", str(study), str(small_log(tmp_path)), "-o", str(out), "--code", str(mine), "--json"]
        assert main([*asked, "--quiet"]) == 0
        capsys.readouterr()
        return rows_in(out)

    before = values()
    assert [row[f"{mine}:first"] for row in before] == [1, 1]
    mine.write_text(f"{head} -jobs.procs\n{metric} 2\n")
    after = values()
    assert [row[f"{mine}:first"] for row in after] == [2, 2]


def rows_in(out: Path) -> list[dict[str, float]]:
    from pyarrow import parquet

    return parquet.read_table(out / "results.parquet").to_pylist()
