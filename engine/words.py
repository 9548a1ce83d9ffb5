"""Numbers in texts for users."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.shown_text import in_a_line

_NUMBER = re.compile(r"0*([0-9]{1,1000})")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_OF_ONE = {"are": "is", "run": "runs", "fit": "fits", "come": "comes"}
_OF_JOBS = re.compile(r"jobs( that | )(are|run|fit|come|with a|whose|ran)\b(?!.*: they )")
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def format_seconds(seconds: float) -> str:
    """A length of time in its two largest units: `45 s`, `2 min 5 s`, `3 d 4 h`."""
    whole = round(abs(seconds))
    sign = "-" if seconds < 0 and whole else ""
    for k, (size, unit) in enumerate(_UNITS):
        if whole >= size:
            rest = ""
            if k + 1 < len(_UNITS) and (smaller := whole % size // _UNITS[k + 1][0]):
                rest = f" {smaller} {_UNITS[k + 1][1]}"
            return f"{sign}{whole // size} {unit}{rest}"
    return "0 s"


def format_count(count: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{count:,.0f}".replace(",", "\u202f")


def spaced_thousands(text: str) -> str:
    """The text with thin spaces between thousands in place of commas."""
    return _THOUSANDS.sub("\u202f", text)


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
    """`1 job`, `2,000 jobs`, as the command line writes numbers."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def plural(count: int, noun: str) -> str:
    """`1 user`, `2 users`."""
    return f"{format_count(count)} {noun}{'' if count == 1 else 's'}"


def of_count(count: int, text: str) -> str:
    """What stands behind a count of jobs: `jobs that run longer`, but behind 1 `job that runs longer`.

    Other texts, and those with a verb that is not in the list, stay.
    """
    found = _OF_JOBS.match(text) if count == 1 else None
    return text if found is None else f"job{found[1]}{_OF_ONE.get(found[2], found[2])}{text[found.end() :]}"


def none_of(count: int, noun: str, verb: str, negated: str) -> str:
    """`none of the 2,000 jobs fits`, but of one alone `the only job does not fit`."""
    return f"the only {noun} {negated}" if count == 1 else f"none of the {counted(count, noun)} {verb}"


def no_job_fits(count: int) -> str:
    """Says that none of so many jobs fits, to be followed by on what."""
    return none_of(count, "job", "fits", "does not fit")


def no_job_selected(count: int) -> str:
    """Says that none of so many jobs is selected."""
    return none_of(count, "job", "is selected", "is not selected")
