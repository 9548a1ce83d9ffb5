"""Policies of a user's own code: their spelling, their keys, and that only what was named may run."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.own.allowed_code import allow_named, is_allowed
from engine.policy.policy import Policy, parse_policy

TEXT = """
import batchscope
from batchscope import Range

@batchscope.order
def wfp(jobs, now, machine, *, alpha: Range(0, 5) = 3, beta=0): ...

@batchscope.priority
def narrow(job, now, *, gamma=1): ...

@batchscope.predictor
class Mean:
    def predict(self, job): ...
    def learn(self, job, runtime): ...

@batchscope.scheduler
def filler(state): ...
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    return path


def policy(path: Path, rest: str) -> Policy:
    allow_named(f"{path}:{rest}")
    return parse_policy(f"{path}:{rest}")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("wfp", "wfp"),
        ("wfp,alpha=3", "wfp"),
        ("wfp,alpha=2.50,beta=-1", "wfp,alpha=2.5,beta=-1"),
        ("order=wfp,depth=all,alpha=2", "wfp,alpha=2,depth=all"),
        ("wfp,estimate=Mean", "wfp,estimate=Mean"),
        ("Mean", "Mean"),
        ("Mean,order=saf,backfill=sjf", "Mean,order=saf,backfill=sjf"),
        ("backfill=narrow,gamma=2", "backfill=narrow,gamma=2"),
        ("wfp,backfill=narrow", "wfp,backfill=narrow"),
        ("filler,max_user_jobs=3", "filler,max_user_jobs=3"),
        ("wfp with walltime_cap=4h", "wfp with walltime_cap=4h"),
    ],
)
def test_the_spelling_is_read_as_the_same_policy(path: Path, written: str, canonical: str) -> None:
    own = policy(path, written)
    assert own.spelling == f"{path}:{canonical}"
    assert parse_policy(own.spelling) == own


def test_its_code_takes_the_place_of_keys(path: Path) -> None:
    own = policy(path, "wfp,backfill=narrow,estimate=Mean,depth=3")
    assert (own.order, own.backfill, str(own.estimate), own.depth) == ("own", "own", "own", 3)
    changed = own.with_keys(alpha="1", estimate="last2", depth="2")
    assert changed.spelling == f"{path}:wfp,backfill=narrow,alpha=1,depth=2,estimate=last2"
    assert own.with_keys(order="saf", backfill="queue", estimate="requested").spelling == (
        "easy:order=saf,depth=3"
    )


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("wpf", "no 'wpf' is declared here; did you mean 'wfp'?"),
        ("", "declares several; name one of them: "),
        ("wfp,alpha=9", "alpha cannot be 9: it is from 0 to 5"),
        ("wfp,alhpa=2", "no parameter 'alhpa'; did you mean 'alpha'?"),
        ("wfp,alpha=1,alpha=2", "gives alpha twice"),
        ("estimate=wfp", "wfp is an order, which cannot be the estimate"),
        ("wfp,depth=kept", "depth=kept plans each job when it is submitted"),
        ("filler,depth=all", "depth has no use: filler decides which jobs start"),
        ("wfp,Mean", "'Mean' should be key=value"),
    ],
)
def test_a_wrong_spelling_is_said(path: Path, written: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        policy(path, written)
    assert message in str(caught.value)


def test_code_that_nobody_named_is_refused_and_so_is_what_was_changed_since(path: Path) -> None:
    path.write_text(f"{TEXT}\n# {path}: a text that no other test has named\n")
    with pytest.raises(
        InputError, match="is a program of somebody's own, which runs only when its user says"
    ):
        parse_policy(f"{path}:wfp")
    own = policy(path, "wfp")
    assert own.own is not None
    assert is_allowed(own.own.file.digest)
    path.write_text(TEXT + "\nimport os\n")
    with pytest.raises(InputError, match="is a program of somebody's own"):
        parse_policy(f"{path}:wfp")
    again = policy(path, "wfp")
    assert again != own  # rows and runs of the old text are not those of the new


def test_a_parameter_that_is_called_like_a_key_is_refused(path: Path) -> None:
    path.write_text(TEXT.replace("beta=0", "depth=0"))
    with pytest.raises(InputError, match="depth is a key of all policies; call the parameter otherwise"):
        policy(path, "wfp")


def test_a_path_may_have_py_in_the_name_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a.python"
    folder.mkdir()
    (folder / "mine.py").write_text(TEXT)
    assert policy(folder / "mine.py", "wfp").label == f"{folder}/mine.py:wfp"
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    assert policy(Path("mine.py"), "wfp") == policy(Path("mine.py"), "wfp,alpha=3")
    assert policy(Path("~/mine.py"), "wfp").spelling == f"{folder}/mine.py:wfp"
