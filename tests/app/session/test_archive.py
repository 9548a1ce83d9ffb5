"""Session files: what is written is read again; what is no session is told and does no harm."""

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.documents.document import FORMAT, Picked, SavedRun, Session, Source, View
from app.model.documents.from_json import from_json
from app.model.layout import LayoutState
from app.session import archive
from app.session.archive import MAX_ENTRY, MAX_FILE, read_session, write_session
from engine.errors import InputError
from views.data.view_options import ViewOptions

SESSION = Session(
    source=Source("/logs/a.swf", "../a.swf", size=12, sha256="ab" * 32),
    cluster="4x8c",
    share="1/10",
    fair_starts=True,
    runs=(SavedRun(1, "easy"), SavedRun(4, "fcfs:estimate=actual", "2x8c")),
    view=View(
        window=(0.5, 100.0),
        part=(0.25, 0.5),
        picked=Picked((3.0, 4.0), None, (7, "a7"), ("ann", "62"), ("q",)),
        layout=LayoutState(
            options=ViewOptions(
                columns=1,
                tab="Users",
                baseline=4,
                compared=(4, 1),
                gains_over=2,
                scattered=3,
                timeline_hidden=(1, 4),
            )
        ),
    ),
)

names = st.text(max_size=12)
seconds = st.floats(-(2.0**40), 2.0**40)
sessions = st.builds(
    Session,
    source=st.builds(Source, path=names, example=st.booleans(), size=st.integers(0, 2**50)),
    cluster=names,
    runs=st.lists(st.builds(SavedRun, id=st.integers(0, 99), policy=names), max_size=4).map(tuple),
    view=st.builds(
        View,
        window=st.none() | st.tuples(seconds, seconds),
        picked=st.builds(
            Picked,
            users=st.lists(names, max_size=3).map(tuple),
            jobs=st.lists(names | st.integers(0, 99), max_size=3).map(tuple),
        ),
        layout=st.builds(
            LayoutState,
            options=st.builds(ViewOptions, view=st.sampled_from(["all", "gantt"]), columns=st.integers(1, 4)),
        ),
    ),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | names,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
)


@given(sessions)
def test_a_session_comes_back_from_its_json(session: Session) -> None:
    from dataclasses import asdict

    assert from_json(Session, json.loads(json.dumps(asdict(session)))) == session


@given(
    st.dictionaries(
        st.sampled_from(["source", "cluster", "share", "runs", "view", "file", "fair_starts", "more"]),
        anything,
    )
)
def test_whatever_stands_in_it_a_session_is_of_the_right_types(values: dict[str, object]) -> None:
    session = from_json(Session, values)
    assert isinstance(session.cluster, str)
    assert isinstance(session.fair_starts, bool)
    assert isinstance(session.source, Source)
    assert isinstance(session.view.layout, LayoutState)
    assert all(isinstance(run.id, int) and isinstance(run.policy, str) for run in session.runs)


def test_what_is_unknown_is_passed_over_and_what_is_wrong_keeps_its_default() -> None:
    values = {
        "cluster": 3,
        "of_the_future": [1],
        "runs": [{"id": 2, "policy": "easy", "machine": "8c"}, "no run", {"id": "x"}],
        "view": {
            "window": [0, float("nan")],
            "picked": {"span": [1, 2], "users": ["a", 5], "jobs": [True, 1.5, 3]},
            "layout": {"view": "none"},
        },
    }
    session = from_json(Session, values)
    assert session.cluster == ""
    assert session.runs == (SavedRun(2, "easy"), SavedRun(0, ""))
    assert session.view == View(picked=Picked((1.0, 2.0), None, (3,), ("a",)))


def test_a_session_without_the_runs_of_some_views_is_read(tmp_path: Path) -> None:
    """The first sessions of format 2 had none of these fields."""
    path, older = tmp_path / "a.batchscope", tmp_path / "b.batchscope"
    write_session(path, SESSION)
    with zipfile.ZipFile(path) as zipped, zipfile.ZipFile(older, "w") as written:
        view = json.loads(zipped.read("view.json"))
        for name in ("gains_over", "scattered", "timeline_hidden"):
            del view["layout"]["options"][name]
        written.writestr("session.json", zipped.read("session.json"))
        written.writestr("view.json", json.dumps(view))
    options = read_session(older).view.layout.options
    assert options == ViewOptions(columns=1, tab="Users", baseline=4, compared=(4, 1))


