"""The building of packages, as far as it takes no time; `packaging/build.py` itself takes minutes."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QGuiApplication, QImage

from app.cli.main import main, make_parser
from resources import example_path
from tests.packaging_modules import load
from tests.paths import ROOT
from views.catalog import RUN_FIGURES
from views.spec import FigureSpec

NOTHING_LACKS = FigureSpec.lacks
"""What kinds of figures that any run has say of what is missing."""

glibc = load("glibc")
stage = load("stage")
wheel = load("wheel")

METADATA = (
    "Name: batchscope\nRequires-Dist: numba==1\nRequires-Dist: llvmlite==1\nRequires-Dist: numpy>=2.0\n"
)
VERSIONS = {"numba": "1", "llvmlite": "1", "numpy": "2.1.3"}


def test_a_wheel_requires_the_versions_that_its_kernels_were_compiled_with() -> None:
    assert wheel._pinned(METADATA, VERSIONS).splitlines()[-1] == "Requires-Dist: numpy==2.1.3"
    with pytest.raises(stage.BuildError, match="0 requirements of numpy"):
        wheel._pinned(METADATA.replace("numpy", "numbers"), VERSIONS)


def test_an_index_lists_the_wheels_with_their_digests(tmp_path: Path) -> None:
    for name in ("batchscope-1-py3-none-any.whl", "batchscope-1-cp312-cp312-linux_x86_64.whl", "other-1.whl"):
        (tmp_path / name).write_bytes(name.encode())
    index = wheel.write_index(tmp_path)
    page = (wheel.write_index(tmp_path) / "batchscope" / "index.html").read_text()
    links = re.findall(r'href="\.\./\.\./([^#]+)#sha256=(\w+)"', page)
    assert [name for name, _ in links] == sorted(path.name for path in tmp_path.glob("batchscope-*.whl"))
    assert all(hashlib.sha256(name.encode()).hexdigest() == digest for name, digest in links)
    assert 'href="batchscope/"' in (index / "index.html").read_text()


def test_pip_takes_the_wheel_with_kernels_where_it_fits(tmp_path: Path) -> None:
    """From the index, of a wheel for this Python, one for another and one for all."""
    for tag in (wheel.wheel_tag(), wheel.wheel_tag().replace("cp3", "cp2"), "py3-none-any"):
        info = "batchscope-1.dist-info"
        files = {
            f"{info}/METADATA": b"Metadata-Version: 2.1\nName: batchscope\nVersion: 1\n",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
            f"{info}/RECORD": b"",
        }
        wheel._write(tmp_path / f"batchscope-1-{tag}.whl", files, 1_700_000_000)
    index = wheel.write_index(tmp_path).as_uri()
    # Isolated from the settings of pip that a machine has: nothing but the index is asked.
    call = [
        sys.executable,
        "-Im",
        "pip",
        "--isolated",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--quiet",
    ]
    call += ["--no-deps", "--index-url", index, "--report", "-", "batchscope"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    done = subprocess.run(call, env=clean, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    (chosen,) = json.loads(done.stdout)["install"]
    assert chosen["download_info"]["url"].endswith(f"/batchscope-1-{wheel.wheel_tag()}.whl")


def test_only_a_wheel_is_built_for_another_python(capsys: pytest.CaptureFixture[str]) -> None:
    build = load("build")
    assert build.read_arguments(["wheel", "--python", "3.12"]).python == "3.12"
    with pytest.raises(SystemExit):
        build.read_arguments(["folder", "--python", "3.12"])
    assert "--python is for a wheel, and not for a folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        build.read_arguments(["wheel", "deb", "--python", "3.12"])
    assert "--python is for a wheel, and not for a deb" in capsys.readouterr().err


def test_packages_of_a_call_are_made_from_one_freeze(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build, folder = load("build"), load("folder")
    calls: list[list[str]] = []

    def call(command: list[str], *, cwd: Path, **_: object) -> None:
        """Leave behind what PyInstaller would, and note that it was called."""
        calls.append(command)
        (cwd / "batchscope.spec").write_text("pyz = PYZ(a.pure)\n")
        inside = cwd / "frozen" / "batchscope" / "_internal"
        inside.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(inside / "base_library.zip", "w"):
            pass

    def pack(made: object, output: Path) -> Path:
        """A package, as its kinds make it from the frozen folder."""
        assert folder.freeze(made).is_dir()
        path = output / "a.deb"
        path.write_text("text")
        return path

    made = stage.Stage(tmp_path, tmp_path, tmp_path, "1.2.3", 1_700_000_000)
    monkeypatch.setattr(build, "make_stage", lambda work, compiled: made)
    monkeypatch.setattr(folder, "missing_libraries", lambda kind: {})
    monkeypatch.setattr(folder, "_environment", lambda made: tmp_path / "python")
    monkeypatch.setattr(folder, "build_wheel", lambda made, output: output / "a.whl")
    monkeypatch.setattr(folder, "call", call)
    monkeypatch.setattr(build, "_KINDS", dict.fromkeys(("folder", "deb", "rpm"), (pack, "")))
    words = ["folder", "deb", "rpm", "deb", "-o", str(tmp_path), "--work", str(tmp_path)]
    assert build.main(build.read_arguments(words)) == 0
    assert sum("PyInstaller" in command for command in calls) == 1
    program = str(tmp_path / "frozen" / "batchscope" / "batchscope")
    tried = [command[1:] for command in calls if command[0] == program]
    assert [words[0] for words in tried] == [words[0] for words in folder.FORMATS]
    assert all("{log}" not in words for words in tried)
    assert capsys.readouterr().out.count("a.deb: 0.0 MB") == 3


def test_words_are_read_before_anything_is_installed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app/work/system_libraries.py", "engine/system.py"):  # all that is read besides
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    for words, fault in (
        (["whel"], "invalid choice: 'whel'"),
        (["deb", "--python", "3.12"], "--python is for a wheel"),
        (["folder", "--outptu", "x"], "unrecognized arguments: --outptu"),
    ):
        # A Python without the packages of `.venv`, as on a fresh machine.
        call = [load("environment").BASE, str(tmp_path / "packaging" / "build.py"), *words]
        variables = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(call, env=variables, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, fault in done.stderr) == (2, True), done.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["app", "engine", "packaging"]


def test_another_python_must_be_there_and_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = load("build")
    options = build.read_arguments(["wheel", "--python", "9.9", "--work", str(tmp_path / "work")])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.SetupError, match=r"no Python 9\.9 on the path"):
        build.run_in_environment(options)
    (tmp_path / "python9.9").write_text("#!/bin/sh\nexit 127\n")
    (tmp_path / "python9.9").chmod(0o755)
    with pytest.raises(build.SetupError, match=r"python9\.9 does not start"):
        build.run_in_environment(options)
    assert not (tmp_path / "work").exists()


def test_a_step_that_fails_ends_the_build(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = load("build")
    broken = [sys.executable, "-c", "raise SystemExit(7)"]
    # Each kind of package calls its steps by `call`: the first step that fails ends all of them.
    monkeypatch.setattr(build, "make_stage", lambda work, compiled: stage.call(broken, cwd=tmp_path))
    words = ["-o", str(tmp_path / "out"), "--work", str(tmp_path / "work")]
    for kind in ("wheel", "plain", "folder", "deb", "rpm"):
        assert build.main(build.read_arguments([kind, *words])) == 1
        assert f"packaging/build.py: {sys.executable} ended with exit status 7" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_second_build_in_a_folder_finds_no_pictures_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`figure` would refuse to replace them, and the build end there."""
    seen = []

    def call(command: list[str], *, cwd: Path, **_: object) -> None:
        """Note the pictures that are there when the example is used, and leave one."""
        if any(word.endswith(stage._USE) for word in command):
            seen.append(list((cwd / "pictures").iterdir()))
            (cwd / "pictures" / "gantt.png").write_text("drawn")

    monkeypatch.setattr(stage, "call", call)
    built = stage.Stage(tmp_path, tmp_path, tmp_path, "1.2.3", 1_700_000_000)
    for _ in range(2):
        stage._compile(built)
    assert seen == [[], []]


