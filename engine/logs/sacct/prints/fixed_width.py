"""Lines of sacct as columns of fixed width, as it prints them without -P."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from engine.errors import InputError
from engine.logs.sacct.prints.heads import Head
from engine.logs.sacct.prints.text import Marks, TextBlocks, TextRows

_PARTS = b"\x1f"
_CUT = b"+"  # at the end of a value that is longer than its column


class FixedBlocks(TextBlocks):
    """A reader of blocks of lines with fields at fixed positions."""

    def __init__(self, path: Path, head: Head, marks: Marks) -> None:
        super().__init__(replace(head, delimiter=_PARTS.decode(), spans=()), marks)
        self._path, self._spans = path, head.spans
        self._id = head.fields.index("JobID")
        self._goes_on = False

    def read_regular(self, data: bytes, number: int, final: bool) -> None:
        """None, so that each line is examined by `read_odd`."""

    def read_odd(self, data: bytes, number: int, final: bool) -> tuple[TextRows, int]:
        """The rows of lines, as for lines with delimiters. Raises InputError if ids of jobs are cut off."""
        lines = [self._cells(line.rstrip(b"\r"), number + k) for k, line in enumerate(data.split(b"\n")[:-1])]
        parted = b"".join(lines)
        return super().read_regular(parted, number, final) or super().read_odd(parted, number, final)

    def _cells(self, line: bytes, number: int) -> bytes:
        """The line with delimiters, or without any where it does not have these columns."""
        # A delimiter within a value would part it once more.
        line = line.replace(_PARTS, b" ")
        spans = self._spans
        # Anything between the columns says that the line is not of this table.
        between = b"".join(line[a[1] : b[0]] for a, b in pairwise(spans))
        if between.strip() or line[spans[-1][1] :].strip() or len(line) <= spans[-1][0]:
            line = line.strip()
            return b"\n" if not line or not line.strip(b"- ") else line + b"\n"
        cells = [line[begin:end].strip() for begin, end in spans]
        id_, (begin, end) = cells[self._id], spans[self._id]
        # An id that was cut is the id of another job: nothing can be made of such a log.
        if id_.endswith(_CUT) and b"." not in id_ and len(id_) == end - begin:
            shown = id_.decode("utf-8", "replace")
            raise InputError(
                f"{self._path}:{number}: the id {shown!r} is cut at the width of its column, so that jobs "
                "cannot be told from each other; print them with sacct -P"
            )
        if any(cell.endswith(_CUT) and len(cell) == b - a for cell, (a, b) in zip(cells, spans, strict=True)):
            self.marks.cut.append(number)
        return _PARTS.join(cells) + b"\n"
