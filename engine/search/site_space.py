"""The space of a search from a site: options of its Slurm, each with its possible values."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import InputError
from engine.policy.key import Key, Range
from engine.policy.names import KeyGroup
from engine.search.dimension import Dimension, ends_of
from engine.slurm.site.changes import OptionRange, spans_named, varied, varied_name
from engine.slurm.site.site import Site

_MOST_OF_OPTION = 10**9


def site_space(texts: Sequence[str], site: Site) -> tuple[Dimension, ...]:
    """Parse `OPTION`, `OPTION=low..high` and `OPTION=value|value`; the usual options of the site if empty.

    Raises InputError that names the error.
    """
    space: dict[str, Dimension] = {}
    for span in varied(site) if not texts else ():
        space[span.name] = _between(span)
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        dimensions = (
            # With values the option takes these alone; without them its name may stand for several options.
            (_spelled(varied_name(site, name), values),) if equals else map(_between, spans_named(site, name))
        )
        for dimension in dimensions:
            if dimension.key.name in space:
                raise InputError(f"{dimension.key.name} is varied twice")
            space[dimension.key.name] = dimension
    if not space:
        raise InputError(f"{site.path}: none of its options is varied where none is named: name some")
    return tuple(space.values())


def _spelled(name: str, text: str) -> Dimension:
    """The values of an option that a text spells: `low..high`, or `value|value`. Raises InputError."""
    key = _key(name, 0, _MOST_OF_OPTION)
    ends = ends_of(key, text)
    if ends is not None:
        return Dimension(key, low=ends[0], high=ends[1])
    words = tuple(dict.fromkeys(part.strip() for part in text.split("|")))
    if len(words) < 2:
        raise InputError(f"{name}={text}: two values or more, like low..high or one|another")
    return Dimension(key, words)


def _between(span: OptionRange) -> Dimension:
    return Dimension(_key(span.name, span.low, span.high), low=span.low, high=span.high)


def _key(name: str, low: int, high: int) -> Key:
    """The option as a key of whole numbers."""
    return Key(KeyGroup.RESERVATIONS, "", range=Range("count", low, high, high), name=name)
