from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from engine.atomic import write_atomically


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"

    def write(part: Path) -> None:
        assert part.parent == tmp_path, "in the same folder, so that moving it is one step"
        assert part.suffix == ".csv", "writers go by the suffix"
        part.write_text("half")
        assert not path.exists()
        part.write_text("whole")

    write_atomically(path, write)
    assert path.read_text() == "whole"
    assert names(tmp_path) == ["out.csv"]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    write_atomically(path, lambda part: part.write_text("new"))
    assert path.read_text() == "new"


@pytest.mark.parametrize("problem", [ValueError("wrong"), KeyboardInterrupt(), MemoryError()])
def test_what_was_there_stays_where_writing_fails(tmp_path: Path, problem: BaseException) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")

    def write(part: Path) -> None:
        part.write_text("half")
        raise problem

    with pytest.raises(type(problem)):
        write_atomically(path, write)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.csv"]


def test_the_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out.csv"
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path, lambda part: part.write_text("new"))
    assert caught.value.filename == str(path)
    assert caught.value.strerror


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write_atomically(tmp_path / "out.csv", lambda part: part.write_text("new"))
    assert caught.value.filename == str(tmp_path / "out.csv")
    assert names(tmp_path) == ["out.csv"]


def test_an_error_without_a_number_keeps_its_words(tmp_path: Path) -> None:
    def write(part: Path) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full") as caught:
        write_atomically(tmp_path / "out.csv", write)
    assert caught.value.filename == str(tmp_path / "out.csv")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_mode_is_that_of_any_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_atomically(tmp_path / "out", lambda part: part.write_text("new"))
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )


def test_of_several_writers_one_wins_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    texts = [letter * 100_000 for letter in "abcd"]
    threads = [
        threading.Thread(target=write_atomically, args=(path, lambda part, text=text: part.write_text(text)))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert names(tmp_path) == ["out"]
