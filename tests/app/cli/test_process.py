"""The command as a program of its own: what only shows from outside."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.cli.commands import Commands
from tests.paths import ROOT

COMMAND = [sys.executable, "-m", "app"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        env={**BUFFERED, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_done(small: Path, tmp_path: Path) -> None:
    done = run("compare", small, "-p", "fcfs", "-p", "easy", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [entry["policy"] for entry in json.loads(done.stdout)["runs"]] == ["fcfs", "easy"]


def test_wrong_usage(tmp_path: Path) -> None:
    done = run("info", tmp_path / "absent.swf")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"batchscope: {tmp_path / 'absent.swf'}: no such file\n"
    done = run("simulate")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_failed_work(small: Path, tmp_path: Path) -> None:
    done = run("simulate", small, "-o", tmp_path / "no" / "out.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"batchscope: {tmp_path / 'no' / 'out.csv'}: the folder {tmp_path / 'no'} does not exist\n"
    )


def test_no_progress_is_drawn_where_nobody_looks(small: Path) -> None:
    done = run("eet", small)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\r" not in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_enough_is_no_error(unbuffered: str) -> None:
    environment = {**BUFFERED, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(
        [*COMMAND, "policies"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        found = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert found == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_failed_work() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "policies"],
            cwd=ROOT,
            env=BUFFERED,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == "batchscope: [Errno 28] No space left on device\n"


def test_names_that_a_terminal_cannot_show(small: Path, tmp_path: Path) -> None:
    log = small.rename(tmp_path / "grün.swf")
    done = run("info", log, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].startswith("gr?n: 12 jobs")
    done = run("info", log, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["trace"]["name"] == "grün"


WRITES = """
import signal, sys, time
from pathlib import Path
from app.cli import grammar, main
from engine.atomic import write_atomically

def write(options):
    def fill(part):
        part.write_text("half")
        print("writing", flush=True)
        time.sleep(60)
    write_atomically(Path("out.csv"), fill)

