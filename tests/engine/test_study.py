from pathlib import Path

import pytest

from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.evaluation import evaluate
from engine.own.allowed_code import allow_named
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.run import reference_schedule, simulate
from engine.study import Study, machine_names, run_names
from tests.traces import make_trace

SMALL = Cluster.pool(60)


def study() -> Study:
    """Four jobs, one of which needs more than SMALL has."""
    trace = make_trace([0, 5, 10, 20], [50, 40, 30, 20], [60, 50, 100, 10], user=["a", "b", "a", "c"])
    return Study(trace, trace.cluster)


def test_a_run_has_the_machine_of_the_study_or_its_own_and_is_named_after_it() -> None:
    held = study().add(parse_policy("easy")).add(parse_policy("easy"), SMALL)
    assert [run.cluster for run in held.runs] == [Cluster.pool(100), SMALL]
    assert [held.name(run) for run in held.runs] == ["easy", "easy on 60c"]


def test_an_edited_run_keeps_its_place_and_loses_its_schedule() -> None:
    held = study().add(parse_policy("easy")).add(parse_policy("fcfs"))
    edited = held.edit(1, parse_policy("easy"), SMALL)
    assert [edited.name(run) for run in edited.runs] == ["easy on 60c", "fcfs"]
    assert edited.runs[0].schedule is None
    assert edited.remove(1).runs == held.runs[1:]


def test_the_log_s_own_schedule_ran_on_the_machine_of_the_study() -> None:
    held = study().add(parse_policy("recorded"), SMALL)
    assert held.name(held.runs[0]) == "recorded"
    assert held.edit(1, parse_policy("recorded"), SMALL).runs[0].cluster == held.cluster


def test_runs_on_different_machines_are_compared_on_the_jobs_that_fit_all_and_by_one_share() -> None:
    held = study()
    policy = parse_policy("easy")
    runs = [simulate(held.trace, cluster, policy) for cluster in (held.cluster, SMALL)]
    reference = reference_schedule(held.trace, held.cluster, runs)
    assert reference is runs[0]
    large, small = evaluate(runs, parse_share("fair"), reference)
    assert large.jobs.tolist() == small.jobs.tolist() == [True, True, False, True]
    assert (large.summary["jobs"], small.summary["jobs"]) == (3, 3)
    assert (large.summary["refused"], small.summary["refused"]) == (0, 1)
    assert large.violations.eet[[1, 3]].tolist() == small.violations.eet[[1, 3]].tolist()
    used = 60 * 50 + 50 * 40 + 10 * 20
    for of_machine, processors in ((large, 100), (small, 60)):
        makespan = of_machine.summary["makespan"]
        assert of_machine.summary["utilization"] == used / (processors * (makespan or 0))


def test_sites_have_short_names_of_which_no_two_mean_different_runs(tmp_path: Path) -> None:
    folders = [tmp_path / "old" / "site", tmp_path / "new" / "site", tmp_path / "other"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "slurm.conf").write_text("NodeName=n[1-4] CPUs=8\nPartitionName=p Nodes=ALL\n")
    old, new, other = (f"site:{folder}" for folder in folders)
    usual = parse_policy(old).machine
    assert usual is not None

    def labels(*spellings: str) -> list[str]:
        return run_names([(parse_policy(text), usual) for text in spellings], usual)

    assert labels(old) == ["site:old/site"]
    assert labels("easy", old, new, other) == ["easy", "site:old/site", "site:new/site", "site:other"]
    changed, again = f"{old}:bf_interval=60", f"{new}:bf_interval=60"
    assert labels(changed, old, other) == ["site:old/site:bf_interval=60", "site:old/site", "site:other"]
    assert labels(changed, again) == ["site:old/site:bf_interval=60", "site:new/site:bf_interval=60"]
    assert labels(old, old) == ["site:old/site", "site:old/site"]
    fits = [f"{old}:launch=3", f"{old}:launch=4"]
    assert labels(*fits) == fits  # short ones would be the same
    assert labels(fits[0], old) == ["site:old/site:fitted", "site:old/site"]
    held = Study(study().trace, usual).add(parse_policy(old)).add(parse_policy(new)).add(parse_policy(new))
    assert [held.name(run) for run in held.runs] == ["site:old/site", "site:new/site", "site:new/site (2)"]
    assert [held.label(run) for run in held.runs] == ["site:old/site", "site:new/site", "site:new/site"]


def test_own_code_is_called_by_the_name_of_its_file_and_two_of_a_name_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import batchscope\n@batchscope.order\ndef f(jobs, now, machine, *, a=1): ...\n"
    spelled = []
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(code)
        spelled += [f"{tmp_path}/{folder}/mine.py:f", f"{tmp_path}/{folder}/mine.py:f,a=2"]
        allow_named(spelled[-1])

    def labels(*spellings: str) -> list[str]:
        return run_names([(parse_policy(text), SMALL) for text in spellings], SMALL)

    assert labels("easy", *spelled[:2]) == ["easy", "mine.py:f", "mine.py:f,a=2"]
    assert labels(f"{spelled[0]},depth=all with walltime_cap=4h") == [
        "mine.py:f,depth=all with walltime_cap=4h"
    ]
    assert labels(*spelled[:3]) == ["new/mine.py:f", "new/mine.py:f,a=2", "old/mine.py:f"]
    assert labels(spelled[0], spelled[3]) == ["new/mine.py:f", "old/mine.py:f,a=2"]
    monkeypatch.chdir(tmp_path / "new")
    assert labels("mine.py:f", spelled[3]) == ["new/mine.py:f", "old/mine.py:f,a=2"]
    assert labels("mine.py:f", spelled[1]) == ["mine.py:f", "mine.py:f,a=2"]
    assert labels(spelled[0], spelled[0]) == ["mine.py:f", "mine.py:f"]
    held = Study(study().trace, SMALL).add(parse_policy(spelled[0])).add(parse_policy("easy"))
    assert [held.label(run) for run in held.runs] == ["mine.py:f on 60c", ""]  # not the log's own machine


def test_machines_are_called_by_their_nodes_counted_together(tmp_path: Path) -> None:
    parts, whole, same = (parse_cluster(text) for text in ("4x8c+2x8c+2x8c16g", "6x8c+2x8c16g", "8x8c"))
    assert machine_names([parts, parts, same]) == ["6x8c+2x8c16g"] * 2 + ["8x8c"]
    assert machine_names([parts, whole]) == ["4x8c+2x8c+2x8c16g", "6x8c+2x8c16g"]  # told apart
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-2] CPUs=8\nNodeName=b CPUs=8\nPartitionName=p Nodes=ALL\n"
    )
    policy = parse_policy(f"site:{tmp_path}")
    (name,) = run_names([(policy, parts)], same)
    assert name == f"site:{tmp_path.name} on 6x8c+2x8c16g"
