"""Completions for typing a formula."""

from __future__ import annotations

import re

from engine.completion import Candidate, Completion
from engine.score.names import FUNCTIONS, VARIABLES
from engine.score.parse import LONGEST, FormulaError, tokens_of

_BEGUN = re.compile(r"[A-Za-z_]\w*$")
_JOINTS = (
    Candidate("+", "plus"), Candidate("-", "minus"), Candidate("*", "times"), Candidate("/", "divided by"),
    Candidate("^", "to the power of"), Candidate("<", "less than"), Candidate(">", "more than"),
    Candidate("and", "both must hold"), Candidate("or", "one must hold"),
)  # fmt: skip


def complete_formula(before: str) -> Completion:
    """Completions at the end of `before`, the likeliest first; none if it is no part of a formula."""
    match = _BEGUN.search(before[:LONGEST])
    start = match.start() if match else len(before)
    try:
        tokens = tokens_of(before[:start])
    except FormulaError:
        return Completion(start, ())
    last = tokens[-2] if len(tokens) > 1 else None
    begun = before[start:].casefold()
    # Behind a value only an operator can follow, elsewhere only a value.
    if last is not None and (last.kind == "number" or last.text in VARIABLES or last.text == ")"):
        offers = list(_JOINTS)
    else:
        offers = [Candidate(variable.name, variable.help) for variable in VARIABLES.values()]
        offers += [Candidate(f"{function.name}(", function.help) for function in FUNCTIONS.values()]
        offers.append(Candidate("not", "1 where it is 0"))
    offers = [offer for offer in offers if begun in offer.word.casefold()]
    # What begins with the letters goes before what only contains them.
    offers.sort(key=lambda offer: not offer.word.casefold().startswith(begun))
    return Completion(start, tuple(offers))
