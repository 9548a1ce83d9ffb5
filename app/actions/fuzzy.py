"""The match of a typed text with a name: words, beginnings of words, or letters in order."""

from __future__ import annotations

_EXACT, _BEGIN, _INSIDE, _LETTERS = 100, 80, 50, 20
"""The scores of a typed word, by how it is found in the name: as a whole word, at the beginning of a word,
inside a word, or as single letters in the same order."""


def fit(typed: str, name: str) -> int | None:
    """A score, the larger the better; None if some typed word is not found at all.

    Case is ignored. Several words are matched separately, in any order.
    """
    lower = name.lower()
    scores = [_fit_word(word, lower) for word in typed.lower().split()]
    if any(score is None for score in scores):
        return None
    return sum(score for score in scores if score is not None) - len(name) // 8


def _fit_word(word: str, name: str) -> int | None:
    """The score of a single typed word; None if a letter of it is missing in the name.

    Where only its letters occur in order, each that begins a word of the name raises the score.
    """
    words = name.split()
    if word in words:
        return _EXACT
    if any(other_word.startswith(word) for other_word in words):
        return _BEGIN
    if word in name:
        return _INSIDE
    # The typed word is no part of the name: its letters may occur in their order, as "gc" in "gantt chart".
    index, begins = -1, 0
    for letter in word:
        index = name.find(letter, index + 1)
        if index < 0:
            return None
        begins += index == 0 or name[index - 1] == " "
    return _LETTERS + 4 * begins
