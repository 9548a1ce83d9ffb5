"""A session that names a user's own code opens without it: nothing of the code runs."""

from pathlib import Path

import pytest

from app.model.documents.document import SavedRun, Session, Source
from app.session.archive import read_session, write_session
from app.session.capture import code_of
from app.session.restore import read_saved_study, unnamed_code
from engine.own import allowed_code
from engine.own.allowed_code import allow_named
from engine.own.file import read_own_file
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from tests.app.cli.commands import HEADER
from tests.engine.logs.lines import line, write_log


def test_a_run_of_code_that_nobody_named_is_left_out_and_the_others_are_there(tmp_path: Path) -> None:
    ran, mine = tmp_path / "ran", tmp_path / "mine.py"
    code = "import batchscope\n@batchscope.order\ndef f(jobs, now, machine): ...\n"
    mine.write_text(f"open({str(ran)!r}, 'w').close()  # {mine}\n{code}")
    file = tmp_path / "a.batchscope"
    runs = (SavedRun(1, "easy"), SavedRun(2, f"{mine}:f"))
    log = write_log(tmp_path / "log.swf", *HEADER, line(1), line(2))
    write_session(file, Session(source=Source(path=str(log)), runs=runs))
    opened = read_saved_study(file, None, Control())
    assert [run.policy.spelling for run in opened.study.runs] == ["easy"]
    (doubt,) = (line for line in opened.doubts if str(mine) in line)
    assert doubt.startswith(f"a run was left out: {mine} is a program of somebody's own")
    allow_named(f"{mine}:f")  # and once its user has named it, the run is there
    again = read_saved_study(file, None, Control())
    assert [run.policy.spelling for run in again.study.runs] == ["easy", f"{mine}:f"]
    mine.write_text(mine.read_text() + "# changed\n")
    changed = read_saved_study(file, None, Control())
    assert [run.policy.spelling for run in changed.study.runs] == ["easy"]
    assert not ran.exists()


METRIC = "import batchscope\n@batchscope.metric(unit='s')\ndef late(jobs): return 1  # {}\n"


def test_a_session_opens_without_the_metrics_of_a_file_and_asks_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, mine, file = tmp_path / "ran", tmp_path / "mine.py", tmp_path / "a.batchscope"
    mine.write_text(f"open({str(ran)!r}, 'w').close()\n{METRIC.format(tmp_path)}")
    read = read_own_file(mine)
    log = write_log(tmp_path / "log.swf", *HEADER, line(1), line(2))
    code = code_of([], offering=[read])
    assert [(each.path, each.sha256) for each in code] == [(str(mine), read.digest)]
    write_session(file, Session(source=Source(path=str(log)), runs=(SavedRun(1, "easy"),), code=code))
    assert unnamed_code(lambda: read_session(file)) == (read,)
    left_out = f"metrics and quantities of {mine} were left out: its code was not allowed to run"
    assert left_out in read_saved_study(file, None, Control()).doubts
    monkeypatch.setattr(allowed_code, "_allowed", {read.digest})
    assert not [doubt for doubt in read_saved_study(file, None, Control()).doubts if str(mine) in doubt]
    mine.write_text(mine.read_text() + "# changed\n")
    assert left_out in read_saved_study(file, None, Control()).doubts  # another digest: asked about again
    allowed_code.allow(read_own_file(mine))
    (doubt,) = (doubt for doubt in read_saved_study(file, None, Control()).doubts if str(mine) in doubt)
    assert doubt == f"{mine} is not the code that this session was saved with"
    mine.unlink()
    assert unnamed_code(lambda: read_session(file)) == ()
    assert not ran.exists()


def test_code_that_has_changed_since_is_said(tmp_path: Path) -> None:
    mine, file = tmp_path / "mine.py", tmp_path / "a.batchscope"
    mine.write_text(f"import batchscope\n@batchscope.order\ndef f(jobs, now, machine): ...  # {mine}\n")
    allow_named(f"{mine}:f")
    policy = parse_policy(f"{mine}:f")
    log = write_log(tmp_path / "log.swf", *HEADER, line(1), line(2))
    runs = (SavedRun(1, policy.spelling),)
    session = Session(source=Source(path=str(log)), runs=runs, code=code_of([policy, policy]))
    (code,) = session.code
    assert (code.path, code.sha256, code.texts[0].file) == (str(mine), read_own_file(mine).digest, "mine.py")
    write_session(file, session)
    assert read_session(file).code == session.code
    assert not [doubt for doubt in read_saved_study(file, None, Control()).doubts if str(mine) in doubt]
    mine.write_text(mine.read_text() + "# changed\n")
    allow_named(f"{mine}:f")
    (doubt,) = (doubt for doubt in read_saved_study(file, None, Control()).doubts if str(mine) in doubt)
    assert doubt == f"{mine} is not the code that this session was saved with"