@pytest.mark.parametrize("kind", [spec.kind for spec in RUN_FIGURES if spec.lacks is not NOTHING_LACKS])
def test_a_build_can_draw_each_kind_of_figure(kind: str, tmp_path: Path) -> None:
    """With the words that it adds: without them some kinds have nothing to show, and the build ends there."""
    power = tmp_path / "power.toml"
    power.write_text(stage.POWER)
    words = [word.format(power=power) for word in stage.FIGURE_WORDS.get(kind.removesuffix("-column"), [])]
    runs = ["--jobs", "0:300", "-p", "fairshare-easy", "-p", "easy", *words]
    out = tmp_path / "drawn.png"
    assert main(["figure", kind, str(example_path()), *runs, "--quiet", "-o", str(out)]) == 0
    assert out.stat().st_size > 1_000


def test_a_debian_package_lists_the_digests_of_its_files(tmp_path: Path) -> None:
    for name in ("usr/lib/b", "usr/lib/a b", "usr/c", "DEBIAN/control"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "usr" / "link").symlink_to("c")
    digest = "1cb251ec0d568de6a929b520c4aed8d1"  # of the word "text"
    names = ["usr/c", "usr/lib/a b", "usr/lib/b"]
    assert load("deb").digests(tmp_path) == "".join(f"{digest}  {name}\n" for name in names)


