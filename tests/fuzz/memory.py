"""A bound for what a process may hold."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")
_DATA = 5  # its field of writable memory, in pages


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Let this process hold `size` bytes more than it does: beyond it there is a MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    held = int(_STATM.read_text().split()[_DATA]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (held + size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
