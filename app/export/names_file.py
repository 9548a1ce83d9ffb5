"""A file of names: what tables and figures call parameters, values, measures, runs and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from engine.errors import InputError
from engine.metrics.metric_names import parse_metric
from engine.quantities import offered
from engine.sweep.toml_values import read_toml


def read_names(path: Path | None) -> Mapping[str, str]:
    """The words of a file of names: of parameters, values, measures, runs and units; none without a file.

    The name of a metric or of a quantity also stands for the label that tables have in its place. Raises
    InputError, OSError.
    """
    if path is None:
        return {}
    names = read_toml(path)
    for name, text in names.items():
        if not isinstance(text, str):
            raise InputError(f"{path}: {name} should be a text in quotes")
    # Where the file names a label itself, its own word counts.
    return {**{label: text for name, text in names.items() for label in _labels(name)}, **names}


def _labels(name: str) -> Iterator[str]:
    """What tables call the metric or the quantity of this name."""
    with suppress(InputError):  # a name of anything else is no metric
        yield parse_metric(name).label
    for place in ("groups", "filter"):
        if (quantity := offered(place).get(name)) is not None:
            yield quantity.offer(place).title