def test_a_wheel_with_compiled_kernels_is_for_one_platform() -> None:
    text = wheel._tagged("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    assert text == f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {wheel.wheel_tag()}\n"
    assert "any" not in wheel.wheel_tag()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    files = {"b.py": b"2", "x.dist-info/RECORD": b"", "a.py": b"1" * 1000}
    wheel._write(tmp_path / "one.whl", files, 1_700_000_000)
    wheel._write(tmp_path / "two.whl", dict(reversed(files.items())), 1_700_000_000)
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.whl") as archive:
        assert archive.namelist() == ["a.py", "b.py", "x.dist-info/RECORD"]
        assert archive.infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)


def test_the_library_of_a_folder_has_no_time_and_order_of_its_build(tmp_path: Path) -> None:
    files = {"io.pyc": b"1", "abc.pyc": b"2", "re/_parser.pyc": b"3"}
    paths = tmp_path / "a.zip", tmp_path / "b.zip"
    for path, names, year in zip(paths, (list(files), sorted(files)), (2020, 2021), strict=True):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), files[name])
        load("folder").date_archive(path, 1_700_000_000)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert archive.infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)


def test_hooks_that_nothing_needs_are_left_out_of_the_folder() -> None:
    folder = load("folder")
    spec = "a = Analysis([])\npyz = PYZ(a.pure)\n"
    names = {"PYZ": lambda pure: None, "Analysis": lambda scripts: analysis}
    analysis = SimpleNamespace(pure=[], scripts=[("pyi_rth_multiprocessing", ""), ("frozen", "")])
    exec(folder.without_hooks(spec), names)  # PyInstaller runs it likewise
    assert analysis.scripts == [("frozen", "")]
    with pytest.raises(load("stage").BuildError):
        folder.without_hooks("a = Analysis([])\n")


def test_a_record_names_each_file_with_its_digest() -> None:
    record = wheel._record({"a.py": b"1"}, "x.dist-info/RECORD")
    digest = "a4ayc_80_OGda4BO_1o_V0etpOqiLx1JwB5S3beHW0s"  # of the byte "1"
    assert record == f"a.py,sha256={digest},1\nx.dist-info/RECORD,,\n"


def test_builds_see_no_variable_that_changes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_OPT", "1")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert stage.commit_time() == 1_700_000_000
    environment = stage.Stage(tmp_path, tmp_path, tmp_path, "1", stage.commit_time()).environment
    assert "NUMBA_OPT" not in environment
    assert (environment["SOURCE_DATE_EPOCH"], environment["PYTHONHASHSEED"]) == ("1700000000", "0")


