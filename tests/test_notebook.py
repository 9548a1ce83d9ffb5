"""The notebook of the guide runs from its first cell to its last, without Qt."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import batchscope
from tests.app.cli.commands import small_log
from tests.paths import ROOT

NOTEBOOK = ROOT / "resources" / "guide" / "notebook.ipynb"


def test_the_notebook_runs(tmp_path: Path) -> None:
    """Each cell as Jupyter runs it, with what its last line gives shown as it would be."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    program = "\n".join(
        [*code, "import sys; assert 'PySide6' not in sys.modules", "assert heatmap._repr_png_()"]
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "heatmap.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (tmp_path / "gantt.svg").read_text("utf-8")
    assert "waited" in done.stdout


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        *(("difference", "found"), ("study", "found"), ("learning", "best")),
        *(("site", "found"), ("report", "page"), ("own-code", "answer")),
    ],
)
def test_the_notebook_of_a_task_runs(
    task: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if task == "learning":
        pytest.importorskip("gymnasium")
    cells = json.loads(NOTEBOOK.with_name(f"notebook-{task}.ipynb").read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(code, f"notebook-{task}", "exec"), names)
    assert names[answer] is not None


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> batchscope.Runs:
    log = batchscope.read(small_log(tmp_path_factory.mktemp("log")))
    return batchscope.compare(log, ["recorded", "easy", "fcfs"])


def test_metrics_are_those_of_the_command_line(runs: batchscope.Runs, tmp_path: Path) -> None:
    from engine.metrics.evaluation import evaluate
    from engine.policy.share import parse_share

    assert list(runs) == ["recorded", "easy", "fcfs"]
    assert list(runs.metrics.columns) == ["unit", "recorded", "easy", "fcfs"]
    schedules = [run.schedule for run in runs.values()]
    expected = evaluate(schedules, parse_share("fair"), schedules[0])[1].summary
    assert runs.metrics.loc["wait_mean", "easy"] == expected["wait_mean"]
    assert runs.metrics.loc["veet_median", "easy"] == expected["veet_median"]
    assert runs.metrics.loc["utilization", "easy"] == 100 * expected["utilization"]
    assert runs.metrics.loc["wait_mean", "unit"] == "s"


def test_the_reference_is_the_recorded_schedule_unasked(runs: batchscope.Runs) -> None:
    alone = batchscope.compare(runs.log, ["easy"])
    assert list(alone["easy"].eet["eet"]) == list(runs["easy"].eet["eet"])


def test_a_row_a_job_with_units(runs: batchscope.Runs) -> None:
    jobs = runs["easy"].jobs
    assert isinstance(jobs, pd.DataFrame)
    assert len(jobs) == len(runs.log) == 12
    assert (jobs["end"] - jobs["start"] == jobs["runtime"]).all()
    assert jobs.attrs["units"]["wait"] == "s"


def test_changes_against_a_run(runs: batchscope.Runs) -> None:
    changes = runs.against("easy")
    assert list(changes.columns) == ["recorded", "fcfs"]
    easy, fcfs = (runs[name].metrics["wait_mean"] for name in ("easy", "fcfs"))
    assert easy
    assert fcfs is not None
    assert changes.loc["wait_mean", "fcfs"] == pytest.approx(100 * (fcfs - easy) / easy)


def test_html_escapes_names(runs: batchscope.Runs) -> None:
    assert "<td>" in runs._repr_html_()
    renamed = batchscope.Runs(runs.log, tuple(runs.runs))
    assert "Mean wait" in renamed._repr_html_()


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda log: batchscope.read("x.swf", machin="4c"), "machin: logs are read without such an option"),
        (
            lambda log: batchscope.read("x.swf", machine=100),
            'machine=100: options are texts as on .* like machine="100c"',
        ),
        (
            lambda log: batchscope.compare(log, ["easy"])["eazy"],
            "there is no run 'eazy'; did you mean 'easy'?",
        ),
        (lambda log: batchscope.compare(log, ["esy"]), "esy"),
        (lambda log: batchscope.compare(log, []), "no policy"),
        (lambda log: batchscope.compare(log, ["easy"], shar="fair"), "shar: runs are compared without"),
        (lambda log: batchscope.compare(log, ["easy"]).figure("gant"), "did you mean 'gantt'?"),
        (lambda log: batchscope.compare(log, ["easy"])["easy"].explain("none"), "has no job none"),
    ],
)
def test_what_is_wrong_is_reported(runs: batchscope.Runs, ask: object, expected: str) -> None:
    with pytest.raises(batchscope.InputError, match=expected.replace("?", r"\?")):
        ask(runs.log)  # type: ignore[operator]


def test_a_picture_can_be_saved_again(runs: batchscope.Runs, tmp_path: Path) -> None:
    picture = runs.figure("hours", paper="85mm")
    for name in ("a.svg", "b.svg"):
        picture.savefig(tmp_path / name, note=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert repr(picture).startswith("<figure hours, 85 x ")


def test_a_slurm_conf_is_the_sites_own_slurm(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a CPUs=400\nPartitionName=q Nodes=a\n")
    policy = batchscope.read(small_log(tmp_path)).policy(str(conf))
    assert policy.site is not None
    assert policy.spelling == f"site:{tmp_path}"


def test_the_module_that_notebooks_import_is_that_of_the_sources(tmp_path: Path) -> None:
    """A copy in the environment would stay behind when the sources are updated."""
    call = [sys.executable, "-P", "-c", "import batchscope; print(batchscope.__file__)"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(call, cwd=tmp_path, env=clean, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == ROOT / "batchscope.py"