def test_a_session_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.batchscope"
    write_session(path, SESSION)
    assert read_session(path) == SESSION
    with zipfile.ZipFile(path) as zipped:
        assert zipped.namelist() == ["session.json", "view.json"]
        assert json.loads(zipped.read("session.json"))["format"] == FORMAT


def zipped(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in entries.items():
            out.writestr(name.replace("__", "."), text)
    return path


def cut_off(path: Path) -> None:
    write_session(path, SESSION)
    path.write_bytes(path.read_bytes()[:-60])


def flipped(path: Path) -> None:
    write_session(path, SESSION)
    data = bytearray(path.read_bytes())
    data[60:70] = bytes(10)
    path.write_bytes(data)


def climbing(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("session.json", '{"format": 1}')
        out.writestr("../../evil.py", "raise SystemExit")


def bomb(path: Path) -> None:
    zipped(path, session__json='{"format": 1, "cluster": "' + " " * (MAX_ENTRY + 1) + '"}')


def half_a_letter(path: Path) -> None:
    zipped(path, session__json='{"format": 1, "cluster": "\\ud800"}')


def lying_bomb(path: Path) -> None:
    """Its headers say that it unpacks to 20 bytes."""
    bomb(path)
    data = path.read_bytes()
    size = struct.pack("<L", len('{"format": 1, "cluster": ""}') + MAX_ENTRY + 1)
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, struct.pack("<L", 20)))


def twice(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("session.json", '{"format": 1}')
        with pytest.warns(UserWarning, match="Duplicate"):
            out.writestr("session.json", '{"format": 1}')


def crowded(path: Path) -> None:
    zipped(path, session__json='{"format": 1}', **{f"n{k}": "" for k in range(40)})


def nested(path: Path) -> None:
    zipped(path, session__json='{"format": 1, "runs": ' + "[" * 500 + "]" * 500 + "}")


def many_runs(path: Path) -> None:
    zipped(path, session__json=json.dumps({"format": 1, "runs": [{"id": 1, "policy": "easy"}] * 500}))


BAD: dict[Callable[[Path], object], str] = {
    cut_off: "damaged or cut off",
    flipped: "damaged or cut off",
    climbing: "outside of itself",
    bomb: "unpacks to over 8 MiB",
    lying_bomb: "damaged or cut off",
    twice: "twice",
    crowded: "41 entries",
    nested: "nested deeper than 50 levels",
    half_a_letter: "an unpaired surrogate",
    many_runs: "at most 200 runs",
    lambda path: zipped(path, other__json="{}"): "no session.json",
    lambda path: zipped(path, session__json="[]"): "not a session of Batchscope",
    lambda path: zipped(path, session__json="{"): "damaged or cut off",
    lambda path: path.write_bytes(b"\x80\x04\x95pickle"): "damaged or cut off",
    lambda path: path.write_bytes(b""): "damaged or cut off",
    lambda path: path.write_bytes(bytes(MAX_FILE + 1)): "at most 4 MiB",
    lambda path: path.mkdir(): "this is not a file",
    lambda path: None: "no such file",
}


@pytest.mark.parametrize(("make", "complaint"), BAD.items())
def test_what_is_no_session_is_reported_in_a_line(
    make: Callable[[Path], object], complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.batchscope"
    make(path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=complaint) as caught:
        read_session(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failed_save_leaves_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.batchscope"
    write_session(path, SESSION)

    class FullDisk(zipfile.ZipFile):
        def writestr(self, entry: object, text: object, *rest: object) -> None:
            super().writestr(entry, text)  # type: ignore[arg-type]
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive.zipfile, "ZipFile", FullDisk)
    with pytest.raises(OSError, match="No space left") as caught:
        write_session(path, Session())
    monkeypatch.undo()
    assert caught.value.filename == str(path)
    assert read_session(path) == SESSION
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_that_no_window_could_show_is_not_read() -> None:
    session = from_json(Session, {"share": "x" * 100_000, "view": {"filter": "user = 1 or " * 100_000}})
    assert session == Session()
