"""Numbers in texts for users."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.shown_text import in_a_line

_NUMBER = re.compile(r"0*([0-9]{1,1000})")
_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_THIN_SPACE = re.compile(r"(?<=[0-9])\u202f(?=[0-9]{3}(?![0-9]))")
_OF_ONE = {"are": "is", "were": "was", "have": "has", "lie": "lies", "count": "counts"} | {
    verb: f"{verb}s" for verb in ("run", "fit", "come", "ask", "follow", "give", "name", "keep")
}
_COUNTED = (
    "jobs|times|lines|reasons|failures|rows|numbers|records|tasks|runs|starts|profiles|files|amounts|fractions|"
    "nodes|steps|states|parts|slices|specifications|caps|changes|lists|siblings|walltimes|runtimes|cells|"
    "columns|processors|lengths|dates"
)
# What is said of `jobs of 2 clusters` is said of the log, and its count says only that it is so.
_HEAD = re.compile(
    rf"((?:fractional |job |node |given |earlier |further )?)({_COUNTED})\b"
    r"(?! (?:of \d|of the clusters|and) )"
)
_OF_ONE_ALONE = {
    "submitted at the end of the job that they follow and their think time after it": (
        "submitted at the end of the job that it follows and its think time after it"
    ),
    "follow a job that is not in front of them: submitted as logged": (
        "follows a job that is not in front of it: submitted as logged"
    ),
}
"""Texts that begin with what jobs do."""
_VERB = re.compile(rf"((?: in '[^']*'| that|, which)? )({'|'.join(_OF_ONE)})\b")
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def format_seconds(seconds: float) -> str:
    """A length of time in its two largest units: `45 s`, `2 min 5 s`, `3 d 4 h`."""
    whole = round(abs(seconds))
    sign = "-" if seconds < 0 and whole else ""
    for k, (size, unit) in enumerate(_UNITS):
        if whole >= size:
            rest = ""
            # The second unit is only told where it is not 0.
            if k + 1 < len(_UNITS) and (smaller := whole % size // _UNITS[k + 1][0]):
                rest = f" {smaller} {_UNITS[k + 1][1]}"
            return f"{sign}{whole // size} {unit}{rest}"
    return "0 s"


def format_count(count: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{count:,.0f}".replace(",", "\u202f")


def spaced_thousands(text: str) -> str:
    """The text with thin spaces between thousands in place of commas."""
    return _COMMA.sub("\u202f", text)


def comma_thousands(text: str) -> str:
    """The text with commas between thousands in place of thin spaces, as a terminal shows numbers."""
    return _THIN_SPACE.sub(",", text) if "\u202f" in text else text


def in_sentence(title: str) -> str:
    """A title in the middle of a sentence: `mean wait`, but `CPU efficiency`, `P95 of waits`."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def natural(name: str) -> str:
    """A sort key of a name in which `c2` precedes `c10`: digits are compared by value."""
    return _NUMBER.sub(_counted, name)


def _counted(number: re.Match[str]) -> str:
    """The digits of a number preceded by their count, which sorts before all printable characters."""
    digits = number.group(1)
    return f"{chr(1)}{chr(len(digits))}{digits}"


def clip(text: str, most: int = 80) -> str:
    """The text in a single line of at most `most` characters, for messages about foreign text.

    What cannot be shown is an escape.
    """
    line = in_a_line(" ".join(text[: 2 * most].split()))
    return line if len(line) <= most and len(text) <= 2 * most else f"{line[: most - 1].rstrip()}…"


def typed(text: str) -> str:
    r"""The typed text, with bytes that are not UTF-8 (as in `sys.argv`) written as escapes like `caf\xe9`.

    Readers of logs write such bytes of names in the same way.
    """
    if text.isascii() or not any("\udc80" <= c <= "\udcff" for c in text):
        return text
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if "\udc80" <= c <= "\udcff" else c for c in text)


def without_halves(text: str) -> str:
    r"""The text with escapes like `\ud800` for halves of surrogate pairs, which no file holds as text."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def counted(count: int, noun: str) -> str:
    """`1 job`, `2,000 jobs`, as a terminal shows numbers."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def plural(count: int, noun: str) -> str:
    """`1 user`, `2 users`."""
    return f"{format_count(count)} {noun}{'' if count == 1 else 's'}"


def of_count(count: int, text: str) -> str:
    """What stands behind a count of things: `jobs that run longer`, but behind 1 `job that runs longer`.

    A text that does not begin with a noun that is counted stays: it says what is so of the whole log.
    """
    if count != 1:
        return text
    if text in _OF_ONE_ALONE:
        return _OF_ONE_ALONE[text]
    if text.startswith("of "):  # `of 7 starts that were planned were not kept`
        before, were, after = text.rpartition(" were ")
        return f"{before} was {after}" if were else text
    head = _HEAD.match(text)
    if head is None:
        return text
    rest = text[head.end() :]
    verb = _VERB.match(rest)  # of the counted things, not of what else the text names
    if verb is not None:
        rest = f"{verb[1]}{_OF_ONE[verb[2]]}{rest[verb.end() :]}"
    return f"{head[1]}{head[2][:-1]}{rest.replace(', and are not', ', and is not')}"


def counted_text(count: int, text: str) -> str:
    """`7 jobs that run longer`, as a terminal shows numbers; of one job `1 job that runs longer`."""
    return f"{count:,} {of_count(count, text)}"


def none_of(count: int, noun: str, verb: str, negated: str) -> str:
    """`none of the 2,000 jobs fits`, but of one alone `the only job does not fit`."""
    return f"the only {noun} {negated}" if count == 1 else f"none of the {counted(count, noun)} {verb}"


def no_job_fits(count: int) -> str:
    """Says that none of so many jobs fits, to be followed by on what."""
    return none_of(count, "job", "fits", "does not fit")


def no_job_selected(count: int) -> str:
    """Says that none of so many jobs is selected."""
    return none_of(count, "job", "is selected", "is not selected")
