"""A user's file is read as text: what it declares, its digest, and what is wrong with it, by line."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.own.declare import ParameterRange
from engine.own.file import Parameter, read_own_file
from engine.own.modules import MOST_MODULES

ORDER = "import batchscope\n\n@batchscope.order\ndef wfp(jobs, now, machine{}):\n    return jobs.wait\n"


def read(folder: Path, text: str) -> object:
    path = folder / "mine.py"
    path.write_text(text)
    return read_own_file(path)


def error(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text)
    return str(caught.value).removeprefix(f"{folder}/")


def test_it_tells_names_kinds_and_parameters_with_their_ranges_and_runs_nothing(tmp_path: Path) -> None:
    text = '''raise SystemExit("this would run")
from batchscope import Range, order, predictor

@order
def wfp(jobs, now, machine, *, alpha: Range(0, 5, step=0.5) = 3, users: Range(1, 9, whole=True) = 2, any=1):
    """Tang's formula.

    More about it.
    """

@predictor
class Mean:
    def __init__(self, *, factor: Range(low=0.1, high=1) = 0.5): ...
    def predict(self, job): ...
    def learn(self, job, runtime): ...

def helper(): ...
'''
    (tmp_path / "mine.py").write_text(text)
    file = read_own_file(tmp_path / "mine.py")
    assert [(each.name, each.kind, each.line) for each in file.declared] == [
        ("wfp", "order", 5),
        ("Mean", "predictor", 12),
    ]
    wfp, mean = file.declared
    assert wfp.about == "Tang's formula."
    assert wfp.parameters == (
        Parameter("alpha", 3, ParameterRange(0, 5, 0.5)),
        Parameter("users", 2, ParameterRange(1, 9, None, True)),
        Parameter("any", 1, None),
    )
    assert mean.parameters == (Parameter("factor", 0.5, ParameterRange(0.1, 1)),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import batchscope\n\ndef wfp(:\n", "mine.py:3: invalid syntax"),
        ("x = 1\n\0", "mine.py:1: source code cannot contain null bytes"),
        ("x = 1\n", "mine.py: nothing is declared here; put one of @batchscope.order, "),
        (ORDER.format("") + ORDER.format(""), "mine.py:9: wfp is declared twice"),
        (ORDER.format(", *, alpha"), "mine.py:4: alpha needs a number as its default"),
        (ORDER.format(", *, alpha='x'"), "mine.py:4: alpha needs a number as its default"),
        (ORDER.format(", *, alpha: Range(0, n) = 1"), "mine.py:4: alpha: spell the range like Range(0, 5"),
        (ORDER.format(", *, alpha: Range(5, 0) = 1"), "mine.py:4: alpha: a range from 5 to 0 has no numbers"),
        (
            ORDER.format(", *, alpha: Range(0, 5) = 7"),
            "mine.py:4: alpha is 7 by default, but has to be from 0",
        ),
        (
            "@batchscope.order\ndef wfp(jobs): ...\n",
            "mine.py:2: wfp should be `def wfp(jobs, now, machine, *, ...)`",
        ),
        (
            "@batchscope.order\nclass wfp: ...\n",
            "mine.py:2: wfp is a class: @batchscope.order takes a function",
        ),
        (
            "@batchscope.predictor\ndef f(job): ...\n",
            "mine.py:2: f is a function: @batchscope.predictor takes",
        ),
        (
            "@batchscope.predictor\nclass P:\n    def predict(self, job): ...\n",
            "mine.py:2: P has no method learn",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    said = error(tmp_path, text)
    if "null bytes" in message:  # which Python 3.11 reports without a line
        assert "null bytes" in said
    else:
        assert said.startswith(message)


def test_the_digest_covers_the_modules_that_it_imports_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import numpy, helper\nfrom deep.er import x\n" + ORDER.format(""))
    (tmp_path / "helper.py").write_text("import further\n")
    (tmp_path / "further.py").write_text("import mine\nX = 1\n")
    (tmp_path / "other.py").write_text("not imported, and no Python\n")
    first = read_own_file(path)
    assert [module.name for module in first.modules] == ["further", "helper"]
    (tmp_path / "other.py").write_text("changed\n")
    assert read_own_file(path).digest == first.digest
    (tmp_path / "further.py").write_text("import mine\nX = 2\n")
    assert read_own_file(path).digest != first.digest


def test_the_digest_covers_packages_of_its_folder_with_what_is_imported_of_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import pack.deep.far\nfrom plain import near\n" + ORDER.format(""))
    for folder in ("pack/deep", "plain/unused"):
        (tmp_path / folder).mkdir(parents=True)
    texts = {
        "pack/__init__.py": "from . import beside\n",
        "pack/beside.py": "from .deep.far import X\nfrom ..above import Y\n",
        "pack/deep/__init__.py": "",
        "pack/deep/far.py": "from ..other import Z\nX = 1\n",
        "pack/other.py": "Z = 1\n",
        "plain/near.py": "",
    }
    for name, text in {**texts, "pack.py": "hidden", "pack/unused.py": "?", "above.py": ""}.items():
        (tmp_path / name).write_text(text)
    first = read_own_file(path)
    names = ["pack", "pack.beside", "pack.deep", "pack.deep.far", "pack.other", "plain", "plain.near"]
    assert [module.name for module in first.modules] == names
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}# changed\n")
        assert read_own_file(path).digest != first.digest, name
        (tmp_path / name).write_text(text)
    assert read_own_file(path).digest == first.digest


@pytest.mark.parametrize("name", ["json", "numpy", "engine", "batchscope"])
def test_a_module_beside_it_that_is_called_like_another_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"import {name}\n" + ORDER.format(""))
    assert read_own_file(path).modules == ()
    (tmp_path / f"{name}.py").write_text("")
    with pytest.raises(InputError, match=f"it imports {name}, but .* has the name of a module of Python or"):
        read_own_file(path)


def test_more_modules_than_any_code_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"import m0\n{ORDER.format('')}")
    for number in range(MOST_MODULES + 1):
        (tmp_path / f"m{number}.py").write_text(f"import m{number + 1}\n")
    with pytest.raises(InputError, match="imports more than 500 modules of its folder"):
        read_own_file(path)


def test_numbers_of_parameters_are_checked_against_their_ranges() -> None:
    alpha = Parameter("alpha", 3, ParameterRange(0, 5))
    assert alpha.parse("2.5") == 2.5
    assert [alpha.format(value) for value in (3, 2.0, 0.1, 1e-15)] == ["3", "2", "0.1", "1e-15"]
    for text in ("6", "-1", "nan", "inf", "x"):
        with pytest.raises(InputError, match="alpha cannot be"):
            alpha.parse(text)
    with pytest.raises(InputError, match="it is a whole number from 1 to 9"):
        Parameter("users", 2, ParameterRange(1, 9, whole=True)).parse("2.5")
