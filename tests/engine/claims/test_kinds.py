"""Kinds of claims: each is one kind alone, has a sentence, and stands in the list of the page on claims."""

from collections import Counter

from engine.claims.words import SENTENCES
from tests.engine.claims.kinds import PAGE, families, parts, table


def test_no_two_kinds_are_one() -> None:
    """A kind is a text: two of one text are one kind to Python, with the sentence of the later one."""
    texts = Counter(str(kind) for family in families() for kind in family.__members__.values())
    assert [text for text, count in texts.items() if count > 1] == []
    assert sum(len(family.__members__) for family in families()) == len(SENTENCES)


def test_each_kind_has_its_own_sentence() -> None:
    assert {kind for family in families() for kind in family} == set(SENTENCES)


def test_the_page_lists_all_kinds() -> None:
    """`python -m tests.engine.claims.kinds` writes the list."""
    assert parts(PAGE.read_text("utf-8"))[1] == table()


def test_each_kind_is_named_by_a_judge() -> None:
    """A kind that no test names is held by nothing but its words."""
    rows = [row.split(" | ") for row in table().splitlines()[2:]]
    assert {row[0]: row[-1].removesuffix(" |") for row in rows} == {row[0]: "none" for row in rows}
