"""Sessions and settings that the version before this one wrote open, with everything they hold."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

from app.model.documents.document import Picked, SavedRun
from app.model.layout import Dock
from app.model.settings import Settings, load_settings, save_settings, settings_path
from app.session.archive import read_session
from app.shell.window import MainWindow
from engine.filter import parse_filter
from tests.app.windows import settle, trace_of
from views.data.gantt.shown_layers import GanttLayers
from views.data.heatmap_look import HeatmapLook
from views.data.plot_choices import DistributionChoices, ScatterChoices
from views.data.view_options import ShownCharts, ViewOptions
from views.state.filter import Filter

DATA = Path(__file__).with_name("data")

OPTIONS = ViewOptions(
    tab="Users",
    charts=ShownCharts(ram=False, queue=False, folds=False),
    tabs_open=True,  # as its version had them
    inspector=False,  # its dock was closed
    columns=1,
    rows="users",
    colours="wait",
    layers=GanttLayers(down=False, waits=True, reservations=True, idle=True),
    heatmaps=HeatmapLook("usage", True, "mean", False, ("1", "2")),
    distributions="wait queue histogram linear all",
    scatter="response tardiness job linear",
    baseline=3,
    compared=(2, 5),
)
POLICIES = ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy", "metric:bf=0.5"]


def test_a_session_of_format_1_says_all_that_it_said() -> None:
    session = read_session(DATA / "everything-format-1.batchscope")
    assert session.source.example
    assert (session.share, session.fair_starts, session.left_out) == ("1/10", True, ("3",))
    assert session.runs == tuple(SavedRun(number, policy) for number, policy in enumerate(POLICIES, 1))
    view = session.view
    assert (view.window, view.part) == ((3362003.25, 6671978.5), (0.25, 0.75))
    assert view.picked == Picked(jobs=(6, 18), users=("3",), queues=("q_4h",))
    assert (view.filter, view.hides) == ("procs >= 4", True)
    assert view.layout.docks["Selected"] == Dock("right", False, 305)
    assert view.layout.divided == (476, 285)
    assert view.layout.options == OPTIONS


def test_a_session_of_format_1_is_shown_as_it_was(make_window: Callable[..., MainWindow]) -> None:
    window = make_window()
    window.open_path(DATA / "everything-format-1.batchscope")
    window.wait_until_drawn(280)  # kernels for fair start times may have to be compiled
    page, trace = window.page, trace_of(window)
    assert [run.result.name for run in window.workbench.finished()] == POLICIES
    assert window.workbench.share == "1/10"
    assert window.measured.left_out == ("3",)
    assert window.clock.window == (3362003.25, 6671978.5)
    assert window.filter.value == Filter(parse_filter("procs >= 4"), hides=True)
    picked = window.selection.value
    assert sorted(trace.job_id[sorted(picked.jobs)].tolist()) == [6, 18]
    assert [trace.user.names[code] for code in picked.users] == ["3"]
    assert window.view.options == OPTIONS
    assert page.tabs.tabText(page.tabs.currentIndex()) == "Users"
    assert page.runs.baseline == 3
    assert page.views["difference"].run_ids == (2, 5)
    assert page.views["boxplots"].choices == DistributionChoices(
        "wait", "queue", "histogram", "linear", "all"
    )
    assert page.views["scatter"].choices == ScatterChoices("response", "tardiness", "job", "linear")
    gantt = page.runs.panels[1].gantt
    assert not window.inspector_dock.isVisible()
    assert gantt.isVisible()
    assert not page.runs.panels[1].ram.isVisible()


def without_fair_starts(session: Path, folder: Path) -> Path:
    """A copy of a session that wants no fair start times: the test before this one has them worked out."""
    copy = folder / session.name
    with ZipFile(session) as parts, ZipFile(copy, "w") as written:
        for name in parts.namelist():
            written.writestr(name, parts.read(name).replace(b'"fair_starts": true', b'"fair_starts": false'))
    assert not read_session(copy).fair_starts
    return copy


def test_a_session_that_showed_a_difference_shows_it(
    make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(without_fair_starts(DATA / "difference-format-1.batchscope", tmp_path))
    window.wait_until_drawn(280)
    assert window.view.options.view == "difference"
    assert window.page.views["difference"].isVisible()
    assert window.page.views["difference"].run_ids == (2, 5)
    assert window.selection.value.time_range == (864_000.0, 1_036_800.0)


def flat_settings() -> Settings:
    """Those of the file, as this version reads them."""
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((DATA / "settings-flat.json").read_bytes())
    return load_settings()


def test_settings_of_the_version_before_keep_all_that_was_chosen() -> None:
    settings = flat_settings()
    view = settings.view
    assert view == ViewOptions(
        charts=ShownCharts(ram=False, queue=False, folds=False),
        columns=1,
        rows="users",
        colours="wait",
        layers=GanttLayers(down=False, waits=True, reservations=True, idle=True),
        step="delay",
        heatmaps=HeatmapLook("usage", True, "mean", False),
        distributions="wait queue histogram linear all",
        scatter="response tardiness job linear",
        timeline_log=True,
        timeline_averages=("10 h",),
        gain_weights=(10, 20, 70),
        hidden_columns={"users": ("area",)},
    )
    assert (settings.theme, settings.share, settings.fair_starts) == ("dark", "1/10", True)
    assert settings.filters == {"large": "procs >= 16"}
    assert settings.policies == ["easy", "just:order=saf"]
    assert settings.administrators == {"example": ["3"]}
    assert settings.recent == ["/data/a.swf"]
    assert settings.layouts["night"]["options"]["rows"] == "users"


def test_upgraded_settings_are_written_once_and_stay(tmp_path: Path) -> None:
    settings = flat_settings()
    settings.view = ViewOptions(columns=4)
    save_settings(settings)
    again = load_settings()
    assert again == settings
    assert again.view.columns == 4  # the old entry of that name counts no more


def test_pins_weights_and_the_timeline_reach_settings_and_sessions(
    make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(site)
    settle(window)
    name = trace_of(window).user.names[2]
    window.view.choose(heatmaps=window.view.options.heatmaps.pin([name]))
    window.view.choose(timeline_log=True, gain_weights=(1, 2, 97))
    assert window.page.views["timeline"].log.isChecked()
    assert window.page.views["scores"].weights == [1, 2, 97]
    kept = window.settings.view
    assert (kept.heatmaps.pinned, kept.timeline_log, kept.gain_weights) == ((name,), True, (1, 2, 97))
    session = window.keeper.session()
    assert session is not None
    assert session.view.layout.options == window.view.options
