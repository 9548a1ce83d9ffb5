"""A log in the Standard Workload Format with other numbers for users, groups and programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

STANDARD_FIELDS = 18
"""Of a line in the Standard Workload Format."""

_USER, _GROUP, _PROGRAM = 11, 12, 13  # fields, from 0
_HEADS = re.compile(
    r";\s*(Version|MaxJobs|MaxRecords|MaxNodes|MaxProcs|MaxRuntime|MaxMemory|MaxQueues|MaxPartitions|"
    r"AllowOveruse|Preemption|UnixStartTime|TimeZone|TimeZoneString|StartTime|EndTime)\s*:"
)
"""Lines of the header that say nothing of the site and its people."""


def renamed_numbers(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a log with users, groups and programs by their rank, and the header without names."""
    new = {field: _ranks(lines, field) for field in (_USER, _GROUP, _PROGRAM)}
    for line in lines:
        if line.lstrip().startswith(";"):
            if _HEADS.match(line.lstrip()):
                yield line
            continue
        words = line.split()
        for field, ranks in new.items():
            if len(words) > field:
                words[field] = ranks.get(words[field], words[field])
        yield " ".join(words)


def _ranks(lines: Sequence[str], field: int) -> dict[str, str]:
    """The rank, from 1, of each number of a field; -1 stays, which means that there is none."""
    cells = (line.split() for line in lines if not line.lstrip().startswith(";"))
    seen = {words[field] for words in cells if len(words) > field and _is_name(words[field])}
    return {text: str(rank) for rank, text in enumerate(sorted(seen, key=int), 1)}


def _is_name(text: str) -> bool:
    return text.isascii() and text.isdigit()
