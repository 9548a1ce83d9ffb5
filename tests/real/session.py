"""A session of a real Slurm: jobs of all kinds, and what its programs and its database say of them.

`python -m tests.real.session FOLDER few|many` is run by `take` in namespaces of its own. It leaves in FOLDER
`out`, with a file for each thing that was printed, and `mid` with what was printed while jobs waited.
"""

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.real.site import NODES, Site, enter, site, start_node
from tests.real.workload import FEW, MORE, Job

SECONDS = {"few": 600.0, "many": 1800.0}
"""After which a session is given up."""

_ENDED = (
    "COMPLETED",
    "CANCELLED",
    "FAILED",
    "TIMEOUT",
    "NODE_FAIL",
    "PREEMPTED",
    "OUT_OF_MEMORY",
    "DEADLINE",
)


def take(folder: Path, size: str = "few") -> str:
    """Run a session in an empty folder; what it printed. Raises RuntimeError where it failed."""
    done = enter([sys.executable, "-m", "tests.real.session", str(folder), size], SECONDS[size])
    if done.returncode:
        raise RuntimeError(done.stdout)
    return done.stdout


class Jobs:
    """Jobs of a session, and what is done to them."""

    def __init__(self, at: Site) -> None:
        self.site = at
        self.ids: dict[str, str] = {}

    def submit(self, job: Job) -> None:
        """Submit a job, and print why where it is refused."""
        # Jobs write where they run: the folder is everybody's, with the sticky bit.
        where = self.site.folder / "home" / job.where
        where.mkdir(mode=0o777, exist_ok=True)
        where.chmod(0o1777)
        call = ["sbatch", "--parsable", *(() if "-o" in job.options else ("-o", "/dev/null")), *job.options]
        script = ""
        if job.wrapped:
            call.append(f"--wrap={job.script}")
        elif "--wrap" not in job.options:
            script = f"#!/bin/sh\n{job.script}\n"
        # A refusal is a result too: Slurm prints why, and the session goes on.
        try:
            found = self.site.run(*call, user=job.user, script=script, where=where)
        except RuntimeError as error:
            print(f"refused: {job.key}: {error}", flush=True)
            return
        self.ids[job.key] = found.split(";")[0].strip()

    def state(self, key: str) -> str:
        """The state of a job in words, of the first task of an array."""
        found = self.site.run("scontrol", "-o", "show", "job", self.ids[key])
        return found.partition("JobState=")[2].partition(" ")[0]

    def until(self, key: str, *states: str, seconds: float = 60.0) -> bool:
        """Wait until a job is in one of these states; False where it never is."""
        last, state = time.monotonic() + seconds, "unknown"
        while time.monotonic() < last and state not in (*states, *_ENDED):
            time.sleep(0.3)
            with suppress(RuntimeError):
                state = self.state(key)
        if state not in states:
            print(f"never {' or '.join(states)}: {key}: {state}", flush=True)
        return state in states

    def control(self, verb: str, key: str, *more: str) -> None:
        """A command of scontrol on a job."""
        self.command("scontrol", verb, self.ids.get(key, "0"), *more)

    def update(self, key: str, *changes: str) -> None:
        """Change a job."""
        self.command("scontrol", "update", f"JobId={self.ids.get(key, 0)}", *changes)

    def cancel(self, key: str, *more: str, user: str = "") -> None:
        """Cancel a job."""
        self.command("scancel", *more, self.ids.get(key, "0"), user=user)

    def command(self, *call: str, user: str = "") -> None:
        """Run a command, and print the error where it fails."""
        try:
            self.site.run(*call, user=user)
        except RuntimeError as error:
            print(f"refused: {error}", flush=True)


