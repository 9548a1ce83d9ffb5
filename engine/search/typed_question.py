"""A search as it is typed: names of metrics, bounds, keys and policies, read into a question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.search.question import Question, parse_bound, parse_objective
from engine.search.space import parse_space


@dataclass(frozen=True)
class TypedQuestion:
    """The question of a search as typed. `bounds` and `keys` are separated by commas; without keys the usual
    keys vary. Without a baseline it is easy, or the site that the search starts from. A site whose model
    misleads is varied only if that is asked for (`doubtful`).
    """

    minimize: tuple[str, ...] = ("wait_mean",)
    maximize: tuple[str, ...] = ()
    bounds: str = ""
    keys: str = ""
    policy: str = "easy"
    baseline: str = ""
    trials: int = 200
    seed: int = 0
    doubtful: bool = False

    def question(self) -> Question:
        """The parsed question; of a site its options are varied. Raises InputError that names the invalid
        part.
        """
        texts = (
            (text, large)
            for names, large in ((self.minimize, False), (self.maximize, True))
            for text in names
        )
        objectives = tuple(parse_objective(text, large) for text, large in texts)
        if not objectives:
            raise InputError("choose a metric to minimize or maximize")
        bounds = tuple(map(parse_bound, entries_of(self.bounds)))
        base = parse_policy(self.policy)
        space = parse_space(entries_of(self.keys), base)
        # A site is compared with itself as it is; another policy with EASY.
        usual = base if base.site is not None else parse_policy("easy")
        baseline = parse_policy(self.baseline) if self.baseline.strip() else usual
        return Question(base, space, objectives, bounds, baseline)


def entries_of(text: str) -> list[str]:
    """The entries of a line: bounds or keys, separated by commas, semicolons or new lines."""
    return [part for part in (part.strip() for part in re.split(r"[,;\n]", text)) if part]
