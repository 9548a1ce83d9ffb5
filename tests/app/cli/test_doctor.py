"""What `batchscope doctor` says, and what stands in the way of a window."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.cli.main import main
from app.work import display_probe, health, system_libraries
from app.work.health import check_folder, describe_screens, window_obstacle
from app.work.system_libraries import qt_platform
from engine.compiler import shipped
from tests.paths import ROOT

GONE = {"libnowhere.so.7": "libnowhere7", "libneither.so.1": "libneither1"}
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries have other names")


def test_it_says_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    checks = {check["name"]: check for check in found["checks"]}
    assert {"versions", "libraries", "fonts", "cache folder", "settings folder", "kernels", "display"} <= set(
        checks
    )
    assert found["faults"] == sum(check["state"] == "fault" for check in found["checks"])
    assert status == (1 if found["faults"] else 0)
    assert "numba 0." in checks["versions"]["found"]
    assert checks["display"]["found"].startswith("offscreen: 800 x 800 at scale 1")
    assert all(check["advice"] for check in found["checks"] if check["state"] == "fault")


@linux
def test_missing_libraries_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_libraries, "XCB_LIBRARIES", GONE)
    monkeypatch.setattr(system_libraries, "LIBRARIES", {})
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":77")
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "FAULT libraries: Qt's platform is xcb; missing here are libnowhere.so.7, libneither.so.1" in text
    assert "sudo apt-get install libneither1 libnowhere7" in text
    assert main([]) == 2, "and no window is tried, in which Qt would end the process"
    output = capsys.readouterr().err
    assert "no window can be opened under X: missing here are libnowhere.so.7" in output
    assert "batchscope doctor" in output


@linux
def test_wayland_has_its_own_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_libraries, "WAYLAND_LIBRARIES", GONE)
    monkeypatch.setattr(system_libraries, "LIBRARIES", {})
    monkeypatch.setattr(system_libraries, "XCB_LIBRARIES", {})
    assert "under Wayland: missing here are libnowhere" in window_obstacle({"WAYLAND_DISPLAY": "wayland-0"})
    assert window_obstacle({"QT_QPA_PLATFORM": "offscreen"}) == ""


@linux
@pytest.mark.parametrize(
    ("variables", "display"),
    [
        ({"DISPLAY": "localhost:77.0"}, "localhost:77.0 of DISPLAY"),
        ({"WAYLAND_DISPLAY": "wayland-77"}, "wayland-77 of WAYLAND_DISPLAY"),
        ({"WAYLAND_DISPLAY": "wayland-77", "DISPLAY": ":77"}, ":77 of DISPLAY"),
        ({"QT_QPA_PLATFORM": "xcb"}, "(not set) of DISPLAY"),
    ],
)
def test_a_display_that_has_gone_is_said_before_qt_ends_the_process(
    variables: dict[str, str],
    display: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for platform in ("XCB_LIBRARIES", "WAYLAND_LIBRARIES"):
        monkeypatch.setattr(system_libraries, platform, {})  # whether or not they are here
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    sentence = f"Qt cannot open a window: the display {display} cannot be connected to"
    assert main([]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line
    assert "QT_QPA_PLATFORM=offscreen batchscope FILE --screenshot out.png" in line
    assert main(["doctor"]) == 1
    assert f"FAULT display: {sentence}" in capsys.readouterr().out


@linux
def test_a_display_that_stays_silent_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_probe, "ANSWER_S", 0.2)
    others = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        number = silent.getsockname()[1] - 6000
        text = display_probe.display_obstacle({"DISPLAY": f"127.0.0.1:{number}"})
        connection, _ = silent.accept()
        connection.close()
    assert f"127.0.0.1:{number} of DISPLAY does not answer" in text
    for thread in set(threading.enumerate()) - others:
        thread.join(60)


@linux
def test_a_display_that_answers_is_no_obstacle() -> None:
    accepted = struct.pack("<BBHHH", 1, 0, 11, 0, 8) + bytes(
        32
    )  # by the protocol of X: version, length, setup

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(64)
            connection.sendall(accepted)
            connection.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        number = server.getsockname()[1] - 6000
        assert display_probe.display_obstacle({"DISPLAY": f"127.0.0.1:{number}"}) == ""
        thread.join()


@linux
def test_qt_may_have_another_platform_to_try() -> None:
    assert display_probe.display_obstacle({"QT_QPA_PLATFORM": "xcb;offscreen", "DISPLAY": ":77"}) == ""
    assert display_probe.display_obstacle({}) == ""


@linux
@pytest.mark.parametrize("display", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_the_command_that_installs_what_is_missing_is_reported_whole(
    display: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a machine without any of the libraries, which are too many for a line."""
    monkeypatch.setattr(system_libraries, "loads", lambda name: False)
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(display, ":77")
    assert main([]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    needed = system_libraries.libraries_of(qt_platform({display: ":77"}))
    assert f"and {len(needed) - 3} more" in line
    assert f"sudo apt-get install {' '.join(sorted(set(needed.values())))} (" in line


@linux
@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({}, ""),
        ({"DISPLAY": ":0"}, "xcb"),
        ({"WAYLAND_DISPLAY": "w"}, "wayland"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "xcb"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "wayland"),
        ({"QT_QPA_PLATFORM": "wayland-egl;xcb", "DISPLAY": ":0"}, "wayland"),
        ({"QT_QPA_PLATFORM": "offscreen:file", "DISPLAY": ":0"}, "offscreen"),
    ],
)
def test_the_platform_is_known_before_qt_is_loaded(environment: dict[str, str], platform: str) -> None:
    assert qt_platform(environment) == platform


@linux
def test_a_folder_that_cannot_be_written_is_a_fault() -> None:
    check = check_folder("cache", Path("/proc/1/nothing"))
    assert (check.state, check.name) == ("fault", "cache folder")
    assert "cannot be written" in check.found
    assert "export XDG_CACHE_HOME=FOLDER" in check.advice


def test_a_disk_with_little_room_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_folder("cache", tmp_path / "below" / "that").state == "ok"
    monkeypatch.setattr(health, "_LITTLE_BYTES", 1 << 62)
    check = check_folder("cache", tmp_path)
    assert check.state == "fault"
    assert f"du -xh {tmp_path}" in check.advice


def test_scales_are_reported() -> None:
    screen = {"width": 1920, "height": 1080, "scale": 1.5, "dpi": 144}
    text = describe_screens({"platform": "xcb", "screens": [screen], "fonts": 3}, {"QT_SCALE_FACTOR": "1.5"})
    assert text == "xcb: 1920 x 1080 at scale 1.5 (144 dpi); 3 families of fonts; QT_SCALE_FACTOR=1.5"


def test_damaged_kernels_of_a_package_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at as a program sees it that lies beside them."""
    place = tmp_path / shipped.PLACE
    place.mkdir(parents=True)
    (tmp_path / "engine" / "__init__.py").touch()
    (place / "one.kernel").write_bytes(b"code")
    shipped.write_about(place, "state", {})
    (place / "one.kernel").write_bytes(b"cod3")
    program = "from engine.compiler import cache\nimport pathlib, sys\n"
    # The package has another name where it is installed.
    program += "package = sys.modules[cache.__name__.removesuffix('.compiler.cache')]\n"
    program += "package.__file__ = sys.argv[1] + '/engine/__init__.py'\n"
    program += "cache._SOURCES = pathlib.Path(sys.argv[1])\n"
    program += "from app.work.health import kernel_checks\nfor check in kernel_checks(): print(check.found)"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    call = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(call, cwd=ROOT, env=clean, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "1 of the package's 1 are damaged, like one.kernel\n"