def main() -> None:
    """Run a session."""
    folder, size = Path(sys.argv[1]), sys.argv[2]
    with site(folder) as at:
        jobs = Jobs(at)
        if size == "many":
            start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 1))
            jobs.command(
                "scontrol", "create", "reservation", "reservationname=noon", "users=u2", "nodes=c004",
                f"starttime={start}", "duration=10",
            )  # fmt: skip
        for job in FEW:
            jobs.submit(job)
        jobs.submit(Job("after", "u1", ("-n1", f"--dependency=afterok:{jobs.ids['first']}")))
        jobs.submit(
            Job("never_after", "u1", ("-n1", f"-dafterok:{jobs.ids['fails']}", "--kill-on-invalid-dep=yes"))
        )
        time.sleep(8)
        print_queue(at, folder / "mid")
        handle(jobs)
        if size == "many":
            for job in MORE:
                jobs.submit(job)
            print_queue(at, folder / "full")
            handle_more(jobs)
        print_queue(at, folder / "mid2")
        finish(jobs)
        (folder / "out").mkdir()
        (folder / "out" / "ids.json").write_text(json.dumps(jobs.ids, indent=1))
        (folder / "out" / "printed").write_text(str(int(time.time())))
        print_all(at, folder / "out")
        dump_database(at, folder / "out")
        collect(at, folder / "home" / "collected")
        obey_exports(at, folder / "out")


def handle(jobs: Jobs) -> None:
    """What is done to some of FEW."""
    # In the order in which the jobs start: each waits for a state before something is done to it.
    jobs.until("suspended", "RUNNING")
    jobs.control("suspend", "suspended")
    jobs.until("requeued", "RUNNING")
    jobs.control("requeue", "requeued")
    jobs.until("requeued_cancelled", "RUNNING")
    time.sleep(2)
    jobs.control("requeuehold", "requeued_cancelled")
    jobs.cancel("held_cancelled", user="u1")
    jobs.until("running_cancelled", "RUNNING")
    jobs.cancel("running_cancelled")
    jobs.until("node_fails", "RUNNING")
    jobs.until("node_fails_again", "RUNNING")
    # The daemon of the last node is killed, and its node declared down: the jobs on it fail or are queued
    # again.
    jobs.site.end(NODES[-1], at_once=True)
    jobs.command("scontrol", "update", f"NodeName={NODES[-1]}", "State=DOWN", "Reason=gone")
    jobs.cancel("requeued_cancelled", user="u1")
    time.sleep(4)
    jobs.control("resume", "suspended")
    jobs.until("array_left", "RUNNING")
    time.sleep(2)
    jobs.cancel("array_left")
    jobs.until("node_fails_again", "PENDING")
    jobs.cancel("node_fails_again")


def handle_more(jobs: Jobs) -> None:
    """What is done to some of MORE."""
    # Each state is waited for: what follows is meant for a job in that state.
    jobs.until("held_requeued", "RUNNING")
    jobs.control("requeuehold", "held_requeued")
    jobs.until("resized", "RUNNING", "COMPLETED")
    jobs.update("resized", "NumNodes=2")
    jobs.update("limit_changed", "TimeLimit=3")
    jobs.update("admin_comment", 'AdminComment=x|y\n"z"')
    jobs.update("admin_comment", "JobName=new|name")
    jobs.until("suspended_cancelled", "RUNNING")
    jobs.control("suspend", "suspended_cancelled")
    time.sleep(3)
    jobs.cancel("suspended_cancelled")
    jobs.until("low", "RUNNING")
    for k in range(4):
        jobs.submit(Job(f"pushing{k}", "u1", ("-p", "short", "-n8", "-t1"), "sleep 3"))
    jobs.until("pushing3", *_ENDED)
    for key in ("low", "cheap", "never", "nice", "het_cancelled"):
        jobs.cancel(key)
    jobs.until("het_running_cancelled", "RUNNING")
    jobs.cancel("het_running_cancelled", user="u2")
    jobs.until("held_requeued", "PENDING")
    time.sleep(2)
    jobs.cancel("held_requeued", user="u2")


