from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.sweep.study_file import Conditions, Finding, read_study_file
from engine.trace.scale import Scaling
from resources import studies

SMALL = """
title = "One or two?"
policies = ["queues:n=1", "auction"]
metrics = ["value:delta=5", "wait_mean"]
theta = [1, 0.5]
against = "auction"
[keys]
seed = [0, 1, 2]
estimate = ["actual", "scaled1.5"]
[[findings]]
text = "one is enough"
policy = "queues:n=1"
least = 90
theta = 0.5
"""


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_study_is_a_grid(tmp_path: Path) -> None:
    found = read_study_file(study(tmp_path, SMALL))
    assert len(found.runs) == 2 * 2 * 3 * 2
    assert found.runs[0].policy.spelling == "queues:n=1"
    assert found.runs[3].policy.spelling == "queues:estimate=scaled1.5,n=1,seed=1"
    assert [run.conditions.scaling for run in found.runs[::12]] == [Scaling(), Scaling(theta=0.5)]
    assert (found.keys, found.metrics) == (("seed", "estimate"), ("value:delta=5", "wait_mean"))
    under = Conditions(Scaling(theta=0.5))
    assert found.findings == (
        Finding("one is enough", "queues:n=1", 90.0, conditions=under, against="auction"),
    )


def test_machines_and_shares_are_conditions_too(tmp_path: Path) -> None:
    text = SMALL.replace("theta = [1, 0.5]", 'machines = ["own", "4x2c"]\nshares = ["1/10", "64c"]')
    found = read_study_file(study(tmp_path, text.replace("theta = 0.5", 'machine = "4x2c"')))
    assert [(run.conditions.machine, run.conditions.share) for run in found.runs[::12]] == [
        ("own", "1/10"),
        ("own", "64c"),
        ("4x2c", "1/10"),
        ("4x2c", "64c"),
    ]
    assert found.findings[0].conditions == Conditions(machine="4x2c", share="1/10")
    assert str(found.findings[0].conditions) == "on 4x2c, share 1/10"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "', "title = ", "at line 2, column"),
        ("metrics", "metric", "a study has no 'metric'; did you mean 'metrics'?"),
        ("wait_mean", "wait_maen", "there is no metric 'wait_maen'; did you mean 'wait_mean'?"),
        ("queues:n=1", "queue:n=1", "unknown policy 'queue'; did you mean"),
        ("seed =", "sead =", "policies have no key 'sead'; did you mean 'seed'?"),
        ("[0, 1, 2]", "[]", "keys.seed should be a list of values that is not empty"),
        ("[0, 1, 2]", "[[1]]", "[1] is neither a text nor a number"),
        ("[0, 1, 2]", "[-1]", "seed cannot be '-1'"),
        ("[0, 1, 2]", f"[1{'0' * 400}]", "is neither a text nor a number"),
        ("theta = [1, 0.5]", 'machines = ["4x"]', "4x"),
        ("theta = [1, 0.5]", 'shares = ["much"]', "much"),
        ("theta = [1, 0.5]", 'machines = ["own"]', "a finding is about theta 0.5, which is not in the study"),
        ("[1, 0.5]", "[1, nan]", "theta should be a list of numbers"),
        ("[1, 0.5]", "[1, 0]", "theta cannot be '0'"),
        ("[1, 0.5]", '["1"]', "theta should be a list of numbers"),
        ("[1, 0.5]", "[1, 0.25]", "a finding is about theta 0.5, which is not in the study"),
        ('policies = ["queues:n=1", "auction"]', "policies = []", "policies should be a list of texts"),
        ('against = "auction"', 'against = "easy"', "against is 'easy', which is not one of the policies"),
        ('policy = "queues:n=1"', 'policy = "fcfs"', "a finding is about 'fcfs'"),
        ("least = 90", 'against = "fcfs"\nleast = 1', "a finding is against 'fcfs', which is not one of the"),
        ("least = 90", "", "a finding needs a number least, or most"),
        ("least = 90", 'least = "90"', "least of a finding should be a number"),
        ("least = 90", 'most = 90\nmetrics = ["wait_max"]', "wait_max, which is not one of the metrics"),
        ("[[findings]]", "[findings]", "findings should be tables, each begun by [[findings]]"),
        ("[0, 1, 2]", str(list(range(20_000))), "runs are more than 100,000"),
    ],
)
def test_what_is_wrong_is_named_before_anything_runs(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SMALL
    path = study(tmp_path, SMALL.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_study_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", studies())
def test_ready_made_studies_can_be_read(name: str) -> None:
    found = read_study_file(studies()[name])
    assert found.title
    assert found.source
    assert found.findings
