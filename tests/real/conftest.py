"""The one session of a real Slurm that all tests here look at."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.session import take
from tests.real.site import lacks
from tests.real.table_files import write_tables


@pytest.fixture(scope="session")
def session() -> Iterator[Path]:
    """The folder of a session of some forty jobs; skips where there is no Slurm that may be started."""
    if missing := lacks():
        pytest.skip(missing)
    folder = Path(tempfile.mkdtemp(prefix="batchscope-real-", dir="/tmp"))
    try:
        take(folder)
        write_tables(folder / "out")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