def finish(jobs: Jobs, restarts: tuple[str, ...] = (NODES[-1],), seconds: float = 200.0) -> None:
    """Wait until all jobs have ended, and until accounting has it; `restarts` are nodes that were down."""
    at = jobs.site
    last = time.monotonic() + seconds
    while (left := at.run("squeue", "-h", "-o", "%i %T %r").strip()) and time.monotonic() < last:
        time.sleep(1)
    if left:
        print(f"left: {left}", flush=True)
        jobs.command(
            "scancel", "--quiet", *[line.split()[0].split("_")[0].split("+")[0] for line in left.splitlines()]
        )
        time.sleep(10)
    for node in restarts:
        start_node(at, node)
    query = "SELECT COUNT(*) FROM loop_job_table WHERE time_end = 0 AND NOT deleted;"
    at.until("accounting", lambda: at.mariadb(query).strip() == "0")
    # Of what was requeued sacct says nothing before it could run again.
    query = f"SELECT MAX(time_eligible) FROM loop_job_table WHERE time_eligible < {int(time.time()) + 200};"
    at.until("requeued jobs", lambda: int(at.mariadb(query)) < time.time() - 1, 200)


def print_to(at: Site, path: Path, *call: str, more: Mapping[str, str] | None = None, user: str = "") -> None:
    """Keep what a program prints, as that user; what it says where it fails."""
    try:
        text = at.run(*call, more=more, user=user)
    except RuntimeError as error:
        text = f"{error}\n"
    path.write_text(text, "utf-8", "surrogateescape", "\n")


SACCT = ("sacct", "-a", "-S", "2020-01-01", "-E", "now")
FIELDS = (
    "JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,End,Elapsed,ExitCode,State,"
    "NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,Timelimit,NodeList,JobName"
)


SQUEUE = "%i|%u|%a|%P|%q|%T|%V|%S|%e|%l|%D|%C|%m|%b|%Q|%R|%j"


def print_queue(at: Site, folder: Path) -> None:
    """What Slurm says of the queue now."""
    folder.mkdir()
    for name, call in {
        "squeue.json": ("squeue", "--json"),
        "squeue.txt": ("squeue",),
        "squeue_long.txt": ("squeue", "-l"),
        "squeue_all.txt": ("squeue", "-a", "-o", "%all"),
        "squeue_tasks.txt": ("squeue", "-a", "-r", "-h", "-o", SQUEUE),
        "squeue_wide.txt": (
            "squeue", "-O",
            "JobID:20,ArrayJobID:20,UserName:12,Account:12,Partition:12,QOS:12,State:12,SubmitTime:22,"
            "StartTime:22,TimeLimit:14,NumNodes:8,NumCPUs:8,MinMemory:10,tres-alloc:60,PriorityLong:14,Reason:30,"
            "Dependency:40,Feature:20,Name:40",
        ),
        "squeue_start.txt": ("squeue", "--start"),
        "scontrol_job.txt": ("scontrol", "show", "job", "-o"),
        "scontrol_job_long.txt": ("scontrol", "-a", "-d", "show", "job"),
        "scontrol_config.txt": ("scontrol", "show", "config"),
        "scontrol_partition.txt": ("scontrol", "show", "partition"),
        "scontrol_node.txt": ("scontrol", "show", "node"),
        "scontrol_node_lines.txt": ("scontrol", "show", "node", "-o"),
        "scontrol_reservation.txt": ("scontrol", "show", "reservation"),
        "scontrol_assoc.txt": ("scontrol", "show", "assoc_mgr"),
        "sinfo.json": ("sinfo", "--json"),
        "sinfo.txt": ("sinfo", "-N", "-l"),
        "sdiag.txt": ("sdiag",),
        "sprio.txt": ("sprio", "-l"),
        "sshare.txt": ("sshare", "-a", "-l", "-P"),
        "qos.txt": ("sacctmgr", "show", "qos", "-P"),
        "assoc.txt": ("sacctmgr", "show", "assoc", "-P"),
        "sacctmgr_tres.txt": ("sacctmgr", "show", "tres", "-P"),
        "sacct_now.txt": (*SACCT, "-P", "--format=ALL"),
        "sacct_now.json": (*SACCT, "--json"),
    }.items():  # fmt: skip
        print_to(at, folder / name, *call)
    at.run("sacctmgr", "dump", "loop", f"file={folder}/sacctmgr_dump.cfg")


