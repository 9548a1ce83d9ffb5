"""What is left out of collected texts: passwords and keys always, and what users wrote unless asked for.

The rules are regular expressions that Python and awk read alike, since a script applies them too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

SECRETS = "pass|key|secret|token|authinfo|credential"
"""Parts of the names, in small letters, of settings that are never collected."""

_OF_WORDS = {
    "commands": "submit_arg|submitline|command",
    "directories": "path$|dir$|variable_list|join_path|shell_path",
    "comments": "comment|^reason$|^extra$|^note",
}
"""Parts of names that hold what users and administrators wrote, by the word that asks for them."""

WORDS = tuple(_OF_WORDS)
"""What is collected only if it is asked for."""

_IN_VALUE = "(pass|key|secret|token)[a-z_]*="
_OF_LINE = re.compile(_IN_VALUE)


def hidden_names(asked: Collection[str]) -> str:
    """A regular expression for the names, in small letters, of what is left out where this is asked for."""
    return "|".join([SECRETS, *(names for word, names in _OF_WORDS.items() if word not in asked)])


def without_hidden(text: str, asked: Collection[str]) -> str:
    """The lines `Name = value` of a text without those of hidden names; lines after a tab go with theirs."""
    return "".join(_shown_lines(text, re.compile(hidden_names(asked))))


def _shown_lines(text: str, names: re.Pattern[str]) -> Iterator[str]:
    drops = False
    for line in text.splitlines(keepends=True):
        lower = line.lower()
        if not line.startswith("\t"):  # which continues the line before it
            name = re.sub(r"[ \t]", "", lower.partition("=")[0])
            drops = "=" in lower and names.search(name) is not None
        # A list of options may hold a key of its own: `AuthAltParameters = jwt_key=/etc/key`.
        if not drops and not _OF_LINE.search(lower):
            yield line


def without_hidden_words(text: str, asked: Collection[str]) -> str:
    """The records `name=value name=value ...` of a text without the values of hidden names."""
    names = re.compile(hidden_names(asked))
    return "".join(_record(line, names) for line in text.splitlines(keepends=True))


def _record(line: str, names: re.Pattern[str]) -> str:
    """A line without its hidden values, whose blanks belong to them."""
    shown, drops = [], False
    for word in line.rstrip("\n").split(" "):
        if match := re.match(r"[A-Za-z_.]+=", word):
            drops = names.search(match[0][:-1].lower()) is not None
        if not drops:
            shown.append(word)
    return " ".join(shown) + ("\n" if line.endswith("\n") else "")


def awk_programs(asked: Collection[str]) -> dict[str, str]:
    """The programs of awk that leave out the same, by the names that a script gives them."""
    names = hidden_names(asked)
    lines = (
        '{ low = tolower($0) } !/^\\t/ { name = low; sub(/=.*/, "", name); gsub(/[ \\t]/, "", name); '
        f"drop = low ~ /=/ && name ~ /{names}/ }} !drop && low !~ /{_IN_VALUE}/"
    )
    words = (
        '{ out = ""; drop = 0; for (i = 1; i <= NF; i++) { if ($i ~ /^[A-Za-z_.]+=/) { name = tolower($i); '
        f'sub(/=.*/, "", name); drop = name ~ /{names}/ }} '
        'if (!drop) out = out (out == "" ? "" : " ") $i } print out }'
    )
    return {"hide_lines": lines, "hide_words": words}
