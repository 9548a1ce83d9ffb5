"""Files whose names the program chose: links, pipes, devices and folders in their places are left alone."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

import engine.fetch.logs
from app.export import tables
from app.model.documents.document import Session
from app.model.settings import Settings, settings_path, write_changes
from app.report.folder import MANIFEST, write_folder
from app.session.archive import write_session
from app.session.autosave import autosave_folder, leftovers, new_slot
from app.work.faults import FaultReports, fault_folder, unseen_reports
from app.work.watchdog import log_path, start_log, stop_log
from engine.compiler.entries import read_entry, write_entry
from engine.errors import InputError
from engine.now.stored_predictions import write_kept
from engine.sweep.carry_out import RUNS
from engine.sweep.result_table import RESULTS
from engine.trust import write_own
from tests.app.cli.commands import Commands
from tests.app.cli.test_fetch import LOG, PACKED
from tests.engine.fetch.server import Archive, serving

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices are those of POSIX")

STUDY = """
policies = ["easy", "saf-easy"]
metrics = ["wait_mean"]
"""
SERVED = Archive({"/l_some/Some-2020-1.swf.gz": PACKED})


@dataclass(frozen=True)
class Obstacle:
    """What lies in the place of a file, and the file of a user that it may lead to."""

    place: Path
    victim: Path
    kind: str

    def is_untouched(self) -> bool:
        """True if it is still there, and nothing was written through it."""
        mode = self.place.lstat().st_mode
        if self.kind == "link":
            return stat.S_ISLNK(mode) and self.victim.read_text() == "mine"
        if self.kind == "dangling link":
            return stat.S_ISLNK(mode) and not self.victim.exists()
        checks = {"pipe": stat.S_ISFIFO, "device": stat.S_ISCHR, "folder": stat.S_ISDIR}
        return checks[self.kind](mode)


KINDS = ("link", "dangling link", "pipe", "device", "folder")
SAYS = {
    "pipe": "this is a pipe or a device",
    "device": "this is a pipe or a device",
    "folder": "Is a directory",
}


def says(kind: str) -> str:
    """What a message has to say of it."""
    return SAYS.get(kind, "this is a link, which is not followed")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "device" and os.geteuid() != 0:
        pytest.skip("only root makes devices")
    return str(request.param)


def block(place: Path, kind: str) -> Obstacle:
    """Put an obstacle in the place of a file."""
    victim = place.parent.parent / f"victim-{place.name}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    if kind == "link":
        victim.write_text("mine")
    if "link" in kind:
        place.symlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 3))  # a null of the test's own
    else:
        place.mkdir()
    return Obstacle(place, victim, kind)


def test_the_results_of_a_sweep(cli: Commands, small: Path, tmp_path: Path, kind: str) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(STUDY)
    cli.done("sweep", study, small, "-o", out)
    row = sorted((out / RUNS).iterdir())[0]
    for place in (row, out / RESULTS):
        there = block(place, kind)
        done = cli("sweep", study, small, "-o", out, "--quiet")
        assert done.status != 0
        assert done.complaint == f"batchscope: {place}: {done.complaint.split(': ', 2)[2]}"
        assert says(kind) in done.complaint
        assert there.is_untouched()
        place.rmdir() if kind == "folder" else place.unlink()
    cli.done("sweep", study, small, "-o", out)


def test_the_folder_of_the_rows_of_a_sweep(cli: Commands, small: Path, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    for kind in ("link", "pipe"):
        there = block(tmp_path / kind / RUNS, kind)
        done = cli("sweep", tmp_path / "study.toml", small, "-o", tmp_path / kind, "--quiet")
        what = "a link, which is not followed" if kind == "link" else "not a folder"
        assert done.complaint == f"batchscope: {there.place}: this is {what}"
        assert there.is_untouched()
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    out.mkdir()
    (out / RUNS).symlink_to(elsewhere)
    assert cli("sweep", tmp_path / "study.toml", small, "-o", out, "--quiet").status != 0
    assert list(elsewhere.iterdir()) == []
    (tmp_path / "named").symlink_to(elsewhere)
    cli.done("sweep", tmp_path / "study.toml", small, "-o", tmp_path / "named")  # which the user named
    assert (elsewhere / RESULTS).is_file()


def fill(part: Path) -> None:
    (part / "tables").mkdir()
    for name in ("index.html", "tables/metrics.csv"):
        (part / name).write_text("new")


@pytest.mark.parametrize("name", ["index.html", "tables/metrics.csv", "tables", MANIFEST])
def test_the_files_of_a_report(tmp_path: Path, kind: str, name: str) -> None:
    report = tmp_path / "report"
    write_folder(report, fill, {}, force=False)
    (report / "index.html").write_text("old")
    if name == "tables":
        if kind == "folder":
            pytest.skip("a folder is what has to be there")
        (report / "tables").rename(tmp_path / "moved")
    there = block(report / name, kind)
    if name == MANIFEST and kind == "link":
        there.victim.write_text('{"files": []}')
    with pytest.raises((OSError, InputError)) as caught:
        write_folder(report, fill, {}, force=True)
    assert str(report) in str(caught.value)
    if name == MANIFEST and kind == "link":
        assert there.victim.read_text() == '{"files": []}'
    else:
        assert there.is_untouched()
    if name != "index.html":
        assert (report / "index.html").read_text() == "old", "all or nothing"
    assert not list(tmp_path.glob(".report*"))


def test_a_log_that_is_fetched_and_its_part(
    cli: Commands, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.fetch.logs, "LOGS", (LOG,))
    folder = tmp_path / "logs"
    folder.mkdir()
    with serving(SERVED) as archive:
        for name in (f"{LOG.file}.part", LOG.file):
            if kind == "folder" and name == LOG.file:
                continue  # it is then the folder of the log
            there = block(folder / name, kind)
            done = cli("fetch", "Some", "-o", folder, "--mirror", archive.base, "--quiet")
            if kind == "link" and name == LOG.file:
                assert done.status == 0, "it leads to a file, which counts as the log and is only read"
            else:
                assert done.status == 2
                assert says(kind) in done.complaint
            assert there.is_untouched()
            (folder / name).rmdir() if kind == "folder" else (folder / name).unlink()


def test_a_log_is_fetched_to_where_a_link_leads_that_the_user_names(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.fetch.logs, "LOGS", (LOG,))
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.swf.gz"
    link.symlink_to("there/log.swf.gz")
    with serving(SERVED) as archive:
        cli.done("fetch", "Some", "-o", link, "--mirror", archive.base)
    assert link.is_symlink()
    assert (tmp_path / "there" / "log.swf.gz").read_bytes() == PACKED


def test_a_part_that_has_another_name_is_not_written(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.fetch.logs, "LOGS", (LOG,))
    (tmp_path / "mine").write_text("mine")
    (tmp_path / f"{LOG.file}.part").hardlink_to(tmp_path / "mine")
    with serving(SERVED) as archive:
        done = cli("fetch", "Some", "-o", tmp_path, "--mirror", archive.base, "--quiet")
    assert "this file has another name too, and is not written" in done.complaint
    assert (tmp_path / "mine").read_text() == "mine"


def test_the_machines_file_of_a_generated_log(cli: Commands, tmp_path: Path, kind: str) -> None:
    there = block(tmp_path / "logs" / "log.swf.machines", kind)
    done = cli("generate", "--jobs", 100, tmp_path / "logs" / "log.swf.gz", "--quiet")
    assert done.status == 1
    assert says(kind) in done.complaint
    assert there.is_untouched()


def write_settings() -> None:
    write_changes("{}", Settings().spelling)


def write_autosaved() -> None:
    write_session(autosave_folder() / "1-0.batchscope", Session(), private=True)


def write_predictions() -> None:
    write_kept(fault_folder() / "kept.json", [], own_name=True)


OWN: dict[str, tuple[Callable[[], Path], Callable[[], None]]] = {
    "settings": (settings_path, write_settings),
    "session": (lambda: autosave_folder() / "1-0.batchscope", write_autosaved),
    "predictions": (lambda: fault_folder() / "kept.json", write_predictions),
}


@pytest.mark.parametrize("name", OWN)
def test_files_in_the_folders_of_the_user(name: str, kind: str) -> None:
    path, write = OWN[name]
    there = block(path(), kind)
    if name == "settings" and kind == "link":
        there.victim.write_text("{}")
        write()  # the one link that is followed, as it is the user's own
        assert path().is_symlink()
        assert there.victim.read_text() != "{}"
        return
    if name == "settings" and "link" not in kind:
        write()  # what is broken is set aside as it is
        assert Obstacle(path().with_suffix(".broken"), there.victim, kind).is_untouched()
        return
    with pytest.raises(OSError, match=says(kind)):
        write()
    assert there.is_untouched()


def test_schedules_that_are_exported_beside_the_file_that_was_named(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_schedule", lambda *_: [("job_id", [1])])
    request = SimpleNamespace(results=[SimpleNamespace(name=name, run_id=1) for name in ("easy", "saf")])
    there = block(tmp_path / "out" / "x-saf.csv", kind)
    with pytest.raises(OSError, match=says(kind)):
        tables.table_spec("schedule").write(request, None, tmp_path / "out" / "x.csv")  # type: ignore[arg-type]
    assert not (tmp_path / "out" / "x-easy.csv").exists(), "all or nothing"
    assert there.is_untouched()


def test_the_file_for_a_crash_and_the_reports_of_faults(kind: str) -> None:
    there = block(fault_folder() / f"{os.getpid()}.crash", kind)
    other = block(fault_folder() / "20200101-000000-1-1.txt", kind)
    reports = FaultReports(lambda *_: None)
    reports.describe()
    reports.close()
    assert unseen_reports() == []
    assert there.is_untouched()
    assert other.is_untouched()


def test_the_log_of_windows(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    there = block(log_path(), kind)
    added = start_log()
    stop_log(added)
    assert added == []
    assert says(kind) in caplog.text
    assert there.is_untouched()


def test_autosaved_sessions_and_their_locks(kind: str) -> None:
    first = block(autosave_folder() / f"{os.getpid()}-0.batchscope", kind)
    lock = block(autosave_folder() / f"{os.getpid()}-1.lock", kind)
    assert leftovers() == []
    slot = new_slot()
    assert slot is not None
    assert slot.path.name == f"{os.getpid()}-2.batchscope"
    slot.write(lambda path: write_session(path, Session(), private=True))
    slot.remove()
    assert first.is_untouched()
    assert lock.is_untouched()


def test_compiled_code(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "home" / "kernels"
    write_entry(folder, "name purpose", b"code")
    (file,) = folder.iterdir()
    there = block(file, kind)
    assert read_entry(folder, "name purpose") is None
    if kind != "folder":
        write_own(file, b"new")
        assert file.read_bytes() == b"new"
        assert not file.is_symlink()
    if kind == "link":
        assert there.victim.read_text() == "mine"
    if kind == "dangling link":
        assert not there.victim.exists()