def print_all(at: Site, folder: Path) -> None:
    """What Slurm says of all jobs that have ended, by every door."""
    fields = f"--format={FIELDS}"
    for name, call in {
        "all.txt": (*SACCT, "-P", "--format=ALL"),
        "all_runs.txt": (*SACCT, "-P", "-D", "--format=ALL"),
        "jobs.txt": (*SACCT, "-X", "-P", fields),
        "steps.txt": (*SACCT, "-P", fields),
        "no_head.txt": (*SACCT, "-n", "-P", fields),
        "ended.txt": (*SACCT, "-p", fields),
        "mebibytes.txt": (*SACCT, "-P", "--units=M", "--format=ALL"),
        "comma.txt": (*SACCT, "-P", "--delimiter=,", fields),
        "semicolon.txt": (*SACCT, "-P", "--delimiter=;", fields),
        "tab.txt": (*SACCT, "-P", "--delimiter=\t", fields),
        "caret.txt": (*SACCT, "-P", "--delimiter=^|^", fields),
        "wide.txt": (
            *SACCT, "--format=JobID%20,Partition%20,QOS%12,Account%12,User%12,Submit%20,Eligible%20,Start%20,"
            "End%20,Elapsed%14,State%30,NNodes%8,NCPUS%8,ReqCPUS%8,ReqMem%12,ReqTRES%80,AllocTRES%80,Timelimit%16,"
            "NodeList%60,JobName%40",
        ),
        "default.txt": (*SACCT,),
        "all.json": (*SACCT, "--json"),
        "all_runs.json": (*SACCT, "-D", "--json"),
        "config.txt": ("scontrol", "show", "config"),
        "partition.txt": ("scontrol", "show", "partition"),
        "node.txt": ("scontrol", "show", "node"),
    }.items():  # fmt: skip
        print_to(at, folder / name, *call)
    print_to(at, folder / "unix.txt", *SACCT, "-P", "--format=ALL", more={"SLURM_TIME_FORMAT": "%s"})
    print_to(at, folder / "prague.txt", *SACCT, "-P", "--format=ALL", more={"TZ": "Europe/Prague"})