grammar.policies = write
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell ignores in what it runs behind,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and this under nohup
main.run_process()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_run_that_is_ended_leaves_nothing_half_written(tmp_path: Path, name: str) -> None:
    call = [sys.executable, "-c", WRITES, "policies"]
    with subprocess.Popen(
        call, cwd=tmp_path, env=BUFFERED, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "writing\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(getattr(signal, name))
        number = getattr(signal, name)
        assert process.wait(timeout=60) == 128 + number, "as shells say it: 130 after Ctrl+C"
        assert process.stderr.read() == "batchscope: cancelled\n"
    assert list(tmp_path.iterdir()) == []


EARLY = """
import builtins, sys
load = builtins.__import__

def interrupted(name, *more):
    if name == sys.argv[1]:
        raise KeyboardInterrupt
    return load(name, *more)

builtins.__import__ = interrupted
from app.cli.entry import run_process
run_process()
"""


WITHOUT_A_LIBRARY = """
import sys
from app.cli import grammar, main
from app.work import system_libraries

def draw(options):
    raise ImportError(sys.argv[2])

grammar.policies = draw
system_libraries.LIBRARIES = {"libnowhere.so.7": "libnowhere7"}
sys.exit(main.main(["policies"]))
"""


def test_a_library_that_the_system_lacks_is_named_with_its_package() -> None:
    fault = "libnowhere.so.7: cannot open shared object file: No such file or directory"
    call = [sys.executable, "-c", WITHOUT_A_LIBRARY, "policies"]
    done = subprocess.run([*call, fault], cwd=ROOT, env=BUFFERED, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"batchscope: {fault}; on Debian or Ubuntu: sudo apt-get install libnowhere7"
    )
    assert done.stderr.count("\n") == 1
    other = subprocess.run(
        [*call, "no x"], cwd=ROOT, env=BUFFERED, capture_output=True, text=True, check=False
    )
    assert "ImportError: no x" in other.stderr, "a fault of the program keeps its traceback"


@pytest.mark.parametrize("module", ["app.cli.main", "app.cli.options"])
def test_an_interrupt_while_the_program_loads_is_one_line(module: str) -> None:
    call = [sys.executable, "-c", EARLY, module]
    done = subprocess.run(call, cwd=ROOT, env=BUFFERED, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "batchscope: cancelled\n")


@pytest.mark.skipif(os.name != "posix", reason="how a shell closes a stream")
@pytest.mark.parametrize(
    ("closed", "command"),
    [
        *((closed, "info {log} --json") for closed in (">&-", "2>&-", "<&-", ">&- 2>&- <&-")),
        *((closed, "simulate {log} -o {out}") for closed in ("2>&-", ">&- 2>&- <&-")),
        (">&-", "policies"),
    ],
)
def test_a_stream_that_was_closed_is_no_failure(
    small: Path, tmp_path: Path, closed: str, command: str
) -> None:
    out = tmp_path / "out.csv"
    call = " ".join((*COMMAND, command.format(log=small, out=out), closed))
    done = subprocess.run(
        call, shell=True, cwd=ROOT, env=BUFFERED, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    if "simulate" in command:
        assert len(out.read_text().splitlines()) == 13  # and nothing that was meant for the terminal


@pytest.mark.skipif(os.name != "posix", reason="how a shell makes a pipe")
def test_logs_come_through_pipes(small: Path, tmp_path: Path) -> None:
    (tmp_path / "log.gz").write_bytes(gzip.compress(small.read_bytes()))
    command = " ".join(COMMAND)
    for call in (
        f"zcat {tmp_path}/log.gz | {command} info -",
        f"{command} info <(cat {tmp_path}/log.gz)",
        f"{command} info - < {small}",
    ):
        done = subprocess.run(
            ["bash", "-c", call], cwd=ROOT, env=BUFFERED, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), call
        assert ": 12 jobs of 3 users" in done.stdout


UNREADABLE = (
    "/dev/zero",
    "/dev/null",
    "/proc/self/mem",
    "{folder}/pipe",
    "{folder}/empty",
    "{folder}/" + "a" * 300,
)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc")
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_reported_and_never_waited_for(
    cli: Commands, small: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.input.WRITER_SECONDS", 0.2)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    path = name.format(folder=tmp_path)
    shares = tmp_path / "users.csv"
    parquet = tmp_path / "schedule.parquet"
    if len(path) < 300:
        shares.symlink_to(path)
        parquet.symlink_to(path)
    for command in (
        ("info", path),
        ("info", small, "--cluster", path),
        ("info", small, "--cluster", "4x2c", "--failures", path),
        ("audit", small, path),
        ("audit", small, parquet),
        ("eet", small, "--share", shares),
        ("simulate", small, "-p", f"fairshare-easy:shares={shares}"),
    ):
        outcome = cli(*command)
        assert outcome.status == 2
        assert any(name in outcome.complaint for name in (path, str(shares), str(parquet)))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere address space is not limited so")
@pytest.mark.parametrize(
    ("command", "limit", "needed"),
    [
        (["compare", "-p", "easy"], 400_000_000, "800,000,000"),
        (["simulate"], 400_000_000, "800,000,000"),
        (["window", "--screenshot", "no.png"], 900_000_000, "1,000,000,000"),
    ],
)
def test_too_little_address_space_is_one_line(
    small: Path, command: list[str], limit: int, needed: str
) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
    run = "from app.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", limited + run, command[0], str(small), *command[1:]],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"batchscope: not enough memory: this process may have {limit:,} bytes of address space "
        f"(ulimit -v), and needs at least {needed}\n"
    )


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (
            ["info"],
            [
                "engine.simulation.loop",
                "engine.policy.formula_variables",
                "engine.logs.sacct.prints.dump",
                "engine.audit",
            ],
        ),
        (
            ["simulate"],
            ["engine.logs.sacct.prints.dump", "engine.slurm.scheduler.loop", "engine.audit.audit"],
        ),
        (
            ["compare", "-p", "easy"],
            ["engine.logs.sacct.prints.dump", "engine.slurm.scheduler.loop", "engine.audit.audit"],
        ),
    ],
)
def test_a_command_loads_what_it_needs_alone(words: list[str], unused: list[str], tmp_path: Path) -> None:
    """Each of these would take hundredths of a second from every start."""
    log = tmp_path / "log.swf"
    log.write_text("; Version: 2.2\n; MaxProcs: 8\n1 0 0 10 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n")
    program = "import sys; from app.cli.main import main; status = main(sys.argv[2:]); "
    program += "print([name for name in sys.argv[1].split() if name in sys.modules], file=sys.stderr); "
    program += "sys.exit(status)"
    never = ["views", "pandas", "pyarrow", "matplotlib", "scipy", "PySide6"]
    names = " ".join([*unused, *never])
    call = [sys.executable, "-c", program, names, *words, "--quiet", str(log)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
