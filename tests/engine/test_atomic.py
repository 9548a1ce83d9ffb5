import os
import stat
import threading
from pathlib import Path

import pytest

from engine.atomic import fill_folder, write_atomically


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


posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes are those of POSIX")


@posix
def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.touch()
    path.chmod(0o640)
    write_atomically(path, lambda part: part.write_text("new"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_follows_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "out", lambda part: part.write_text("new"))
        write_atomically(tmp_path / "own", lambda part: part.write_text("new"), private=True)
        assert os.umask(mask) == mask, "which stays"
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o600


@posix
def test_a_private_file_is_this_users_alone_whatever_was_there(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o644)
    write_atomically(tmp_path / "out", lambda part: part.write_text("new"), private=True)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.csv").symlink_to("there/out.csv")
    for text in ("first", "second"):  # before the file is there, and after
        write_atomically(tmp_path / "link.csv", lambda part, text=text: part.write_text(text))
        assert (tmp_path / "link.csv").is_symlink()
        assert (tmp_path / "there" / "out.csv").read_text() == text
    assert names(tmp_path) == ["link.csv", "there"]
    assert names(tmp_path / "there") == ["out.csv"]


@posix
def test_pipes_and_devices_are_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        with pytest.raises(OSError, match="not a file to be written") as caught:
            write_atomically(path, lambda part: part.write_text("new"))
        assert caught.value.filename == str(path)
        assert not stat.S_ISREG(path.stat().st_mode)


@posix
def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write_atomically(path, lambda part: part.write_text("new"))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.csv"]


def test_it_is_on_the_disk_before_it_is_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, int]] = []
    flush, move = os.fsync, Path.replace

    def note_flush(handle: int) -> None:
        done.append(("flush", os.fstat(handle).st_size))
        flush(handle)

    def note_move(part: Path, target: Path) -> Path:
        done.append(("move", part.stat().st_size))
        return move(part, target)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(Path, "replace", note_move)
    write_atomically(tmp_path / "out", lambda part: part.write_text("new"))
    assert done == [("flush", 3), ("move", 3)]


def test_a_long_name_is_no_longer_beside_its_place(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".csv")
    write_atomically(path, lambda part: part.write_text("new"))
    assert path.read_text() == "new"


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_appears_whole(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "out"
    if there:
        folder.mkdir(0o750)

    def fill(part: Path) -> None:
        (part / "inner").mkdir()
        (part / "inner" / "b").write_text("2")
        (part / "a").write_text("1")
        assert not there or not names(folder)
        assert there or not folder.exists()

    fill_folder(folder, fill)
    assert (names(folder), names(folder / "inner"), names(tmp_path)) == (["a", "inner"], ["b"], ["out"])
    mode = stat.S_IMODE(folder.stat().st_mode)
    assert mode == (0o750 if there else stat.S_IMODE((folder / "inner").stat().st_mode))


def test_no_folder_is_left_where_filling_fails(tmp_path: Path) -> None:
    def fill(part: Path) -> None:
        (part / "half").write_text("half")
        raise OSError(28, "No space left on device", str(part / "half"))

    with pytest.raises(OSError, match="No space left") as caught:
        fill_folder(tmp_path / "out", fill)
    assert caught.value.filename == str(tmp_path / "out")
    assert not names(tmp_path)
