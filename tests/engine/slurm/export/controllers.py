"""A real slurmctld on loopback: what it makes of a configuration, and what it logs.

It needs Debian's packages `slurmctld` and `munge`, and root. Everything lies in a folder of its own, with a
munge daemon that has its own key and socket; both are ended whatever happens.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.policy.policy import Policy
from engine.slurm.export.lines import slurm_lines

UP = "Running as primary controller"
SECONDS = 15.0
"""In which a controller comes up, or ends."""

_HARMLESS = (
    "mpi",  # plugins of MPI whose libraries are not there
    "MPI",
    "state file",  # of a controller that has no state yet
    "Jobs may be lost",
    "Reservations may be lost",
    "can only be used with SlurmDBD",  # there is no accounting here
    "High latency",  # of a machine that does much else
)
_BAD = re.compile(r"error|fatal|invalid|warning", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """Whether a controller came up, what it logged that is wrong, and what it says of its configuration."""

    up: bool
    wrong: tuple[str, ...]
    settings: dict[str, str]
    partitions: str


def obeys(answer: Answer, policy: Policy) -> None:
    """Assert that a controller came up without complaint, and has each setting as it was written."""
    assert (answer.up, answer.wrong) == (True, ())
    for name, value in slurm_lines(policy).settings.items():
        if name == "SchedulerParameters":
            assert set(value.split(",")) <= set(answer.settings["schedulerparameters"].split(","))
        elif name in ("PriorityMaxAge", "PriorityDecayHalfLife"):
            assert in_seconds(answer.settings[name.lower()]) == in_seconds(value)
        else:
            assert answer.settings[name.lower()].lower() == value.lower()


def in_seconds(text: str) -> int:
    """Of `1-02:00:00` or `00:00:00`, as scontrol shows times; of what is written besides."""
    if text in ("0", "UNLIMITED"):
        return 0 if text == "0" else 4_294_967_236
    days, _, clock = text.rpartition("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    return int(days or 0) * 86_400 + hours * 3600 + minutes * 60 + seconds


def settings_of(config: str) -> dict[str, str]:
    """The settings that `scontrol show config` prints, by their names in small letters."""
    pairs = (line.partition("=") for line in config.splitlines())
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def factors_of(answer: Answer) -> dict[str, str]:
    """The factors of the partitions that a controller has."""
    found, name = {}, ""
    for word in answer.partitions.split():
        key, _, value = word.partition("=")
        if key == "PartitionName":
            name = value
        elif key == "PriorityJobFactor":
            found[name] = value
    return found


def available() -> bool:
    """Whether there is a slurmctld that may be started, on a machine that can resolve its own names."""
    installed = all(shutil.which(name, path=_path()) for name in ("slurmctld", "munged", "scontrol"))
    if not (installed and hasattr(os, "geteuid") and os.geteuid() == 0):
        return False
    # slurmctld looks up both names as it starts, and complains where a bare root has no /etc/hosts.
    try:
        for name in ("localhost", socket.gethostname()):
            socket.getaddrinfo(name, None)
    except OSError:
        return False
    return True


class Controllers:
    """Starts controllers one after another, each with another configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def base(self, nodes: str) -> str:
        """The lines that any configuration needs here; `nodes` are those that define nodes."""
        return (
            "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\n"
            f"SlurmctldPort={_free_port()}\nSlurmdPort={_free_port()}\n"
            f"AuthType=auth/munge\nAuthInfo=socket={self.folder}/munge/socket\nCredType=cred/munge\n"
            "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\nSlurmUser=root\n"
            f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool\n"
            f"SlurmctldPidFile={self.folder}/slurmctld.pid\nProctrackType=proctrack/linuxproc\n"
            "TaskPlugin=task/none\nMpiDefault=none\nMailProg=/bin/true\n"
            "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n" + nodes
        )

    def ask(self, text: str) -> Answer:
        """What a controller makes of a configuration."""
        path, log = self.folder / "slurm.conf", self.folder / "log"
        path.write_text(text, "utf-8")
        # No state of the configuration before may be left: the daemon would read it.
        for name in ("state", "spool"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        with log.open("wb") as output, _running(["slurmctld", "-D", "-c", "-f", str(path)], output) as daemon:
            last = time.monotonic() + SECONDS
            # It is up when its log says so; one that ends by itself has refused the configuration.
            while daemon.poll() is None and UP not in log.read_text() and time.monotonic() < last:
                time.sleep(0.02)
            up = daemon.poll() is None and UP in log.read_text()
            config = _scontrol(path, "config") if up else ""
            partitions = _scontrol(path, "partitions") if up else ""
            found = log.read_text("utf-8", "replace")
        # Lines that every start of this daemon has are no fault of the configuration.
        wrong = tuple(
            line for line in found.splitlines() if _BAD.search(line) and not any(h in line for h in _HARMLESS)
        )
        return Answer(up, wrong, settings_of(config), partitions)


@contextmanager
def controllers() -> Iterator[Controllers]:
    """Controllers with a munge daemon for them."""
    folder = Path(tempfile.mkdtemp(prefix="batchscope-slurm-", dir="/tmp"))
    try:
        folder.chmod(0o755)  # munge wants its socket within everyone's reach
        munge = folder / "munge"
        munge.mkdir(0o755)
        (munge / "key").write_bytes(os.urandom(128))
        (munge / "key").chmod(0o600)
        options = {
            "socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"
        }  # fmt: skip
        call = ["munged", "--foreground", *(f"--{name}={munge}/{file}" for name, file in options.items())]
        with (folder / "munged").open("wb") as output, _running(call, output) as daemon:
            last = time.monotonic() + SECONDS
            while daemon.poll() is None and not (munge / "socket").exists() and time.monotonic() < last:
                time.sleep(0.02)
            assert (munge / "socket").exists(), (folder / "munged").read_text()
            yield Controllers(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(call: list[str], output: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own session, which is ended, and with it what it started."""
    variables = os.environ | {"PATH": _path()}
    daemon = subprocess.Popen(
        call, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=variables, start_new_session=True
    )  # type: ignore[call-overload]
    try:
        yield daemon
    finally:
        for end in (daemon.terminate, lambda: os.killpg(daemon.pid, 9)):
            with suppress(ProcessLookupError):
                end()
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(5)


def _scontrol(path: Path, what: str) -> str:
    variables = os.environ | {"SLURM_CONF": str(path), "PATH": _path()}
    call = ["scontrol", "show", what]
    return subprocess.run(call, env=variables, capture_output=True, text=True, timeout=60, check=False).stdout


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
