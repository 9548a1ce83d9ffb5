"""The building of packages, as far as it takes no time; `packaging/build.py` itself takes minutes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.packaging_modules import load

stage = load("stage")
wheel = load("wheel")

METADATA = (
    "Name: batchscope\nRequires-Dist: numba==1\nRequires-Dist: llvmlite==1\nRequires-Dist: numpy>=2.0\n"
)
VERSIONS = {"numba": "1", "llvmlite": "1", "numpy": "2.1.3"}


def test_a_wheel_requires_the_versions_that_its_kernels_were_compiled_with() -> None:
    assert wheel._pinned(METADATA, VERSIONS).splitlines()[-1] == "Requires-Dist: numpy==2.1.3"
    with pytest.raises(stage.BuildError, match="0 requirements of numpy"):
        wheel._pinned(METADATA.replace("numpy", "numbers"), VERSIONS)


def test_a_wheel_with_compiled_kernels_is_for_one_platform() -> None:
    text = wheel._tagged("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    assert text == f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {wheel.wheel_tag()}\n"
    assert "any" not in wheel.wheel_tag()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    files = {"b.py": b"2", "x.dist-info/RECORD": b"", "a.py": b"1" * 1000}
    wheel._write(tmp_path / "one.whl", files, 1_700_000_000)
    wheel._write(tmp_path / "two.whl", dict(reversed(files.items())), 1_700_000_000)
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.whl") as archive:
        assert archive.namelist() == ["a.py", "b.py", "x.dist-info/RECORD"]
        assert archive.infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)


def test_a_record_names_each_file_with_its_digest() -> None:
    record = wheel._record({"a.py": b"1"}, "x.dist-info/RECORD")
    digest = "a4ayc_80_OGda4BO_1o_V0etpOqiLx1JwB5S3beHW0s"  # of the byte "1"
    assert record == f"a.py,sha256={digest},1\nx.dist-info/RECORD,,\n"


def test_builds_are_told_nothing_that_changes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_OPT", "1")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert stage.commit_time() == 1_700_000_000
    environment = stage.Stage(tmp_path, tmp_path, tmp_path, "1", stage.commit_time()).environment
    assert "NUMBA_OPT" not in environment
    assert (environment["SOURCE_DATE_EPOCH"], environment["PYTHONHASHSEED"]) == ("1700000000", "0")
