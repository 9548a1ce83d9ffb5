"""The letters of formulas of metrics and quantities, and what they stand for."""

from __future__ import annotations

import re

LETTERS = {
    "s": "submission",
    "b": "start",
    "c": "end",
    "Q": "wait",
    "F": "response, from submission to end",
    "D": "runtime",
    "L": "requested walltime",
    "E": "runtime estimated at submission",
    "r": "processors of the job",
    "m": "RAM that the job requested",
    "a": "area, processors times runtime",
    "P": "penalty, the part of the machine that the job takes",
    "P_i": "price of the job's queue",
    "R": "processors of the machine",
    "EET": "expected end time",
    "T": "tardiness",
    "u": "a user",
    "v": "worth of the job if it is not delayed, and its bid",
    "t": "a moment",
}

_LETTER = re.compile(r"(?<![A-Za-z'])(?<!\d )(EET|P_i|[A-Za-z])(?![A-Za-z'])")
"""Letters that are no words; behind a number they are units."""


def explain_letters(formula: str) -> str:
    """What the letters of a formula stand for, in the order in which they come: `Q wait; b start`.

    Empty if there are none. Letters that the formula itself explains are not in `LETTERS`.
    """
    letters = dict.fromkeys(letter for letter in _LETTER.findall(formula) if letter in LETTERS)
    return "; ".join(f"{letter} {LETTERS[letter]}" for letter in letters)
