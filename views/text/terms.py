"""Explanations of terms: meaning, formula, and source."""

from __future__ import annotations

from dataclasses import dataclass

from engine.metrics.catalog import METRICS
from engine.metrics.letters import explain_letters
from engine.quantities import QUANTITIES
from views.text.units import sentence

_BETTER = {"lower": "Lower is better.", "higher": "Higher is better.", None: ""}

_TOTH = "Toth & Klusacek 2014"


@dataclass(frozen=True)
class Term:
    """A word with its meaning, in sentences; `formula` and `source` may be empty."""

    title: str
    text: str
    formula: str = ""
    source: str = ""

    @property
    def explanation(self) -> str:
        """All of it, in paragraphs."""
        source = f"Source: {self.source}." if self.source else ""
        parts = (self.title, self.text, self.formula, self.letters, source)
        return "\n\n".join(part for part in parts if part)

    @property
    def letters(self) -> str:
        """What the letters of the formula stand for."""
        letters = explain_letters(self.formula)
        return f"{letters}." if letters else ""


_OWN = {
    "eet": Term(
        "Expected end time (EET)",
        "When the job would have ended had its user had the expected share of the machine alone: the jobs of "
        "a user run there in the order of their submission, each as soon as the share has room for it. A job "
        "that ends later violates it.",
        "late where c > EET; by T = max(0, c - EET)",
        f"{_TOTH}, 3.2",
    ),
    "queue depth": Term(
        "Queue depth",
        "The total time, in minutes, that the jobs waiting at a moment have waited so far.",
        "QD(t) = sum of (t - s) over the jobs with s ≤ t < b, in minutes",
        "Tang et al. 2013, 4.2",
    ),
    "gain": Term(
        "Relative gain",
        "How much better a run is than the baseline in three metrics at once: mean wait, unfair jobs, and "
        "loss of capacity; without fair start times bounded slowdown stands in the place of unfair jobs. "
        "EQUAL weighs them alike; WAIT+, UNFAIR+ (or SLOW+) and LOC+ give the metric in their name a weight "
        "of one half, and the others a quarter each.",
        "sum of w G, G = 100 (S_A - S_B) / S_A of the scores S_A of the baseline and S_B of the run",
        "Tang et al. 2013, figures 11 and 12",
    ),
}


def is_explained(key: str) -> bool:
    """True if a term has more than its name: a formula, a source, or a definition of a metric."""
    return key in _OWN or key in METRICS or (key in QUANTITIES and bool(QUANTITIES[key].formula))


def term_of(key: str) -> str:
    """The key, if the word needs an explanation, else nothing."""
    return key if is_explained(key) else ""


def explained_words() -> dict[str, str]:
    """The keys of all words that are explained, with their titles, in alphabetical order of these."""
    keys = filter(is_explained, dict.fromkeys((*_OWN, *QUANTITIES, *METRICS)))
    return dict(sorted(((key, term(key).title) for key in keys), key=lambda entry: entry[1].casefold()))


def term(key: str) -> Term:
    """The term of a key: a special term, the name of a metric, or the name of a quantity.

    Raises KeyError for an unknown key.
    """
    if key in _OWN:
        return _OWN[key]
    if key in METRICS:
        metric = METRICS[key]
        unit = f"In {metric.unit}." if metric.unit else ""
        text = " ".join(part for part in (metric.text, unit, _BETTER[metric.better]) if part)
        return Term(f"{metric.label} ({metric.name})", text, metric.formula)
    quantity = QUANTITIES[key]
    return Term(quantity.title, sentence(quantity.text), quantity.formula, quantity.source)
