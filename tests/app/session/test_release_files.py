"""Files that releases wrote, as `data/*-0.2.0.*` and `data/*-0.3.0.*`: a later one reads all that they say.

When a release is made, its files are added here: a session and settings in which nothing is as it is by
default, and predictions that were kept.
"""

from pathlib import Path

import pytest

from app.model.documents.document import Picked, SavedCode, SavedRun, SavedText, Session, Source, View
from app.model.layout import Dock, LayoutState
from app.model.settings import (
    ChangeSettings,
    NowSettings,
    Settings,
    load_settings,
    save_settings,
    settings_path,
)
from app.session.archive import read_session, write_session
from engine.now.stored_predictions import Kept, read_kept, write_kept
from engine.reading.options import Reading
from engine.search.typed_question import TypedQuestion
from views.data.asked_job import AskedJob
from views.data.gantt.shown_layers import GanttLayers
from views.data.heatmap_look import HeatmapLook
from views.data.view_options import ShownCharts, ViewOptions

DATA = Path(__file__).with_name("data")

OPTIONS = ViewOptions(
    view="difference",
    tab="Users",
    charts=ShownCharts(ram=False, queue=False, folds=False),
    tabs_open=True,
    inspector=False,
    columns=2,
    rows="users",
    colours="wait",
    layers=GanttLayers(down=False, waits=True, reservations=True, idle=True),
    heatmaps=HeatmapLook("usage", True, "mean", False, ("1", "2")),
    distributions="wait queue histogram linear all",
    scatter="response tardiness job linear",
    baseline=3,
    compared=(2, 5),
)

READING = Reading(
    machine="4x8c", clean=("clamp_procs=off",), jobs="2:10", users="-3", timezone="Europe/Prague"
)

SESSION = Session(
    file="/data/mine.batchscope",
    source=Source("/data/log.swf", "log.swf", False, 1234, "ab" * 32),
    cluster="4x8c32g",
    scale="theta=0.5,rho=2",
    reading=READING,
    share="1/10",
    fair_starts=True,
    left_out=("root",),
    runs=(SavedRun(1, "fcfs"), SavedRun(3, "easy:depth=2", "8x8c32g", "deeper")),
    code=(
        SavedCode(
            "/data/mine.py",
            "cd" * 32,
            (SavedText("mine.py", ("import batchscope", "")),),
        ),
    ),
    view=View(
        window=(10.5, 7200.0),
        part=(0.25, 0.75),
        picked=Picked(span=(1.0, 2.0), jobs=(6, "7_1"), users=("ann",), queues=("q",), nodes=(3,)),
        filter="procs >= 4",
        hides=True,
        layout=LayoutState({"Selected": Dock("right", False, 305, (1, 2, 300, 200))}, (476, 285), OPTIONS),
        study="planning",
        search=TypedQuestion(("wait_max",), ("use",), "veet_q3 <= 20", "depth=1..4", "easy", "fcfs", 50, 3),
    ),
)

SETTINGS = Settings(
    theme="dark",
    text_size=12,
    divided=[400, 200],
    view=OPTIONS,
    share="1/10",
    fair_starts=True,
    toured=True,
    scheduler="tcp://127.0.0.1:8786",
    explore_live=False,
    policies=["easy", "just:order=saf"],
    filters={"large": "procs >= 16"},
    hiding={"large": True},
    administrators={"example": ["3"]},
    without_administrators=True,
    recent=["/data/log.swf"],
    readings={"/data/log.swf": READING},
    now=NowSettings("/q.txt", "/site", True, True, "jobs", "wait", True, AskedJob(), "squeue --json", True),
    twin_site="/site/slurm.conf",
    twin_by="user",
    change=ChangeSettings("/a", "/b", "2026-01-01", "log", "account"),
    columns={"a,b": "submit = 'a'"},
)

PREDICTIONS = (Kept("1", 10, 20, 15, 25, 18, 16, 24), Kept("2_[1-3]", 10, 30, 25, 35))


def write_files(folder: Path) -> None:
    """Write the files of today's program, as they are kept when it is released."""
    write_session(folder / "session.batchscope", SESSION)
    write_kept(folder / "predictions.json", PREDICTIONS)
    settings = Settings(
        **{name: getattr(SETTINGS, name) for name in vars(SETTINGS) if name not in ("kept", "doubts")}
    )
    save_settings(settings)
    (folder / "settings.json").write_bytes(settings_path().read_bytes())


@pytest.mark.parametrize("version", ["0.2.0", "0.3.0", "today"])
def test_all_that_a_release_wrote_is_read(tmp_path: Path, version: str) -> None:
    folder, end = DATA, f"-{version}"
    if version == "today":
        write_files(tmp_path)
        folder, end = tmp_path, ""
    assert read_session(folder / f"session{end}.batchscope") == SESSION
    assert read_kept(folder / f"predictions{end}.json") == PREDICTIONS
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_bytes((folder / f"settings{end}.json").read_bytes())
    assert load_settings() == SETTINGS
    assert load_settings().doubts == ()


def test_nothing_in_them_is_as_by_default() -> None:
    """Else a field that is lost would not be missed."""
    for kept, usual, without in (
        (SETTINGS, Settings(), ("kept", "doubts", "geometry", "state", "layouts")),
        (SESSION, Session(), ("newer", "share_beside")),
        (SESSION.view, View(), ()),
    ):
        names = vars(kept).keys() - {*without}
        assert [name for name in names if getattr(kept, name) == getattr(usual, name)] == []
