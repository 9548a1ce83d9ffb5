"""Words that stand behind a count of things: in every note on a log, and every finding of an audit."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.words import counted_text, of_count
from tests.paths import ROOT

_MAKERS = {"Note", "note_lines", "_note", "note", "finding"}
_ROOMS = (
    "engine/audit",
    "engine/logs",
    "engine/trace",
    "engine/reading",
    "engine/simulation/quality_notes.py",
)
_PLURAL = re.compile(r"\b(?:they|them|their|these are)\b")


@pytest.mark.parametrize(
    ("text", "of_one"),
    [
        ("jobs that run longer than 4h: 7", "job that runs longer than 4h: 7"),
        ("jobs with a walltime over 4h, cut to that", "job with a walltime over 4h, cut to that"),
        ("jobs whose RAM was cut to that", "job whose RAM was cut to that"),
        ("jobs ran while recorded use", "job ran while recorded use"),
        ("jobs of 2 clusters are taken for jobs of one", "jobs of 2 clusters are taken for jobs of one"),
        ("times at which more RAM were in use", "time at which more RAM were in use"),
        ("reasons that name missing RAM, and are not true", "reason that names missing RAM, and is not true"),
        ("of 3 starts planned were not kept", "of 3 starts planned was not kept"),
        ("numbers in 'a b' were taken for hours", "number in 'a b' was taken for hours"),
        ("fractional numbers: all others down", "fractional number: all others down"),
        ("job steps, which are part of jobs", "job step, which is part of jobs"),
        (
            "follow a job that is not in front of them: submitted as logged",
            "follows a job that is not in front of it: submitted as logged",
        ),
        ("the columns were taken for a: b", "the columns were taken for a: b"),
    ],
)  # fmt: skip
def test_a_single_thing_has_words_for_one(text: str, of_one: str) -> None:
    assert of_count(1, text) == of_one
    assert of_count(2, text) == of_count(0, text) == text
    assert counted_text(1, text) == f"1 {of_one}"
    assert counted_text(2000, text) == f"2,000 {text}"


def _texts(path: Path) -> Iterator[str]:
    """The texts that a module gives to notes and findings, by any name; values in them are a digit."""
    tree = ast.parse(path.read_text("utf-8"))
    # Parts of an f-string come with the whole of it, and are not yielded once more by themselves.
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    # A text may have a name before it is given; the name is followed one step.
    named = {
        name.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for name in node.targets
        if isinstance(name, ast.Name)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        maker = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if maker in _MAKERS:
            text = call.args[1]
            value = named.get(text.id, text) if isinstance(text, ast.Name) else text
            for part in ast.walk(value):
                if id(part) not in within and isinstance(part, (ast.Constant, ast.JoinedStr)):
                    yield _spelled(part)


def _spelled(node: ast.Constant | ast.JoinedStr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)


def test_every_note_and_finding_has_words_for_one() -> None:
    """A text that begins with things that are counted can be of one; none calls them by a word for more."""
    paths = [
        path
        for room in _ROOMS
        for path in ([ROOT / room] if room.endswith(".py") else (ROOT / room).rglob("*.py"))
    ]
    texts = {text for path in paths for text in _texts(path) if " " in text}
    assert len(texts) > 60
    # These say what is so of the log, or of one job.
    of_log = re.compile(r"(?:the|of|several|no|all|it|CPU times|node properties|jobs of 7 clusters)\b")
    first = re.compile(r"(?:\w+ )?\w{3,}s\b(?<!its)(?<!has)(?<!this)(?<!was)(?<!names)(?<!takes)")
    wrong = []
    for text in sorted(texts):
        one = of_count(1, text)
        of_more = one != text and _PLURAL.search(one.partition("; ")[0])
        not_known = one == text and first.match(text) and not of_log.match(text)
        if "  " in text or of_more or not_known:
            wrong.append(text)
    assert wrong == []
