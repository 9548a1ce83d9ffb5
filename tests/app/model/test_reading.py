"""Reading for a window, in a thread: what it reads it may have to read again, so it has to be a file."""

import errno
import os
from pathlib import Path

import pytest

from app.model.documents.document import Session, Source
from app.model.reading import (
    MANY_JOBS,
    first_policies,
    opening_policies,
    progress_of,
    read_study,
    source_of,
)
from app.session.archive import write_session
from app.session.restore import read_saved_study
from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.simulation.control import Cancelled, Control


def test_progress_is_reported_as_a_share() -> None:
    control = Control()
    progress_of(control)(0.5)
    assert control.progress == 0.5


def test_telling_progress_raises_when_cancelled() -> None:
    control = Control()
    tell = progress_of(control)
    control.cancel()
    with pytest.raises(Cancelled):
        tell(0.1)


@pytest.mark.skipif(os.name != "posix", reason="named pipes are those of POSIX")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.swf")
    with pytest.raises(InputError, match=r"log\.swf: this is a pipe"):
        read_study(tmp_path / "log.swf", (), "fair", Control())


@pytest.mark.parametrize(
    ("spelled", "now", "later"),
    [
        (
            "recorded fcfs fairshare-fcfs easy fairshare-easy",
            "recorded easy",
            "fcfs fairshare-fcfs fairshare-easy",
        ),
        ("fcfs plan", "fcfs", "plan"),
        ("recorded fairshare-easy", "recorded fairshare-easy", ""),
    ],
)
def test_many_jobs_are_simulated_under_one_policy_at_first(spelled: str, now: str, later: str) -> None:
    policies = opening_policies(spelled.split())
    assert first_policies(policies, MANY_JOBS) == (policies, ())
    assert first_policies(policies, MANY_JOBS + 1) == (
        tuple(parse_policy(name) for name in now.split()),
        tuple(parse_policy(name) for name in later.split()),
    )


def test_what_a_trace_is_known_by(tmp_path: Path) -> None:
    (tmp_path / "log.swf").write_bytes(b"abc")
    source = source_of(tmp_path / "log.swf")
    assert (source.size, source.path) == (3, str(tmp_path / "log.swf"))
    assert source.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(InputError, match=r"other\.swf: no such file"):
        source_of(tmp_path / "other.swf")


@pytest.mark.parametrize("name", ["busy", "device", "endless"])
def test_a_session_whose_trace_cannot_be_read_as_a_log_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Path("/dev/zero") if name == "device" else tmp_path / "log.swf"
    if name != "device":
        trace.write_bytes(b"x" * 100)
    if name == "busy":  # as some files of the system are, opened so that nothing is waited for

        def busy(handle: int, size: int) -> bytes:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

        monkeypatch.setattr(os, "read", busy)
    monkeypatch.setattr("app.model.reading.MAX_TRACE_BYTES", 50)
    file = tmp_path / "session.batchscope"
    write_session(file, Session(source=Source(path=str(trace))))
    says = {
        "busy": "cannot read this file",
        "device": "this is a device",
        "endless": "over the limit of 50 bytes",
    }
    with pytest.raises(InputError, match=rf"^{trace}: [^\n]*{says[name]}[^\n]*$"):
        read_saved_study(file, None, Control())
