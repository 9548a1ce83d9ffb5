"""What others could have written is not believed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.trust import DistrustError, check_one, check_own, make_own, read_own, write_own

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
ROOT_ALONE = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() != 0, reason="only root can give files away"
)
NOBODY = 65_534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "above" / "folder"
    make_own(made)
    write_own(made / "file", b"what it holds")
    return made


def test_ones_own_files_are_believed(folder: Path) -> None:
    check_own(folder / "file")
    check_one(folder / "file")
    assert read_own(folder / "file") == b"what it holds"


def widen_file(folder: Path) -> Path:
    (folder / "file").chmod(0o666)
    return folder / "file"


def widen_folder(folder: Path) -> Path:
    folder.chmod(0o777)
    return folder


def widen_above(folder: Path) -> Path:
    folder.parent.chmod(0o757)
    return folder.parent


@pytest.mark.parametrize("widen", [widen_file, widen_folder, widen_above])
def test_what_everybody_can_write_is_not(folder: Path, widen: Callable[[Path], Path]) -> None:
    named = widen(folder)
    with pytest.raises(DistrustError) as caught:
        check_own(folder / "file")
    assert str(caught.value) == f"{named}: everybody can write here"


@ROOT_ALONE
@pytest.mark.parametrize("part", ["file", ".", ".."])
def test_what_belongs_to_another_user_is_not(folder: Path, part: str) -> None:
    os.chown(folder / part, NOBODY, -1)
    with pytest.raises(DistrustError, match="this belongs to another user"):
        check_own(folder / "file")


@ROOT_ALONE
def test_a_file_of_another_user_is_not_read(folder: Path) -> None:
    os.chown(folder / "file", NOBODY, -1)
    with pytest.raises(DistrustError, match="file: this belongs to another user"):
        read_own(folder / "file")


def test_a_sticky_folder_in_which_all_write_is_no_danger(folder: Path) -> None:
    folder.parent.chmod(0o1777)
    check_own(folder / "file")


@ROOT_ALONE
def test_but_what_others_put_there_is_one(folder: Path) -> None:
    folder.parent.chmod(0o1777)
    os.chown(folder, NOBODY, -1)
    with pytest.raises(DistrustError):
        check_own(folder / "file")


@ROOT_ALONE
def test_a_group_that_can_write_is_a_danger_unless_it_is_the_users_own(folder: Path) -> None:
    folder.chmod(0o775)
    check_own(folder)  # of the group root, which is root's own
    os.chown(folder, -1, 1)
    with pytest.raises(DistrustError, match="a group of users can write here"):
        check_own(folder)


def test_links_are_followed_and_checked(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("above/folder")
    (tmp_path / "whole").symlink_to(folder)
    for name in ("link", "whole", "link/../folder"):
        check_own(tmp_path / name / "file")
    folder.parent.chmod(0o777)
    for name in ("link", "whole"):
        with pytest.raises(DistrustError, match="above: everybody can write here"):
            check_own(tmp_path / name / "file")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(DistrustError, match="too many links"):
        check_own(tmp_path / "circle")
    with pytest.raises(DistrustError, match="this is a link"):
        check_one(tmp_path / "link")
    with pytest.raises(OSError, match="link"):
        read_own(tmp_path / "link")


@ROOT_ALONE
def test_another_users_link_is_a_danger(folder: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "link").symlink_to(folder)
    os.chown(tmp_path / "link", NOBODY, -1, follow_symlinks=False)
    with pytest.raises(DistrustError, match="link: this belongs to another user"):
        check_own(tmp_path / "link" / "file")


def test_what_is_made_is_this_users_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_own(tmp_path / "a" / "b")
        write_own(tmp_path / "a" / "b" / "file", b"x")
    finally:
        os.umask(before)
    check_own(tmp_path / "a" / "b" / "file")
    assert [(tmp_path / part).stat().st_mode & 0o777 for part in ("a", "a/b", "a/b/file")] == [
        0o755,
        0o755,
        0o644,
    ]


def test_a_folder_cannot_be_made_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_own(tmp_path / "file" / "folder")
    with pytest.raises(FileNotFoundError):
        check_own(tmp_path / "missing")
