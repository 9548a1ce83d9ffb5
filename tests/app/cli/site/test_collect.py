"""Collecting from a login node: what is written, what is missing, and what is never written."""

import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from engine.logs.read import read_trace
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from tests.app.cli.commands import Commands
from tests.engine.collect.logins import SECRETS, Login, slurm_login

SPAN = ("--from", "2026-11-01", "--to", "2026-11-04")


@pytest.fixture
def login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Login:
    folder = tmp_path / "login"
    folder.mkdir()
    made = slurm_login(folder)
    monkeypatch.setenv("PATH", str(made.path))
    return made


def texts_of(folder: Path) -> dict[str, str]:
    """The files of a folder and of those in it, by their paths from there."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in files}


def check_collected(folder: Path) -> None:
    """The folder is a site and has a log; it holds no secret and no text of a user."""
    site = read_site_at(folder)
    assert str(site.machine) == "8c16000m"
    assert site.boot == "2026-11-28T17:26:38"
    assert dict(site.qos) == {"normal": 10.0, "high": 100.0}
    assert site.associations == (
        Association("root", "root", "root", 1.0),
        Association(
            "physics", "", "root", 60.0, (("maxwalldurationperjob", "1-00:00:00"), ("maxtresperjob", "cpu=4"))
        ),
        Association("optics", "", "physics", 2.0, (("grpjobs", "9"),)),
        Association("optics", "ann", "optics", None, (("maxjobs", "4"),)),
    )
    trace = read_trace(folder / "jobs")
    assert trace.job_id.tolist() == [1, 2, 3]
    assert trace.wait.tolist() == [300] * 3
    # Whatever was written, in any file: passwords and texts of users must be nowhere in it.
    everything = "".join(texts_of(folder).values())
    assert not [secret for secret in SECRETS if secret in everything]


def test_a_site_and_its_log_come_from_nothing(cli: Commands, login: Login, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    done = cli("collect", folder, *SPAN)
    assert done.status == 0, done.out + done.err
    for line in (
        f"next: batchscope info {folder}/jobs --cluster {folder}",
        f"      batchscope compare {folder}/jobs -p recorded -p site:{folder}",
        f"      batchscope report {folder}/jobs -p recorded -p site:{folder} -o report",
    ):
        assert f"{line}\n" in done.out
    assert "this sacct has no fields Cluster, Account" in done.out
    check_collected(folder)
    days = [call for call in login.calls if call.startswith("sacct -a")]
    assert [call.split()[4] for call in days] == [f"2026-11-0{day}T00:00:00" for day in (1, 2, 3)]
    assert "--format=JobID,User,Submit,Start,End,Timelimit,NCPUS,NodeList,State" in days[0]


@pytest.mark.parametrize("answer", ["exit 0", "echo 'scontrol: error: No topology information' >&2; exit 1"])
def test_a_site_that_describes_no_network_lacks_nothing(
    answer: str, cli: Commands, login: Login, tmp_path: Path
) -> None:
    whole = (login.path / "scontrol").read_text("utf-8").partition("\n")[2]
    login.does("scontrol", f'case "$*" in *topology*) {answer} ;; esac\n{whole}')
    done = cli("collect", tmp_path / "site", *SPAN)
    assert done.status == 0, done.out + done.err
    assert not (tmp_path / "site" / "topology.conf").exists()


def test_a_second_time_only_what_is_missing_is_collected(cli: Commands, login: Login, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    whole = (login.path / "sacct").read_text("utf-8")
    login.does("sacct", f'case "$*" in *2026-11-02T00*) exit 1 ;; esac\n{whole.partition(chr(10))[2]}')
    broken = cli("collect", folder, *SPAN)
    assert broken.status == 1
    assert "missing  jobs/sacct-2026-11-02.txt: these jobs are missing in the log (" in broken.out
    assert "1 file missing: run the same command again, for that alone, or go on without it" in broken.out
    (login.path / "sacct").write_text(whole, "utf-8")
    before = len(login.calls)
    assert cli("collect", folder, *SPAN).status == 0
    days = [call.split()[4] for call in login.calls[before:] if call.startswith("sacct -a")]
    assert days == ["2026-11-02T00:00:00"]
    check_collected(folder)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('printf "JobID|User\\n1|an"', "ends within a line, as if cut off"),
        ("exit 0", "sacct printed nothing"),
        ('echo "sacct: error: down" >&2; exit 3', "sacct: error: down"),
        ("echo hello", "did not print the names of the fields first"),
    ],
)
def test_output_that_is_cut_off_or_wrong_is_not_kept(
    line: str, why: str, cli: Commands, login: Login, tmp_path: Path
) -> None:
    login.does("sacct", f'[ "$1" = --helpformat ] && exit 1\n{line}')
    done = cli("collect", tmp_path / "site", "--from", "2026-11-01", "--to", "2026-11-02")
    assert done.status == 1
    assert why in done.out
    assert list((tmp_path / "site" / "jobs").iterdir()) == []


def test_a_missing_command_is_named_with_what_it_costs(cli: Commands, login: Login, tmp_path: Path) -> None:
    (login.path / "sacctmgr").unlink()
    done = cli("collect", tmp_path / "site", *SPAN)
    assert done.status == 1
    cost = "accounts and users have no limits, and the shares of sshare.txt (there is no command sacctmgr)"
    assert f"missing  assoc.txt: {cost}" in done.out
    assert read_site_at(tmp_path / "site").associations[0].account == "physics"


def test_where_no_command_answers_the_same_is_not_said_of_each_day(
    cli: Commands, login: Login, tmp_path: Path
) -> None:
    for name in ("scontrol", "sacctmgr", "sshare", "squeue", "sacct"):
        login.does(name, 'echo "no contact" >&2; exit 1')
    done = cli("collect", tmp_path / "site", "--from", "2026-11-01", "--to", "2026-11-20")
    assert done.status == 1
    assert done.out.count("jobs/sacct-") == 1
    assert "missing  18 more files of the log, for the same reason as the one before" in done.out
    assert done.out.endswith("run this where the commands above answer, as on a login node\n")


def test_the_day_that_is_not_over_is_collected_again(cli: Commands, login: Login, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    today = f"{datetime.now():%Y-%m-%d}"
    (folder / "jobs").mkdir(parents=True)
    earlier = folder / "jobs" / f"sacct-{today}-until-000001.txt"
    earlier.write_text("JobID|User\n", "utf-8")
    own = folder / "jobs" / "notes.md"
    own.write_text("mine", "utf-8")
    assert cli("collect", folder, "--from", today, "--quiet").status == 0
    names = sorted(path.name for path in (folder / "jobs").iterdir())
    assert own.name in names
    assert earlier.name not in names
    assert len(names) == 2
    assert login.calls


@pytest.mark.parametrize("scripted", [False, True])
def test_a_folder_with_settings_of_slurm_itself_is_left_alone(
    cli: Commands, login: Login, tmp_path: Path, scripted: bool
) -> None:
    """Such as /etc/slurm, which an administrator may name for the folder to write to."""
    folder, script = tmp_path / "slurm", tmp_path / "collect.sh"
    folder.mkdir()
    own = folder / "topology.conf"
    own.write_text("SwitchName=s Nodes=n[1-4]\n", "utf-8")
    if scripted:
        script.write_text(cli("collect", "--print", *SPAN).out, "utf-8")
        call = ["sh", str(script), str(folder)]
        done = subprocess.run(
            call, env={"PATH": str(login.path)}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "this file was not collected" in done.stderr) == (1, True)
    else:
        assert f"{own}: this file was not collected" in cli("collect", folder, *SPAN).complaint
    assert texts_of(folder) == {"topology.conf": "SwitchName=s Nodes=n[1-4]\n"}
    assert list(folder.iterdir()) == [own]
    assert cli("collect", folder, *SPAN, "--force").status == 0
    check_collected(folder)


def test_a_script_does_the_same(cli: Commands, login: Login, tmp_path: Path) -> None:
    printed = cli("collect", "--print", *SPAN)
    assert printed.status == 0
    assert "what jobs used, from their steps" in printed.out
    script = tmp_path / "collect.sh"
    script.write_text(printed.out, "utf-8")
    call = ["sh", str(script), str(tmp_path / "there")]
    done = subprocess.run(call, env={"PATH": str(login.path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    there = tmp_path / "there"
    assert done.stderr.endswith(f"run there batchscope info {there}/jobs --cluster {there}\n")
    check_collected(there)
    before = len(login.calls)
    subprocess.run(call, env={"PATH": str(login.path)}, capture_output=True, check=True)
    assert not [name for name in login.calls[before:] if name.startswith("sacct -a")]
    assert not list((tmp_path / "there").rglob("*.part"))


def test_a_failure_in_a_script_leaves_no_file_and_is_named(
    cli: Commands, login: Login, tmp_path: Path
) -> None:
    script = tmp_path / "collect.sh"
    script.write_text(cli("collect", "--print", *SPAN).out, "utf-8")
    login.does("scontrol", 'echo "partly"; echo "no contact" >&2; exit 1')
    done = subprocess.run(
        ["sh", str(script), str(tmp_path / "there")],
        env={"PATH": str(login.path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "nodes.txt: missing; the machine is guessed from the log (no contact)" in done.stderr
    assert "topology.conf: none\n" in done.stderr
    assert not (tmp_path / "there" / "nodes.txt").exists()


def test_links_are_not_followed(cli: Commands, login: Login, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("precious", "utf-8")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "config.txt").symlink_to(other)
    assert cli("collect", folder, *SPAN, "--force").status == 1
    assert other.read_text("utf-8") == "precious"
    assert login.calls


def test_accounting_of_pbs_and_of_grid_engine(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "login").mkdir()
    login = Login(tmp_path / "login")
    monkeypatch.setenv("PATH", str(login.path))
    refused = cli("collect", tmp_path / "none")
    assert "no batch system here" in refused.complaint
    login.does("pbsnodes", 'printf "n1\\n     state = free\\n     comment = s3cret\\n"')
    login.does(
        "qstat",
        'printf "Job Id: 1.pbs\\n    job_state = R\\n    Variable_List = HOME=/s3cret,\\n\\tX=/s3cret\\n"',
    )
    accounting = tmp_path / "pbs" / "server_priv" / "accounting"
    accounting.mkdir(parents=True)
    moment = 1793520000  # 1 November 2026, 08:00 UTC
    (accounting / "20261101").write_text(
        f"11/01/2026 09:05:00;E;1.pbs;user=ann queue=batch comment=s3cret s3cret ctime={moment} "
        f"qtime={moment} "
        f"start={moment + 300} end={moment + 3900} exec_host=n1/0*4 Resource_List.ncpus=4 "
        "Resource_List.walltime=02:00:00 resources_used.walltime=01:00:00\n",
        "utf-8",
    )
    monkeypatch.setenv("PBS_HOME", str(tmp_path / "pbs"))
    done = cli("collect", tmp_path / "of_pbs", "--from", "2026-11-01", "--to", "2026-11-02")
    assert done.status == 1  # qmgr is missing
    assert "missing  pbs/server.txt: nobody can look up the settings (there is no command qmgr)" in done.out
    nodes = tmp_path / "of_pbs" / "pbs" / "nodes.txt"
    assert f"compare {tmp_path}/of_pbs/jobs --cluster {nodes} -p recorded -p easy" in done.out
    assert read_trace(tmp_path / "of_pbs" / "jobs").wait.tolist() == [300]
    assert "s3cret" not in "".join(texts_of(tmp_path / "of_pbs").values())

    cell = tmp_path / "sge" / "default" / "common"
    cell.mkdir(parents=True)
    day = int(datetime(2026, 11, 1, 8).timestamp())
    rows = [
        f"q:n1:g:ann:name:{job}:sge:0:{end - 4000}:{end - 3600}:{end}:0:0:3600"
        for job, end in ((1, day), (2, day + 86_400))
    ]
    (cell / "accounting").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    monkeypatch.setenv("SGE_ROOT", str(tmp_path / "sge"))
    cli("collect", tmp_path / "of_sge", "--system", "sge", "--from", "2026-11-01", "--to", "2026-11-03")
    jobs = texts_of(tmp_path / "of_sge" / "jobs")
    assert jobs == {f"sge-2026-11-0{k + 1}.txt": f"{rows[k]}\n" for k in (0, 1)}
    assert os.environ["SGE_ROOT"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "collect needs a folder to write to"),
        (("--print", "--from", "yesterday"), "'yesterday' is not a date such as 2026-11-29"),
        (("--print", "--from", "2026-11-02", "--to", "2026-11-01"), "there is no time between"),
        (("--print", "--from", "1990-01-01", "--to", "2020-01-01"), "are more than 3,660"),
    ],
)
def test_what_cannot_be_collected_is_refused(words: tuple[str, ...], why: str, cli: Commands) -> None:
    assert why in cli("collect", *words).complaint
