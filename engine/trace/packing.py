"""Files that are packed where their names say so, with the same bytes for the same contents."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast


@contextmanager
def open_packed(part: Path, packed: bool) -> Iterator[IO[bytes]]:
    """The file `part`, to be written anew, in gzip's format if `packed`. Raises OSError."""
    with part.open("wb") as file:
        if not packed:
            yield file
            return
        # Without a file name and the time of packing.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as stream:
            yield cast("IO[bytes]", stream)
