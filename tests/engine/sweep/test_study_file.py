import re
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.sweep.conditions import Conditions
from engine.sweep.finding import Finding
from engine.sweep.paper_claim import Agreement, PaperClaim
from engine.sweep.study_file import read_study_file, study_source, study_title
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
        Finding(
            "one is enough",
            ("queues:n=1",),
            ("value:delta=5", "wait_mean"),
            PaperClaim(least=90.0, neutral=100.0, digits=0),
            under,
            against="auction",
        ),
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


def test_where_users_react_is_a_condition(tmp_path: Path) -> None:
    text = SMALL.replace("theta = [1, 0.5]", "react = [false, true]").replace("theta = 0.5", "react = true")
    found = read_study_file(study(tmp_path, text))
    assert len(found.runs) == 2 * 12
    assert {(run.conditions.react, run.policy.variant.spelling) for run in found.runs} == {
        (False, ""),
        (True, "react=on"),
    }
    assert {run.base for run in found.runs} == {"queues:n=1", "auction"}
    assert found.findings[0].conditions == Conditions(react=True)
    assert str(found.findings[0].conditions) == "users react"


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
        ("[0, 1, 2]", f"[1{'0' * 400}]", "of 1,329 bits is neither a text nor a usable number"),
        ("[0, 1, 2]", f"[0x{'f' * 40_000}]", "of 160,000 bits is neither a text nor a usable number"),
        ("[0, 1, 2]", f"[{'1' * 40_000}]", "Exceeds the limit"),
        ('"wait_mean"]', '"wait_mean", "wait_mean"]', "metrics names wait_mean twice"),
        ("theta = [1, 0.5]", 'machines = ["4x"]', "4x"),
        ("theta = [1, 0.5]", 'shares = ["much"]', "much"),
        ("theta = [1, 0.5]", 'machines = ["own"]', "a finding is about theta 0.5, which is not in the study"),
        ("[1, 0.5]", "[1, nan]", "theta should be a list of numbers"),
        ("[1, 0.5]", "[1, 0]", "theta cannot be '0'"),
        ("[1, 0.5]", '["1"]', "theta should be a list of numbers"),
        ("[1, 0.5]", "[1, 0.25]", "a finding is about theta 0.5, which is not in the study"),
        ("theta = [1, 0.5]", 'react = ["on"]', "react should be a list of true and false that is not empty"),
        ("theta = [1, 0.5]", "react = []", "react should be a list of true and false that is not empty"),
        ("theta = [1, 0.5]", "react = [true, true]", "react names on twice"),
        ("theta = 0.5", 'react = "on"', "react should be true or false"),
        ("theta = 0.5", "react = true", "a finding is about users react, which is not in the study"),
        ('"auction"]', '"auction", "recorded"]\nreact = [true]', "a schedule that is read has the jobs"),
        ('policies = ["queues:n=1", "auction"]', "policies = []", "policies should be a list of texts"),
        ('against = "auction"', 'against = "easy"', "against is 'easy', which is not one of the policies"),
        ('policy = "queues:n=1"', 'policy = "fcfs"', "a finding is about 'fcfs'"),
        ("least = 90", 'against = "fcfs"\nleast = 1', "a finding is against 'fcfs', which is not one of the"),
        ("least = 90", "", "a finding needs a number paper (the paper's size), least or most"),
        ("least = 90", "least = 90\npaper = 3", "this one has paper and least"),
        ("least = 90", 'direction = "fewer"', "the direction of a finding is less or more, not 'fewer'"),
        ("least = 90", 'direction = "less"\nagainst = "nothing"', "a direction needs a policy"),
        ("least = 90", 'most = 9\nbeside = ["wait_mean"]', "beside of a finding names one metric for each"),
        ("least = 90", 'most = 9\nmetrics = ["wait_mean"]\nbeside = ["psf2"]', "psf2, which is not one of"),
        ("least = 90", "most = 9\nkeys = { seed = 1 }", "a finding is about means over seeds"),
        ("least = 90", "most = 9\nkeys = { threshold = 1 }", "threshold, which is not a key of the study"),
        (
            "least = 90",
            'most = 9\nkeys = { estimate = "last2" }',
            "estimate = last2, which is not one of its",
        ),
        ('policy = "queues:n=1"', "", "a finding names a policy, or policies"),
        ("[keys]", "[agreement]\npoint = 3\n[keys]", "an agreement has no 'point'; did you mean 'points'?"),
        ("[keys]", "[agreement]\npart = -1\n[keys]", "points and part of an agreement are at least 0"),
        ("[keys]", "agreement = 3\n[keys]", "agreement should be a table"),
        ("least = 90", 'least = "90"', "least of a finding should be a number"),
        ("least = 90", 'most = 90\nmetrics = ["wait_max"]', "wait_max, which is not one of the metrics"),
        ("[[findings]]", "[findings]", "findings should be tables, each begun by [[findings]]"),
        ("[0, 1, 2]", str(list(range(20_000))), "runs are more than 100,000"),
    ],
)
def test_what_is_wrong_is_named_before_anything_runs(  # also BR04
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SMALL
    path = study(tmp_path, SMALL.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_study_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_what_is_claimed_has_the_digits_that_it_is_written_with(tmp_path: Path) -> None:
    for claim, expected in {
        "paper = 72": PaperClaim(size=72.0, neutral=100.0, digits=0),
        "paper = 72.1": PaperClaim(size=72.1, neutral=100.0, digits=1),
        "least = 97.59\nmost = 102.4": PaperClaim(least=97.59, most=102.4, neutral=100.0, digits=2),
        'paper = 33.8\nagainst = "nothing"': PaperClaim(size=33.8, neutral=None, digits=1),
        'direction = "less"': PaperClaim(direction="less", neutral=100.0, digits=1),
        "apart = 3": PaperClaim(apart=3.0, neutral=100.0, digits=0),
    }.items():
        (only,) = read_study_file(study(tmp_path, SMALL.replace("least = 90", claim))).findings
        assert only.claim == expected
    stricter = SMALL.replace("[keys]", "[agreement]\npoints = 1\n[keys]")
    (only,) = read_study_file(study(tmp_path, stricter)).findings
    assert only.claim.agreement == Agreement(1.0, 0.2)


def test_keys_of_a_finding_are_read_as_those_of_the_study(tmp_path: Path) -> None:
    text = SMALL.replace("estimate = [", 'threshold = ["30m", "2h"]\nestimate = [')
    named = 'least = 90\nkeys = { threshold = "120m", estimate = "scaled1.50" }'
    (only,) = read_study_file(study(tmp_path, text.replace("least = 90", named))).findings
    assert only.keys == (("threshold", "2h"), ("estimate", "scaled1.5"))


@pytest.mark.parametrize("name", studies())
def test_ready_made_studies_claim_sizes_within_3_points_or_a_fifth(name: str) -> None:
    found = read_study_file(studies()[name])
    assert {finding.claim.agreement for finding in found.findings} == {Agreement(3.0, 0.2)}
    assert "agreement" in studies()[name].read_text("utf-8")


@pytest.mark.parametrize("name", studies())
def test_ready_made_studies_can_be_read(name: str) -> None:
    found = read_study_file(studies()[name])
    assert found.title
    assert found.source
    assert found.findings


TABLE = """
[[printed]]
title = "table 1"
metric = "wait_mean"
logs = ["KTH", "CTC"]
keys = { estimate = "scaled1.50" }
[printed.numbers]
"auction" = [1.5, "-"]
"""


def test_a_table_that_the_paper_prints_is_read(tmp_path: Path) -> None:
    text = SMALL + TABLE
    (only,) = read_study_file(study(tmp_path, text)).printed
    assert only.keys == (("estimate", "scaled1.5"),)
    assert only.numbers == (("auction", (1.5, None)),)
    assert only.digits == 1
    assert (only.column("kth-sp2"), only.column("ctc"), only.column("SDSC")) == (0, 1, None)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"auction" = [1.5, "-"]', '"auction" = [1.5]', "needs a number of auction for each of its 2 logs"),
        ('"auction" = [1.5, "-"]', '"auction" = [1.5, "x"]', "are numbers, or '-'"),
        ('"auction" = [', '"fcfs:depth=3" = [', "which is not one of the policies"),
        ('metric = "', 'metric = "response_mean" #', "which is not one of the metrics"),
        ("scaled1.50", "scaled7", "which is not in the study"),
        ("estimate = ", "window = ", "the key window, which the study does not change"),
        ("[printed.numbers]", "per = 0\n[printed.numbers]", "a number above 0"),
        ("[printed.numbers]", "color = 1\n[printed.numbers]", "a printed table has no 'color'"),
    ],
)
def test_a_printed_table_that_cannot_be_read_says_why(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in TABLE
    with pytest.raises(InputError, match=re.escape(complaint)):
        read_study_file(study(tmp_path, SMALL + TABLE.replace(old, new)))


def test_what_a_paper_tells_of_a_log_is_numbers(tmp_path: Path) -> None:
    text = SMALL + '[[logs]]\nname = "KTH"\njobs = 28000\n'
    (only,) = read_study_file(study(tmp_path, text)).logs
    assert (only.name, only.facts) == ("KTH", (("jobs", 28000.0),))
    with pytest.raises(InputError, match="jobs of a log should be a number"):
        read_study_file(study(tmp_path, text.replace("28000", '"many"')))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('title = "Waits"\nsource = "A paper"\n[[findings]]\ntitle = "other"\n', ("Waits", "A paper")),
        (
            'policies = [\n["easy"]\n]\ntitle = "After"\n',
            ("After", ""),
        ),  # a line of a value begins with a bracket
        ('wants = """\n[x]\n"""\nsource = "A paper"\n', ("study", "A paper")),
        ("title = 3\n", ("study", "")),
        ("title =\n[x]\n", ("study", "")),
    ],
)
def test_title_and_source_are_those_before_the_tables(
    tmp_path: Path, text: str, names: tuple[str, str]
) -> None:
    file = tmp_path / "study.toml"
    file.write_text(text, "utf-8")
    assert (study_title(file), study_source(file)) == names
