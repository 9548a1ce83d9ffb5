"""What is wrong is said in one line, with the exit status of wrong usage or of failed work."""

import gzip
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import FAILED, WRONG_USAGE, make_parser
from tests.app.cli.commands import HEADER, Commands, small_log
from tests.engine.logs.lines import line, write_log

COMMANDS = [("info",), ("simulate", "-p", "easy"), ("compare", "-p", "fcfs", "-p", "easy"), ("eet",)]


def wrong(outcome, *parts: object, status: int = WRONG_USAGE) -> str:
    complaint: str = outcome.complaint
    for part in parts:
        assert str(part) in complaint
    assert outcome.status == status
    return complaint


def missing(folder: Path) -> Path:
    return folder / "no" / "log.swf"


def directory(folder: Path) -> Path:
    return folder


def empty(folder: Path) -> Path:
    (folder / "empty.swf").touch()
    return folder / "empty.swf"


def binary(folder: Path) -> Path:
    (folder / "binary.swf").write_bytes(bytes(range(256)) * 50)
    return folder / "binary.swf"


def picture(folder: Path) -> Path:
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    return folder / "picture.png"


def prose(folder: Path) -> Path:
    return write_log(folder / "prose.txt", "To whom it may concern:", "this is no trace.")


def cut_off(folder: Path) -> Path:
    whole = small_log(folder, "cut.swf.gz").read_bytes()
    (folder / "cut.swf.gz").write_bytes(whole[: len(whole) // 2])
    return folder / "cut.swf.gz"


def corrupt(folder: Path) -> Path:
    whole = bytearray(small_log(folder, "corrupt.swf.gz").read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    (folder / "corrupt.swf.gz").write_bytes(whole)
    return folder / "corrupt.swf.gz"


def nothing_packed(folder: Path) -> Path:
    (folder / "nothing.swf.gz").write_bytes(gzip.compress(b""))
    return folder / "nothing.swf.gz"


def header_only(folder: Path) -> Path:
    return write_log(folder / "header.swf", *HEADER)


def site_configuration(folder: Path) -> Path:
    path = folder / "slurm.conf"
    path.write_text("# a site\nNodeName=c[1-4] CPUs=8\n", "utf-8")
    return path


def no_usable_job(folder: Path) -> Path:
    return write_log(folder / "unusable.swf", *HEADER, line(runtime=-1), line(job=2, procs=0, allocated=-1))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (missing, "no such file"),
        (directory, "there is no log in this folder"),
        (empty, "this file is empty"),
        (binary, "this is a binary file"),
        (picture, "this is a picture"),
        (prose, "this is not a trace"),
        (
            site_configuration,
            "a slurm.conf is not a log but a machine (--cluster slurm.conf) and a policy (-p)",
        ),
        (cut_off, "this gzip archive is cut off"),
        (corrupt, "this gzip archive is corrupt"),
        (nothing_packed, "this file is empty"),
        (header_only, "there is no job in this file"),
        (no_usable_job, "no usable job among 2 records; dropped: no positive runtime (1, drop_no_runtime)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_is_no_trace(
    cli: Commands, tmp_path: Path, command: tuple[str, ...], make: Callable[[Path], Path], problem: str
) -> None:
    name, *options = command
    path = make(tmp_path)
    wrong(cli(name, path, *options), f"batchscope: {path}", problem)


def test_a_line_that_makes_a_file_no_trace_is_named(cli: Commands, tmp_path: Path) -> None:
    wrong(cli("info", prose(tmp_path)), "prose.txt:1: this is not a trace", "'To whom it may concern:'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 node two 4 1 1024\n", "site.machines:1: expected 'id name nodes cpus speed ram_kb'"),
        ("0 node 2 4 1 1024\n1 node\n", "site.machines:2: expected"),
        ("", "site.machines: no machine in this file"),
        ("\0\xff", "site.machines:1: expected"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_unreadable_machines_file(
    cli: Commands, small: Path, command: tuple[str, ...], text: str, problem: str
) -> None:
    name, *options = command
    machines = small.with_name("site.machines")
    machines.write_text(text, "utf-8")
    wrong(cli(name, small, *options, "--cluster", machines), problem)
    beside = machines.rename(small.with_name("small.swf.machines"))
    wrong(cli(name, small, *options), beside)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_machine_on_which_no_job_fits(cli: Commands, tmp_path: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    jobs = [line(job=number, submit=number, procs=2, ram=4096 << 10) for number in range(5)]
    log = write_log(tmp_path / "log.swf", *HEADER, *jobs)
    machines = tmp_path / "site.machines"
    machines.write_text("0 node 9 4 1 1048576\n")
    problem = "none of the 5 jobs fits on this machine, 9x4c1g"
    wrong(cli(name, log, *options, "--cluster", machines), f"batchscope: {machines}: {problem}")
    wrong(cli(name, log, *options, "--cluster", "9x4c1g"), f"batchscope: 9x4c1g: {problem}")
    beside = machines.rename(tmp_path / "log.swf.machines")
    wrong(cli(name, log, *options), f"batchscope: {beside}: {problem}")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--cluster", "many"), ("cluster 'many'", "spell it like")),
        (("--cluster", "site.machines"), ("site.machines: no such machines file",)),
        (("--cluster", "some/where"), ("some/where: no such machines file",)),
        (("--cluster", "x" * 400), ("cannot read",)),
        (("--jobs", "5"), ("--jobs 5: expected A:B",)),
        (("--jobs", "a:b"), ("--jobs a:b: expected A:B",)),
        (("--jobs", "12:"), ("none of the 12 jobs is selected",)),
        (("--from", "yesterday"), ("cannot read the time 'yesterday'",)),
        (("--to", "2001-02-30"), ("cannot read the time '2001-02-30'",)),
        (("--from", "10000"), ("none of the 12 jobs is selected",)),
        (("--users", "4"), ("there is no user '4'; did you mean",)),
        (("--queues", "-night"), ("there is no queue 'night'",)),
        (("--clean", "everything"), ("--clean everything: expected RULE=on or RULE=off",)),
        (("--clean", "drop_no_runtim=on"), ("--clean", "did you mean 'drop_no_runtime'?")),
        (("--seed", "dice"), ("--seed: invalid int value: 'dice'",)),
        (("--nonsense",), ("unrecognized arguments: --nonsense",)),
        (("--timezonne", "UTC"), ("unrecognized arguments: --timezonne UTC; did you mean '--timezone'?",)),
        (("--jobs",), ("--jobs: expected one argument",)),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_wrong_options(
    cli: Commands, small: Path, command: tuple[str, ...], options: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    name, *policies = command
    wrong(cli(name, small, *policies, *options), *parts)


@pytest.mark.parametrize(
    ("policy", "part"),
    [
        ("eazy", "unknown policy 'eazy'; did you mean 'easy'?"),
        ("easy:oder=saf", "policies have no key 'oder'; did you mean 'order'?"),
        ("easy:order=best", "order cannot be 'best'"),
        ("easy:order", "should be key=value"),
        ("recorded:order=saf", "takes no keys"),
        ("", "unknown policy ''"),
    ],
)
def test_wrong_policies(cli: Commands, small: Path, policy: str, part: str) -> None:
    for command in (
        ("simulate",),
        ("compare", "-p", "easy"),
        ("compare", "-p", "easy", "--baseline", policy),
    ):
        name, *options = command
        wrong(cli(name, small, *options, *([] if "--baseline" in options else ["-p", policy])), part)
    if policy:
        wrong(cli("eet", small, "-p", policy), part)


@pytest.mark.parametrize(
    "command", [("simulate", "-p", "easy"), ("compare", "-p", "easy"), ("eet", "-p", "easy")]
)
def test_wrong_estimates_and_spans(cli: Commands, small: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    wrong(cli(name, small, *options, "--estimate", "guess"), "estimate cannot be 'guess'")
    wrong(cli(name, small, *options, "--measure", "5"), "--measure 5: expected FROM:TO")
    wrong(cli(name, small, *options, "--measure", "a:b"), "cannot read the time 'a'")
    wrong(
        cli(name, small, *options, "--measure", "900:"), "--measure 900:: no job was submitted in that span"
    )
    wrong(cli(name, small, *options, "--filter", "procs > 999"), "procs > 999: there is nothing to measure")


@pytest.mark.parametrize(
    "command", [("info",), ("simulate",), ("compare", "-p", "easy"), ("eet",), ("audit", "recorded")]
)
def test_where_nothing_is_measured_nothing_is_done(
    cli: Commands, small: Path, command: tuple[str, ...]
) -> None:
    name, *options = command
    wrong(cli(name, small, *options, "--measure", "1:2"), "--measure 1:2: no job was submitted in that span")
    wrong(cli(name, small, *options, "--jobs", "4:4"), "none of the 12 jobs is selected")


def test_a_machine_that_is_refused_late_is_refused_before_anything_is_printed(
    cli: Commands, small: Path
) -> None:
    wrong(cli("info", small, "--cluster", "8x4c~1s/1s"), "8 nodes are over the limit of")


def test_jobs_that_are_measured_but_never_run(cli: Commands, tmp_path: Path) -> None:
    log = write_log(tmp_path / "wide.swf", "; MaxProcs: 4", line(procs=8), line(submit=9))
    out = tmp_path / "out.csv"
    options = ("--clean", "clamp_procs=off", "--measure", "0:1")
    wrong(cli("simulate", log, *options, "-o", out), "--measure 0:1: there is nothing to measure")
    wrong(cli("compare", log, "-p", "easy", *options), "--measure 0:1: there is nothing to measure")
    assert not out.exists()


@pytest.mark.parametrize(
    ("share", "part"),
    [
        ("lots", "cannot read the share 'lots'"),
        ("0c", "cannot read the share '0c'"),
        ("2/1", "lies above 0 and is at most 1/1"),
        ("1/0", "lies above 0 and is at most 1/1"),
        ("4x64c", "cannot read the share"),
        ("users.csv", "users.csv: no such file"),
    ],
)
def test_wrong_shares(cli: Commands, small: Path, share: str, part: str) -> None:
    wrong(cli("eet", small, "--share", share), part)
    wrong(cli("compare", small, "-p", "easy", "--share", share), part)


def test_shares_of_users_that_are_not_there(cli: Commands, small: Path, tmp_path: Path) -> None:
    users = tmp_path / "users.csv"
    users.write_text("user,share\nalice,4c\n")
    wrong(cli("eet", small, "--share", users), f"{users}: none of its users is in trace small")
    users.write_text("user,share\n1,4c\n2,many\n")
    wrong(cli("eet", small, "--share", users), f"{users}:3: cannot read the share 'many'")


def test_a_baseline_that_is_not_compared(cli: Commands, small: Path) -> None:
    wrong(cli("compare", small, "-p", "easy", "--baseline", "fcfs"), "--baseline fcfs is not one of")


def test_recorded_where_the_log_has_no_waits(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path, waits=False)
    wrong(cli("simulate", log, "-p", "recorded"), "does not say when its jobs started")


@pytest.mark.parametrize("command", ["simulate", "eet"])
def test_a_format_that_is_not_written(cli: Commands, small: Path, tmp_path: Path, command: str) -> None:
    wrong(cli(command, small, "-o", tmp_path / "out.txt"), "out.txt: cannot write this format; name it .csv")
    wrong(cli(command, "no.swf", "-o", tmp_path / "out"), "out: cannot write this format")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".swf"])
def test_an_output_that_cannot_be_written_is_failed_work(
    cli: Commands, small: Path, tmp_path: Path, suffix: str
) -> None:
    absent, folder = tmp_path / "no" / f"out{suffix}", tmp_path / f"folder{suffix}"
    folder.mkdir()
    for path, reason in ((absent, "does not exist"), (folder, "irectory")):
        complaint = wrong(cli("simulate", small, "-o", path), path, reason, status=FAILED)
        assert complaint.startswith(f"batchscope: {path}: ")
        if suffix != ".swf":
            wrong(cli("eet", small, "-o", path), f"batchscope: {path}: ", status=FAILED)
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name != "home") == [
        folder.name,
        "small.swf",
    ]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("info",), "the following arguments are required: TRACE"),
        (("simulate",), "the following arguments are required: TRACE"),
        (("compare", "log.swf"), "the following arguments are required: -p/--policy"),
        (("info", "one.swf", "two.swf"), "one.swf: no such file"),
        (("policies", "extra"), "unrecognized arguments: extra"),
        (("difference", "log.swf", "-p", "easy", "--by", "usr"), "did you mean 'user'?"),
        (("report", "log.swf", "-p", "easy", "-o", "x", "--basline", "easy"), "did you mean '--baseline'?"),
        (("info", "log.swf", "-o", "x"), "batchscope info: unrecognized arguments: -o x (see batchscope i"),
        (("compare", "log.swf", "-p", "easy", "-v"), "batchscope compare: unrecognized arguments: -v (see"),
        (("compare", "log.swf", "--polcy", "easy"), "--polcy; did you mean '--policy'?"),
        (("compar", "log.swf"), "compar: no such file or command; did you mean 'compare'?"),
        (("frobnicate",), "frobnicate: no such file"),
        (("one.swf", "two.swf"), "one.swf: no such file"),
        (("--size", "big", "log.swf"), "'big' is not a size"),
    ],
)
def test_wrong_usage(cli: Commands, arguments: tuple[str, ...], part: str) -> None:
    wrong(cli(*arguments), part)


def test_every_command_names_the_option_that_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    (group,) = make_parser()._subparsers._group_actions  # type: ignore[union-attr]
    tried = 0
    for command, parser in group.choices.items():  # type: ignore[union-attr]
        for option in parser._option_string_actions:
            if not option.startswith("--"):
                continue
            misspelt = option[:3] + option[2:]  # its first letter twice
            with pytest.raises(SystemExit) as leaving:
                parser.parse_args([misspelt])
            assert leaving.value.code == 2
            assert f"{misspelt}; did you mean '{option}'?" in capsys.readouterr().err, command
            tried += 1
    assert tried > 300


def test_too_much_for_the_memory_is_failed_work(
    cli: Commands, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhaust(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("app.cli.commands.schedules_of", exhaust)
    wrong(cli("simulate", small), "not enough memory", status=FAILED)


def test_what_is_stopped_from_the_keyboard_says_so_by_its_status(
    cli: Commands, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.cli.commands.schedules_of", stop)
    wrong(cli("simulate", small), "cancelled", status=128 + signal.SIGINT)
