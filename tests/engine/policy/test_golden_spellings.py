"""Spellings of policies and their canonical text, which session and study files rely on."""

from pathlib import Path

from engine.errors import InputError
from engine.policy.policy import parse_policy

LINES = (Path(__file__).parent / "golden_spellings.tsv").read_text(encoding="utf-8").splitlines()
"""A spelling, a tab, and its canonical text, or `! ` and the message of the error."""


def canonical(text: str) -> str:
    """The canonical text of a policy, which is read as the same policy, or the message of the error."""
    try:
        policy = parse_policy(text)
    except InputError as error:
        return f"! {error}"
    assert parse_policy(policy.spelling) == policy
    return policy.spelling


def test_the_canonical_text_of_a_policy_never_changes() -> None:
    expected = dict(line.split("\t") for line in LINES)
    assert {text: canonical(text) for text in expected} == expected