def collect(at: Site, folder: Path) -> None:
    """Collect the log and the site by the command, and by its script as a user who is no administrator.

    The command runs as root, since a Python in root's home is out of that user's reach.
    """
    today = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
    program = (sys.executable, "-m", "app", "collect")
    own = {"HOME": str(folder.parent), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    script = folder.with_name("collect.sh")
    script.write_text(at.run(*program, "--print", "--from", today, more=own))
    where = folder.with_name("collected_by_script")
    both = ("sh", "-c", 'sh "$0" "$1" 2>&1', str(script), str(where))
    print_to(at, folder.with_name("script.txt"), *both, user="u3")
    print_to(at, folder.with_name("collect.txt"), *program, str(folder), "--from", today, more=own)


POLICIES = {
    "weights": "easy:order=priority,depth=all,weights=age=5;fairshare=3;size=2;queue=7,max_age=90",
    "queues": "easy:order=priority,depth=all,weights=queue=3,queue_priority=low@9;short@3,horizon=40d",
    "limits": "easy:order=priority,depth=all,weights=age=0.25;fairshare=2,half_life=none,test_limit=77",
    "basic": "easy:depth=all",
    "stop": "easy:depth=stop",
}
"""What a running controller is made to use, in lines within its own file."""

CHANGES = {
    "bf_interval": "9",
    "bf_max_job_test": "321",
    "PriorityWeightAge": "777",
    "PriorityWeightJobSize": "0",
    "Fairshare.bio": "55",
    "MaxJobsPU.high": "3",
    "GrpTRES.physics": "24",
    "MaxTRESPU.high": "12",
}
"""What is changed of the site itself, and pasted as its export says."""


def obey_exports(at: Site, folder: Path) -> None:
    """Write policies into the configuration, one after another, and keep what the controller has then.

    Each is read by a running controller first and by one that was started anew then.
    """
    from engine.policy.policy import parse_policy
    from engine.slurm.export.site_file import slurm_into

    conf, own = at.folder / "slurm.conf", at.folder / "site.conf"
    # The file as it was is kept aside: each policy is written into that one, not into the last result.
    own.write_text(conf.read_text())
    for name, spelling in POLICIES.items():
        conf.write_text(slurm_into(parse_policy(spelling), own).text)
        print_to(at, folder / f"reconfigure_{name}.txt", "scontrol", "reconfigure")
        time.sleep(2)
        _print_obeyed(at, folder, name)
        restart_controller(at)
        _print_obeyed(at, folder, f"{name}_anew")
    conf.write_text(own.read_text())
    paste_changes(at, folder)
    conf.write_text(own.read_text())


def paste_changes(at: Site, folder: Path) -> None:
    """Paste the lines of a changed site: those of slurm.conf into the file, commands into a shell."""
    from engine.slurm.site.changes import changed, changed_lines
    from engine.slurm.site.folder import read_site_at

    here, conf = folder / "site", at.folder / "slurm.conf"
    here.mkdir()
    (here / "slurm.conf").write_text(conf.read_text())
    print_to(at, here / "qos.txt", "sacctmgr", "show", "qos", "-P")
    at.run("sacctmgr", "dump", "loop", f"file={here}/dump.cfg")
    # Commands go to the database; a line of the file replaces the one of the same name.
    text = conf.read_text()
    for line in changed_lines(changed(read_site_at(here), CHANGES)):
        if line.startswith("sacctmgr"):
            at.run(*line.split())
            continue
        name = line.partition("=")[0]
        others = [own for own in text.splitlines() if not own.startswith(f"{name}=")]
        text = "\n".join((*others, line, ""))
    conf.write_text(text)
    restart_controller(at)
    _print_obeyed(at, folder, "changed_anew")
    print_to(at, folder / "qos_changed.txt", "sacctmgr", "show", "qos", "-P")
    at.run("sacctmgr", "dump", "loop", f"file={folder}/dump_changed.cfg")


def restart_controller(at: Site) -> None:
    """End the controller and start it again with the configuration as it is by now, and with its state."""
    at.end("slurmctld")
    at.start("slurmctld", "slurmctld", "-D", "-f", f"{at.folder}/slurm.conf")
    at.until("slurmctld", lambda: "UP" in at.run("scontrol", "ping"))


def _print_obeyed(at: Site, folder: Path, name: str) -> None:
    """What a controller says of its configuration, and which priority a job of a user gets by it."""
    print_to(at, folder / f"config_{name}.txt", "scontrol", "show", "config")
    print_to(at, folder / f"partition_{name}.txt", "scontrol", "show", "partition")
    job = at.run("sbatch", "--parsable", "--begin=now+1hour", "-n1", "-t1", "--wrap=true", user="u1").strip()
    print_to(at, folder / f"priority_{name}.txt", "squeue", "-h", "-j", job, "-o", "%Q")
    at.run("scancel", job)


TABLES = ("job", "step", "assoc", "event", "resv", "suspend")


def dump_database(at: Site, folder: Path) -> None:
    """Each table as JSON: the types of its columns, and rows of texts, null for NULL."""
    for name in (*(f"loop_{table}_table" for table in TABLES), "qos_table", "tres_table", "user_table"):
        query = (
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'slurm' "
            f"AND table_name = '{name}' ORDER BY ordinal_position;"
        )
        types = dict(line.split("\t") for line in at.mariadb(query).splitlines())
        cells = ", ".join(f"HEX(CONVERT(`{column}`, BINARY))" for column in types)
        lines = at.mariadb(f"SELECT {cells} FROM {name};").splitlines()
        rows = [
            [None if cell == "NULL" else bytes.fromhex(cell) for cell in line.split("\t")] for line in lines
        ]
        texts = [[None if c is None else c.decode("utf-8", "backslashreplace") for c in row] for row in rows]
        (folder / f"{name}.json").write_text(json.dumps({"types": types, "rows": texts}, indent=0))


if __name__ == "__main__":
    main()
