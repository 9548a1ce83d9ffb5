"""What may come of hostile input: a value, or the one error that says in a line where what was wrong."""

from collections.abc import Callable

from engine.errors import InputError
from tests.fuzz.fuzzer import READ, REFUSED

LONGEST = 1000
"""Characters of a message, which quotes but a part of what it is about."""


class BadMessageError(AssertionError):
    """An error of the right type that is of no use to whoever reads it."""


def outcome_of(read: Callable[[], object], where: str = "") -> str:
    """READ or REFUSED; raises what else comes of it, and BadMessageError.

    `where` is how a message has to begin: the path of the file.
    """
    try:
        read()
    except InputError as error:
        found = str(error)
        if not found.startswith(where) or len(found.splitlines()) != 1 or not found.isprintable():
            raise BadMessageError(f"not one line that begins with {where!r}: {found!r}") from error
        if len(found) > LONGEST:
            raise BadMessageError(f"a message of {len(found):,} characters: {found[:200]!r}...") from error
        if "not enough memory" in found:
            raise MemoryError(found) from error
        return REFUSED
    return READ
