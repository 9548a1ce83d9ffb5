"""What is left out of collected texts, in Python and by the programs of a script, which agree."""

import subprocess

import pytest

from engine.collect.redaction import awk_programs, without_hidden, without_hidden_words

LINES = """Configuration data as of 2026-11-28T17:26:41
AccountingStoragePass   = abc
AuthAltParameters       = disable_token_creation,jwt_key=/etc/abc.key
AuthInfo                = socket=/abc
JobCompPass             = abc
PriorityType            = priority/multifactor
JobCredentialPrivateKey = /abc
    Variable_List = HOME=/home/abc,
\tPBS_O_WORKDIR=/abc
    Submit_arguments = -l abc
    comment = of abc
    queue = batch
   Reason=abc [root@2026-11-01]
set server acl_roots = root
"""
WORDS = (
    "11/01/2026 08:00:00;E;1.pbs;user=ann comment=abc and abc queue=batch submit_args=-l abc ctime=5\n"
    "11/01/2026 08:00:01;Q;2.pbs;queue=batch\n"
)


@pytest.mark.parametrize("asked", [(), ("commands",), ("directories", "comments")])
def test_a_script_leaves_out_the_same(asked: tuple[str, ...]) -> None:
    programs = awk_programs(asked)
    for program, text, here in (
        ("hide_lines", LINES, without_hidden(LINES, asked)),
        ("hide_words", WORDS, without_hidden_words(WORDS, asked)),
    ):
        there = subprocess.run(
            ["awk", programs[program]], input=text, capture_output=True, text=True, check=True, timeout=60
        )
        assert there.stdout == here


def test_secrets_are_left_out_always_and_texts_of_users_unless_asked_for() -> None:
    assert "abc" not in without_hidden(LINES, ())
    assert without_hidden(LINES, ()).count("\n") == 4
    assert "abc" not in without_hidden_words(WORDS, ())
    assert "user=ann queue=batch ctime=5\n" in without_hidden_words(WORDS, ())
    everything = without_hidden(LINES, ("commands", "directories", "comments"))
    assert "HOME" in everything
    assert "Reason" in everything
    assert "jwt" not in everything
    assert "Pass" not in everything
    assert "AuthInfo" not in everything