def test_the_bill_of_materials_names_all_that_is_needed_here() -> None:
    sbom = load("sbom")
    text = sbom.bill_of_materials("1.2", 1_700_000_000)
    assert text == sbom.bill_of_materials("1.2", 1_700_000_000)
    bill = json.loads(text)
    versions = {part["name"]: part["version"] for part in bill["components"]}
    assert versions["numba"] == version("numba")
    assert versions["numpy"] == version("numpy"), "of several that are locked, this Python's"
    assert not versions.keys() & {"pytest", "ruff", "batchscope"}
    references = {part["bom-ref"] for part in [*bill["components"], bill["metadata"]["component"]]}
    assert {edge["ref"] for edge in bill["dependencies"]} == references
    assert all(other in references for edge in bill["dependencies"] for other in edge["dependsOn"])
    assert all(part["properties"] for part in bill["components"]), "each with the digests of its files"


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files below `share`."""
    folder = tmp_path_factory.mktemp("share")
    for name, data in load("share").share_files("1.2.3", 1_700_000_000).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_man_pages_tell_of_every_command_and_option(share: Path) -> None:
    commands = load("arguments").read_commands(make_parser())
    program = (share / "man/man1/batchscope.1").read_text()
    assert '"2023\\-11\\-14" "Batchscope 1.2.3"' in program
    for command in commands:
        assert f"batchscope\\-{command.name}" in program
        page = (share / f"man/man1/batchscope-{command.name}.1").read_text()
        names = [name for option in command.options for name in option.names]
        assert all(f"\\fB{name.replace('-', chr(92) + '-')}\\fR" in page for name in names), command.name


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
def test_man_pages_are_roff(share: Path) -> None:
    for page in sorted((share / "man/man1").iterdir()):
        call = ["groff", "-man", "-Tascii", "-ww", "-z", page]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), page


def test_the_desktop_files_fit_each_other(share: Path) -> None:
    types = share / "mime/packages/org.batchscope.Batchscope.xml"
    names = {kind.attrib["type"] for kind in ElementTree.parse(types).getroot()}
    entry = (share / "applications/org.batchscope.Batchscope.desktop").read_text()
    (line,) = (line for line in entry.splitlines() if line.startswith("MimeType="))
    assert set(line.removeprefix("MimeType=").strip(";").split(";")) == names
    about = ElementTree.parse(share / "metainfo/org.batchscope.Batchscope.metainfo.xml").getroot()
    assert {kind.text or "" for kind in about.iter("mediatype")} < names
    assert (share / "icons/hicolor/scalable/apps/batchscope.svg").exists()
    for size in (16, 32, 48, 64, 128, 256):
        picture = QImage(str(share / f"icons/hicolor/{size}x{size}/apps/batchscope.png"))
        assert (picture.width(), picture.height()) == (size, size)
        assert picture.pixelColor(size // 2, size // 2).alpha() == 255
    assert QGuiApplication.desktopFileName() in ("", "org.batchscope.Batchscope")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (["appstreamcli", "validate", "--no-net"], "metainfo/org.batchscope.Batchscope.metainfo.xml"),
        (["desktop-file-validate"], "applications/org.batchscope.Batchscope.desktop"),
    ],
)
def test_their_own_programs_find_nothing_wrong(share: Path, program: list[str], name: str) -> None:
    if shutil.which(program[0]) is None:
        pytest.skip(f"no {program[0]} here")
    done = subprocess.run([*program, str(share / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_help_names_each_kind_of_package() -> None:
    unsafe = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, "packaging/build.py", "--help"],
        cwd=ROOT, env=unsafe, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    words = " ".join(done.stdout.split())
    assert "wheel: a wheel for pipx, uv and pip; plain: a wheel without kernels" in words
    assert "<function" not in words


@pytest.mark.skipif(shutil.which("rpmbuild") is None, reason="no rpmbuild here")
def test_an_rpm_names_what_its_programs_need(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("usr/lib/batchscope/batchscope", "usr/share/doc/batchscope/read me"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("text")
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / "batchscope").symlink_to("../lib/batchscope/batchscope")
    built = stage.Stage(tmp_path / "work", tmp_path, tmp_path, "1.2.3", 1_700_000_000)
    needs = load("needs").Needs(["ld-linux-x86-64.so.2", "libEGL.so.1"], ["libwayland-client.so.0"])
    path = load("rpm").pack_rpm(built, root, "2.34", needs, tmp_path / "out")
    assert path.name.startswith("batchscope-1.2.3-1.")

    def asked(*words: str) -> list[str]:
        call = ["rpm", "-qp", *words, str(path)]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout.splitlines()

    assert "libc.so.6(GLIBC_2.34)(64bit)" in asked("--requires")
    assert "libEGL.so.1()(64bit)" in asked("--requires")
    assert asked("--recommends") == ["libwayland-client.so.0()(64bit)"]
    assert not any("ld-linux" in line for line in asked("--requires"))
    assert asked("--changelog")[0].startswith("* Tue Nov 14 2023 ")  # the time of the commit
    assert set(asked("--list")) == {
        "/usr/bin/batchscope",
        "/usr/lib/batchscope",
        "/usr/lib/batchscope/batchscope",
        "/usr/share/doc/batchscope",  # or it would be left, empty
        "/usr/share/doc/batchscope/read me",
    }


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with a library, and with a module for Wayland and one for all that are linked with it."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    folder = tmp_path / "frozen"
    (folder / "Wayland").mkdir(parents=True)
    (tmp_path / "own.c").write_text("int own(void) { return 1; }")
    (tmp_path / "module.c").write_text(
        "#include <math.h>\nint own(void); double f(double x) { return own() + exp(x); }"
    )
    # The first library is in the folder itself; only those of the system are needed of it.
    build = ["cc", "-shared", "-fPIC", "-o"]
    subprocess.run([*build, folder / "libown.so", tmp_path / "own.c", "-Wl,-soname,libown.so"], check=True)
    for module, library in (("Wayland/a.so", "-lm"), ("b.so", "-lc")):
        words = [
            folder / module,
            tmp_path / "module.c",
            f"-L{folder}",
            # The linker would leave out a library of which no function is used, and the module would not name
            # it.
            "-Wl,--no-as-needed",
            "-lown",
            library,
        ]
        subprocess.run([*build, *words], check=True)
    (folder / "text").write_text("no program")
    return folder


def test_what_a_folder_needs_of_a_system_is_read_from_its_files(linked: Path, tmp_path: Path) -> None:
    needs = load("needs")
    found = needs.needed_of_system(linked)
    assert found == needs.Needs(["libc.so.6"], ["libm.so.6"])
    (linked / "libown.so").unlink()  # as a library that is left out
    with pytest.raises(
        stage.BuildError, match=r"system: Wayland/a\.so needs libown\.so, b\.so needs libown\.so$"
    ):
        needs.needed_of_system(linked)


@pytest.mark.skipif(shutil.which("dpkg-shlibdeps") is None, reason="no dpkg-dev here")
def test_a_debian_package_needs_what_has_the_symbols_of_its_files(linked: Path, tmp_path: Path) -> None:
    built = stage.Stage(tmp_path / "work", tmp_path, tmp_path, "1.2.3", 1_700_000_000)
    root, own = tmp_path / "root", load("deb").OWN
    (root / "DEBIAN").mkdir(parents=True)
    shutil.copytree(linked, root / own)
    # A library of the program that the system has too, with a package of its own.
    held = re.search(
        r"libz\.so\.1 .*=> (\S+)",
        subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout,
    )
    assert held is not None
    shutil.copyfile(held[1], root / own / "libz.so.1")
    words = [root / own / "c.so", tmp_path / "own.c", "-Wl,--no-as-needed", root / own / "libz.so.1"]
    subprocess.run(["cc", "-shared", "-fPIC", "-o", *words], check=True)
    assert "libz.so.1" in load("elf").needed_libraries(bytearray((root / own / "c.so").read_bytes()))
    fields = load("needs").debian_fields(built, root, own)
    (depends,) = fields["Depends"].split(", ")
    assert re.fullmatch(r"libc6 \(>= 2\.\d+(\.\d+)?\)", depends)
    text = load("deb").control("1.2.3", "amd64", 5, {"Depends": depends, "Recommends": "libwayland-client0"})
    assert f"\nDepends: {depends}, fontconfig-config\n" in text
    assert "\nRecommends: libwayland-client0, fonts-" in text
    assert "\nRecommends: fonts-" in load("deb").control("1.2.3", "amd64", 5, {"Depends": depends})


def test_python_asks_for_functions_that_older_systems_have(tmp_path: Path) -> None:
    import cmath

    place = getattr(cmath, "__file__", None)
    if place is None or b"GLIBC_2.35" not in Path(place).read_bytes():
        pytest.skip("this Python has no module that asks for glibc 2.35")
    path = tmp_path / Path(place).name
    shutil.copyfile(place, path)
    assert glibc.ask_for_old(path)
    assert not glibc.ask_for_old(path), "nothing is left to change"
    assert float(glibc.needed_glibc(tmp_path).removeprefix("2.")) <= 34
    # The loader takes the changed file, and the function does what it did.
    call = "import sys; sys.path.insert(0, sys.argv[1]); import cmath; "
    call += "print(cmath.__file__, cmath.log(3 + 4j).real)"
    done = subprocess.run(
        [sys.executable, "-Ic", call, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == [str(path), str(cmath.log(3 + 4j).real)]
    other = tmp_path / "other"
    other.write_bytes(b"GLIBC_2.35")
    assert not glibc.ask_for_old(other)


def test_the_needed_glibc_is_the_newest_that_an_elf_file_names(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.so").write_bytes(b"\x7fELF..\0GLIBC_2.4\0GLIBC_2.17\0GLIBC_PRIVATE\0")
    (tmp_path / "b.so").write_bytes(b"\x7fELF..\0GLIBC_2.9\0")
    (tmp_path / "text").write_bytes(b"GLIBC_2.99")
    (tmp_path / "lost").symlink_to("nowhere")
    assert glibc.needed_glibc(tmp_path) == "2.17"
    (tmp_path / "inner" / "a.so").unlink()
    (tmp_path / "b.so").unlink()
    with pytest.raises(ValueError, match="names a version of glibc"):
        glibc.needed_glibc(tmp_path)


SOURCES = {
    "app/__init__.py": "",
    "app/cli.py": "",
    "engine/__init__.py": "",
    "engine/run.py": "",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from app.cli import main\n", "from batchscope.app.cli import main\n"),
        ("from app import cli  # noqa\n", "from batchscope.app import cli  # noqa\n"),
        ("import engine\n", "from batchscope import engine\n"),
        ("import engine.run as run\n", "import batchscope.engine.run as run\n"),
        ("    import engine  # noqa\n", "    from batchscope import engine  # noqa\n"),
        ("def f():\n    from engine.run import (\n        a,\n    )\n", None),
        ('x = "app.cli:main"\n', 'x = "batchscope.app.cli:main"\n'),
        (
            "y = f'app.cli.{x}', \"engine.run\"\n",
            "y = f'batchscope.app.cli.{x}', \"batchscope.engine.run\"\n",
        ),
        ('z = "engine", "engine.lost", "app.cli is here", app.cli, b.app\n', ""),
        ("from engineer import a\nimport apple\nfrom .app import cli\n", ""),
    ],
)
def test_imports_of_packages_name_the_package_around_them(
    tmp_path: Path, before: str, after: str | None
) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    expected = before.replace("from engine", "from batchscope.engine") if after is None else after or before
    assert load("inside").imports_inside(before, tmp_path) == expected
