"""Parts of a report as values: statements that link to figures, and small tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.claims.claim import Claim
from engine.claims.words import TextSpan, line, plain, sentence
from engine.metrics.evaluation import Evaluation
from engine.slurm.scheduler.verdicts import RunVerdict, SiteVerdicts
from engine.trace import Trace


@dataclass(frozen=True)
class Statement:
    """A sentence or two over measured numbers. `figure` is the kind of the figure that shows it.

    `claims` are said in one sentence, which names the subject of the first one if `named`; `words` are text
    that claims nothing of the log, or `rendered` claims. `pair` is the place of the run that a figure of a
    difference shows against the baseline.
    """

    claims: tuple[Claim, ...] = ()
    figure: str = ""
    pair: int | None = None
    words: str = ""
    named: bool = True
    rendered: tuple[TextSpan, ...] = ()

    @property
    def spans(self) -> tuple[TextSpan, ...]:
        """The text with what its parts say."""
        words = (TextSpan(self.words),) if self.words else self.rendered
        words = (TextSpan(" "), *words) if words and self.claims else words
        if not self.named:
            return (*(sentence(*self.claims) if self.claims else ()), *words)
        return (*line(self.claims), *([TextSpan(".")] if self.claims else []), *words)

    @property
    def text(self) -> str:
        """The text alone."""
        return plain(self.spans)


@dataclass(frozen=True)
class TextTable:
    """A table of texts: the first row has the titles; columns but the first are numbers."""

    name: str  # of its file, without a suffix
    caption: str
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """A section of a report that answers a question."""

    title: str
    statements: Sequence[Statement] = ()
    tables: Sequence[TextTable] = field(default_factory=tuple)


@dataclass(frozen=True, eq=False)
class Compared:
    """Runs by name, at least one, compared and measured together; `baseline` is the index of a run.

    `sites` are the verdicts of runs of sites, by their places, None for other policies: by default none is
    known. `hidden` are what-ifs that are not shown, by name, and why.
    """

    names: Sequence[str]
    evaluations: Sequence[Evaluation]
    baseline: int = 0
    sites: Sequence[RunVerdict | None] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def verdicts(self) -> SiteVerdicts:
        """How far the runs of sites are to be believed."""
        schedules = tuple(evaluation.schedule for evaluation in self.evaluations)
        return SiteVerdicts(tuple(self.names), schedules, tuple(self.sites) or (None,) * len(schedules))

    @property
    def trace(self) -> Trace:
        """The log of all runs."""
        return self.evaluations[0].schedule.trace

    @property
    def others(self) -> list[int]:
        """The places of the runs that are not the baseline."""
        return [place for place in range(len(self.names)) if place != self.baseline]

    @property
    def base(self) -> Evaluation:
        """The run that the others are compared with."""
        return self.evaluations[self.baseline]

    @property
    def base_name(self) -> str:
        """The name of the baseline."""
        return self.names[self.baseline]
