"""A small cluster of real Slurm on loopback: every daemon, in a folder and in namespaces of its own.

`python -m tests.real.session` runs inside of namespaces for processes, mounts and the network that `enter`
makes. There is nothing but loopback there, the users are those of `USERS`, and when the session ends,
whatever it started ends with it: daemons, steps of jobs, and what these left behind.
"""

import faulthandler
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = (
    *("slurmctld", "slurmd", "slurmdbd", "munged", "sacct", "sacctmgr", "sbatch", "scontrol"),
    *("mariadbd", "mariadb", "mariadb-install-db", "unshare", "ip", "mount"),
)
USERS = {f"u{k}": 2000 + k for k in range(1, 7)}
ACCOUNTS = {"physics": ("u1", "u2"), "bio": ("u3",), "genes": ("u4",)}
NODES = ("c001", "c002", "c003", "c004", "t001", "t002", "g001", "g002", "x009")
"""Four plain nodes, two with two threads a core, two with GPUs, and one that fails."""

GRES_CONF = "NodeName=g[001-002] Name=gpu Type=a100 File={folder}/gpus/nvidia[0-1]\n"

SLURMDBD_CONF = """\
AuthType=auth/munge
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=6819
SlurmUser=root
LogFile={folder}/log/slurmdbd
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=33306
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""

SECONDS = 30.0
"""In which a daemon comes up."""


@dataclass(frozen=True)
class Setup:
    """What a cluster is: its `slurm.conf` and `gres.conf`, in which `{folder}` and `{here}` are filled in.

    `accounting` are the arguments of `sacctmgr -i` that say who may submit.
    """

    conf: str
    gres: str
    nodes: tuple[str, ...]
    accounting: tuple[str, ...]


MIXED = Setup(
    conf=Path(__file__).with_name("slurm.conf.in").read_text(),
    gres=GRES_CONF,
    nodes=NODES,
    accounting=(
        "add qos high priority=10",
        "add qos scavenge priority=1",
        "add account physics parent=root fairshare=60 cluster=loop",
        "add account bio parent=root fairshare=40 cluster=loop",
        "add account genes parent=bio fairshare=10 cluster=loop",
        *(
            f"add user {user} account={account} fairshare=10 cluster=loop"
            for account, users in ACCOUNTS.items()
            for user in users
        ),
        "modify account physics bio genes set qos=normal,high,scavenge",
    ),
)
"""A cluster of nine nodes for jobs of all kinds."""


def lacks() -> str:
    """What is missing on this machine for a real Slurm, in words; empty where nothing is."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "daemons of Slurm for several users need root"
    missing = [name for name in NEEDED if shutil.which(name, path=path_of_programs()) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run(
        [*_enter(), "true"], env=variables(), capture_output=True, text=True, timeout=20, check=False
    )
    return f"unshare: {tried.stderr.strip()}" if tried.returncode else ""


def enter(call: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a program in namespaces of its own; all processes in there end with it."""
    faulthandler.cancel_dump_traceback_later()  # pytest's limit for a test: this has one of its own
    # The shell is the first process in there: it collects what steps of jobs leave behind.
    inside = [*_enter(), "sh", "-c", '"$@" & wait $!', "sh", *call]
    with subprocess.Popen(
        inside, cwd=ROOT, env=variables(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        try:
            shown, _ = process.communicate(timeout=seconds)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(inside, process.returncode, shown)


def _enter() -> list[str]:
    return ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]


def path_of_programs() -> str:
    """Where programs are looked for: those of daemons, too."""
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def variables(folder: Path | None = None) -> dict[str, str]:
    """The environment of programs, of Slurm's clients with its configuration in this folder."""
    own = {"PATH": path_of_programs(), "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    if folder is not None:
        own["SLURM_CONF"] = str(folder / "slurm.conf")
    return os.environ | own


class Site:
    """A running cluster, as its programs show it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}

    def run(
        self,
        *call: str,
        user: str = "",
        script: str = "",
        where: Path | None = None,
        more: Mapping[str, str] | None = None,
    ) -> str:
        """What a program prints as that user, root if none, with `more` in its environment.

        Raises RuntimeError where it fails.
        """
        who = {"user": USERS[user], "group": USERS[user], "extra_groups": []} if user else {}
        done = subprocess.run(
            call, env=variables(self.folder) | dict(more or {}), input=script, capture_output=True, text=True,
            errors="surrogateescape", timeout=180, check=False, cwd=where or self.folder / "home", **who,
        )  # type: ignore[call-overload]  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{call}: {done.returncode}: {done.stdout}{done.stderr}")
        return str(done.stdout)

    def start(self, name: str, *call: str) -> None:
        """Start a daemon that stays in the foreground."""
        with (self.folder / "log" / f"{name}.out").open("ab") as output:
            self.daemons[name] = subprocess.Popen(
                call, env=variables(self.folder), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def end(self, name: str, at_once: bool = False) -> None:
        """End a daemon."""
        daemon = self.daemons.pop(name)
        daemon.kill() if at_once else daemon.terminate()
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait(5)

    def until(self, what: str, seen: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until something is so; raises RuntimeError with the logs' ends where it never is."""
        last, error = time.monotonic() + seconds, ""
        while time.monotonic() < last:
            # The command may fail until the daemon is up: its last error is told only if the time runs out.
            try:
                if seen():
                    return
            except RuntimeError as found:
                error = str(found)
            time.sleep(0.2)
        logs = []
        for log in sorted(self.folder.glob("log/*.out")):
            lines = log.read_text(errors="replace").splitlines()
            wrong = [line for line in lines if re.search("error|fatal", line) and "mpi" not in line.lower()]
            logs.append("\n".join([f"== {log.name}", *wrong[-5:], *lines[-2:]]))
        raise RuntimeError("\n".join([f"{what}: not within {seconds:g} s: {error}", *logs]))

    def mariadb(self, query: str, database: str = "slurm") -> str:
        """What MariaDB's client prints of a query, a row a line, fields parted by tabs."""
        return self.run(
            "mariadb", "--no-defaults", f"--socket={self.folder}/mariadb.sock", "--user=root", "--batch",
            "--default-character-set=utf8mb4", "--skip-column-names", database, script=query,
        )  # fmt: skip


@contextmanager
def site(folder: Path, setup: Setup = MIXED) -> Iterator[Site]:
    """A cluster in an empty folder, within the namespaces that `enter` makes; it ends whatever happens."""
    found = Site(folder)
    folder.chmod(0o755)  # munge wants its socket within everyone's reach
    own = (f"spool/{node}" for node in setup.nodes)
    for name in ("munge", "state", "spool", "log", "home", "gpus", *own):
        (folder / name).mkdir(0o755, parents=True)
    (folder / "home").chmod(0o1777)
    _own_users(folder)
    _own_network(found)
    here = "NodeHostname=localhost NodeAddr=127.0.0.1"
    (folder / "slurm.conf").write_text(setup.conf.format(folder=folder, here=here))
    (folder / "gres.conf").write_text(setup.gres.format(folder=folder))
    for name in ("nvidia0", "nvidia1"):
        (folder / "gpus" / name).touch()
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    try:
        _munge(found)
        _database(found, setup)
        found.start("slurmctld", "slurmctld", "-D", "-c", "-f", f"{folder}/slurm.conf")
        found.until("slurmctld", lambda: "UP" in found.run("scontrol", "ping"))
        for node in setup.nodes:
            start_node(found, node)
        found.until("nodes", lambda: _idle(found) == len(setup.nodes))
        yield found
    finally:
        for name in reversed(tuple(found.daemons)):
            with suppress(OSError, subprocess.TimeoutExpired):
                found.end(name)


def start_node(found: Site, node: str) -> None:
    """Start the daemon of a node."""
    found.start(node, "slurmd", "-D", "-N", node, "-f", f"{found.folder}/slurm.conf")


def _idle(found: Site) -> int:
    return len(set(found.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split()))


def _own_users(folder: Path) -> None:
    """Users that this cluster alone has."""
    for file, line in (("passwd", "{0}:x:{1}:{1}::{2}/home:/bin/sh\n"), ("group", "{0}:x:{1}:\n")):
        own = (line.format(name, number, folder) for name, number in USERS.items())
        _instead(folder, file, Path(f"/etc/{file}").read_text() + "".join(own))


def _own_network(found: Site) -> None:
    """Give the site loopback only, with a second address: with 127.0.0.1 alone no names are resolved."""
    found.run("ip", "link", "set", "lo", "up")
    found.run("ip", "address", "add", "192.0.2.1/32", "dev", "lo")
    _instead(found.folder, "hosts", f"127.0.0.1 localhost {socket.gethostname()}\n")


def _instead(folder: Path, file: str, text: str) -> None:
    """Put a text in place of a file in /etc, as all in here see it."""
    (folder / file).write_text(text)
    call = ["mount", "--bind", str(folder / file), f"/etc/{file}"]
    subprocess.run(call, env=variables(), check=True, timeout=20)


def _munge(found: Site) -> None:
    munge, place = found.folder / "munge", Path("/run/munge")
    found.run("mount", "-t", "tmpfs", "tmpfs", "/run")
    place.mkdir(0o755)
    (munge / "key").write_bytes(os.urandom(128))
    (munge / "key").chmod(0o600)
    options = {"key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    found.start("munged", "munged", "--foreground", *(f"--{k}={munge}/{file}" for k, file in options.items()))
    found.until("munged", (place / "munge.socket.2").exists)


def _database(found: Site, setup: Setup) -> None:
    """MariaDB, slurmdbd, and who may submit."""
    folder = found.folder
    where = f"--datadir={folder}/mariadb"
    found.run(
        "mariadb-install-db", "--no-defaults", where, "--user=root", "--skip-test-db",
        "--auth-root-authentication-method=normal",
    )  # fmt: skip
    found.start(
        "mariadbd", "mariadbd", "--no-defaults", where, "--user=root", "--bind-address=127.0.0.1",
        "--port=33306", f"--socket={folder}/mariadb.sock", f"--pid-file={folder}/mariadb.pid",
        "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=0",
    )  # fmt: skip
    found.until("mariadbd", lambda: found.mariadb("SELECT 1;", "mysql") != "")
    found.mariadb(
        "CREATE DATABASE slurm; CREATE USER slurm@'%' IDENTIFIED BY 'slurm'; "
        "GRANT ALL ON slurm.* TO slurm@'%';",
        "mysql",
    )
    (folder / "slurmdbd.conf").write_text(SLURMDBD_CONF.format(folder=folder))
    (folder / "slurmdbd.conf").chmod(0o600)
    found.start("slurmdbd", "slurmdbd", "-D")
    found.until("slurmdbd", lambda: "root" in found.run("sacctmgr", "-n", "-P", "show", "user"))
    found.run("sacctmgr", "-i", "add", "cluster", "loop")
    for words in setup.accounting:
        found.run("sacctmgr", "-i", *words.split())
