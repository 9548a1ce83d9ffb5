"""Filter expressions: immutable, with a canonical spelling, evaluated on the jobs of a trace."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from engine.arrays import Mask
from engine.filter.fields import FIELDS, Field
from engine.filter.values import NAME, Value, compare
from engine.quantities import Jobs


class Expression(ABC):
    """A condition on jobs. `str` gives the spelling that `parse_filter` reads back."""

    @abstractmethod
    def mask(self, jobs: Jobs) -> Mask:
        """The matching jobs, shape (n,)."""

    @abstractmethod
    def comparisons(self) -> Iterator[Compare]:
        """The comparisons in it, from left to right."""

    @property
    def of_run(self) -> bool:
        """True if it uses a quantity that differs from run to run."""
        return any(part.of.of_run for part in self.comparisons())


@dataclass(frozen=True)
class Compare(Expression):
    """A field compared with a value, for `in` with several. A job without a value there meets nothing."""

    field: str
    operator: str
    values: tuple[Value, ...]

    @property
    def of(self) -> Field:
        """The field that is compared."""
        return FIELDS[self.field]

    def __str__(self) -> str:
        texts = ", ".join(map(self.of.kind.format, self.values))
        return f"{NAME.format(self.field)} {self.operator} {f'({texts})' if self.operator == 'in' else texts}"

    def mask(self, jobs: Jobs) -> Mask:
        """The jobs whose value meets the comparison."""
        column, kind = self.of.values(jobs), self.of.kind
        operator = "=" if self.operator == "in" else self.operator
        met = (compare(kind, column, operator, value, jobs.trace) for value in self.values)
        return reduce(np.logical_or, met)

    def comparisons(self) -> Iterator[Compare]:
        """Itself."""
        yield self


@dataclass(frozen=True)
class Not(Expression):
    """The negation of a condition."""

    part: Expression

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, Joint) else f"not {self.part}"

    def mask(self, jobs: Jobs) -> Mask:
        """All other jobs."""
        return ~self.part.mask(jobs)

    def comparisons(self) -> Iterator[Compare]:
        """Those of the part."""
        return self.part.comparisons()


@dataclass(frozen=True)
class Joint(Expression):
    """A conjunction or disjunction. Made by `join`, so that no part has the same operator."""

    word: Literal["and", "or"]
    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        """`or` binds less than `and`."""
        weaker = [self.word == "and" and isinstance(part, Joint) for part in self.parts]
        texts = (f"({part})" if weak else str(part) for weak, part in zip(weaker, self.parts, strict=True))
        return f" {self.word} ".join(texts)

    def mask(self, jobs: Jobs) -> Mask:
        """The jobs that match all parts, or any part."""
        both = np.logical_and if self.word == "and" else np.logical_or
        return reduce(both, (part.mask(jobs) for part in self.parts))

    def comparisons(self) -> Iterator[Compare]:
        """Those of all parts."""
        for part in self.parts:
            yield from part.comparisons()


def join(word: Literal["and", "or"], *parts: Expression) -> Expression:
    """The conjunction or disjunction of these parts; a single part is returned as it is."""
    flat: list[Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, Joint) and part.word == word else (part,)
    return flat[0] if len(flat) == 1 else Joint(word, tuple(flat))


def match_any(expression: Expression, runs: Sequence[Jobs]) -> Mask:
    """The jobs that match under at least one of these runs of a trace, shape (n,)."""
    seen = runs if expression.of_run else runs[:1]
    return reduce(np.logical_or, (expression.mask(jobs) for jobs in seen))
