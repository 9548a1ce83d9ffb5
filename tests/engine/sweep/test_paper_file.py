"""A paper file is read whole and checked before anything runs; what it may run is a short list."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.sweep.paper_file import PAPER_FILE, PaperFile, PaperItem, PaperLog, paper_text, read_paper_file

WHOLE = """
title = "Who waits"
cites = ["tang2013"]
[[logs]]
name = "kth"
file = "kth.swf"
[[figures]]
name = "figure 2"
run = "figure lines table-1 --x delta --y value"
[[figures]]
name = "figure 1"
run = "figure gantt kth -p 'easy:depth=2'"
caption = "A week"
[[figures.numbers]]
text = "mean wait"
column = "wait"
where = { policy = "easy", seed = 1 }
paper = 12.5
[[tables]]
name = "table 1"
run = "sweep auction-or-queues kth"
"""


def read(folder: Path, text: str) -> PaperFile:
    (folder / PAPER_FILE).write_text(text, "utf-8")
    return read_paper_file(folder)


def test_a_paper_is_read(tmp_path: Path) -> None:
    paper = read(tmp_path, WHOLE)
    assert (paper.title, paper.cites) == ("Who waits", ("tang2013",))
    assert paper.logs == (PaperLog("kth", "kth.swf"),)
    assert [item.slug for item in paper.items] == ["figure-1", "table-1", "figure-2"]  # it needs the study
    first = paper.items[0]
    assert first.words == ("figure", "gantt", "kth", "-p", "easy:depth=2")
    (number,) = first.numbers
    assert number.where == (("policy", "easy"), ("seed", "1"))
    assert (number.claim.size, number.claim.digits) == (12.5, 1)
    assert first.logs(paper.logs) == [paper.logs[0]]


@pytest.mark.parametrize(
    ("run", "complaint"),
    [
        ("rm -rf kth", "a paper cannot run 'rm'"),
        ("figures gantt kth", "did you mean 'figure'?"),
        ("fetch KTH-SP2", "a paper cannot run 'fetch'"),
        ("", "run should be a command"),
        ("figure 'gantt", "No closing quotation"),
        *(
            (f"figure gantt kth -p easy {option}", "run should not have")
            for option in ("-o x.pdf", "-ox.pdf", "--output x.pdf", "--outp=x.pdf", "--data x.csv", "--force")
        ),
        ("sweep planning kth --figures there", "run should not have --figures"),
        ("sweep planning kth --sched tcp://10.0.0.1:1", "run should not have --scheduler"),
        ("report kth -p easy --again there", "run should not have --again"),
    ],
)
def test_other_commands_and_outputs_are_refused(tmp_path: Path, run: str, complaint: str) -> None:
    with pytest.raises(InputError) as refusal:
        read(tmp_path, f'[[figures]]\nname = "figure 1"\nrun = "{run}"\n')
    assert complaint in str(refusal.value)
    assert str(tmp_path / PAPER_FILE) in str(refusal.value)
    assert "figure 1" in str(refusal.value)


ITEM = '[[figures]]\nname = "figure 1"\nrun = "info kth"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a paper needs figures or tables"),
        ("title = 3\n" + ITEM, "title should be a text"),
        (ITEM + "runs = 1", "no 'runs'; did you mean 'run'?"),
        (ITEM + ITEM, "two logs, figures or tables are called figure-1"),
        (ITEM.replace("figure 1", "!"), "needs a name"),
        ('[[logs]]\nname = "a b"\nfile = "x"\n' + ITEM, "a word of letters and digits"),
        ('[[logs]]\nname = "a"\n' + ITEM, "the log a needs a file"),
        ('[[logs]]\nname = "a"\nfile = "x"\nsha256 = "12"\n' + ITEM, "64 hexadecimal digits"),
        (ITEM + "[[figures.numbers]]\npaper = 1", "needs the column"),
        (ITEM + '[[figures.numbers]]\ncolumn = "a"', "needs the paper's number"),
        (ITEM + '[[figures.numbers]]\ncolumn = "a"\npaper = 1\nmost = 2', "needs the paper's number"),
        (ITEM + '[[figures.numbers]]\ncolumn = "a"\npaper = "x"', "should be a number"),
        (ITEM + '[[figures.numbers]]\ncolumn = "a"\ndirection = "less"', "against another row"),
        ("a = " + "[" * 10_000, "brackets"),
        ("title = ", "Invalid value"),
    ],
)
def test_a_wrong_paper_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=PAPER_FILE) as refusal:
        read(tmp_path, text)
    assert complaint in str(refusal.value)


@given(
    words=st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4),
    title=st.text("a \\\"'\x7f\n"),
)
def test_a_written_paper_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], title: str
) -> None:
    words = [word for word in words if not word.startswith("-")]
    item = PaperItem("tables", "report", ("report", "log", *words))
    paper = PaperFile(Path(), title, (PaperLog("log", "a b.swf", "0" * 64),), (item,), (), "../x y")
    folder = tmp_path_factory.mktemp("paper")
    again = read(folder, paper_text(paper))
    assert (again.logs, again.items, again.directory) == (paper.logs, paper.items, paper.directory)
    assert again.title == " ".join(title.split()).replace("\x7f", r"\x7f")
