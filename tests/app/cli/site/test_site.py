import json
from pathlib import Path

import pytest

from app.cli.main import main
from tests.app.cli.commands import Commands
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = """NodeName=a[1-2] CPUs=4
NodeName=b CPUs=8
PartitionName=batch Nodes=a[1-2]
PartitionName=long Nodes=b MaxTime=60
PriorityType=priority/multifactor
PriorityWeightAge=10
SchedulerParameters=bf_interval=60
"""


@pytest.fixture
def site(tmp_path):
    """A log and a slurm.conf."""
    log, conf = tmp_path / "log", tmp_path / "slurm.conf"
    jobs = [
        job(JobID=k, Submit=clock(k), Start=clock(9 + k), Partition="batch" if k % 2 else "long")
        for k in (1, 2, 3)
    ]
    log.write_text("\n".join((HEADER, *jobs, "")))
    conf.write_text(CONF)
    return str(log), str(conf)


def test_the_machine_and_the_policy_of_a_site(site, capsys):
    log, conf = site
    assert main(["compare", log, "--cluster", conf, "-p", "recorded", "-p", conf, "--json"]) == 0
    found = capsys.readouterr()
    document = json.loads(found.out)
    assert document["cluster"]["spelling"] == "2x4c+8c"
    assert [run["policy"] for run in document["runs"]][1] == f"site:{Path(conf).parent}"
    assert f"{Path(conf).parent}: not simulated: " in found.err
    assert "MaxTime" not in found.err  # which is


def test_a_site_with_more_nodes_waits_less_beside_the_first_on_its_own_machine(
    cli: Commands, site: tuple[str, str], tmp_path: Path
) -> None:
    log, _ = site
    rows = [job(JobID=k, Submit=clock(k), Start=clock(k), NCPUS=4, ReqCPUS=4) for k in range(1, 9)]
    Path(log).write_text("\n".join((HEADER, *rows, "")))
    more = tmp_path / "more"
    more.mkdir()
    (more / "slurm.conf").write_text(CONF.replace("a[1-2]", "a[1-4]"))
    runs = ("-p", "recorded", "-p", f"site:{tmp_path}", "-p", f"site:{more}", "--doubtful")
    first, second = cli("compare", log, *runs, "--json").document["runs"][1:]
    assert (first["machine"], second["machine"]) == ("2x4c+8c", "4x4c+8c")
    assert second["metrics"]["wait_mean"] < 0.8 * first["metrics"]["wait_mean"]
    shown = cli.done("compare", log, *runs).out
    assert f"site:{tmp_path.name}" in shown
    assert "site:more on 4x4c+8c" in shown
    assert str(tmp_path) not in shown


def test_an_audit_by_a_slurm_conf_is_by_the_site(
    cli: Commands, site: tuple[str, str], tmp_path: Path
) -> None:
    log, conf = site
    cli.done("simulate", log, "-p", conf, "-o", tmp_path / "out.csv")
    found = cli.done("audit", log, tmp_path / "out.csv", "--policy", conf).out
    assert "limits of the site's qualities of service and accounts" in found
    assert "that jobs run on nodes of their partitions" in found


def test_a_site_is_spelled_by_its_file_and_takes_no_estimate(site, capsys):
    log, conf = site
    assert main(["simulate", log, "--cluster", conf, "-p", f"site:{conf}", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["metrics"]["jobs"] == 3
    assert main(["simulate", log, "--cluster", conf, "-p", conf, "--estimate", "actual"]) == 2
    assert "Slurm goes by time limits" in capsys.readouterr().err


def test_a_queue_is_planned_by_the_sites_own_slurm(site, capsys):
    """The second job waits for the only node of its partition."""
    log, conf = site
    Path(conf).write_text(CONF.replace("PriorityType=priority/multifactor", "PriorityType=priority/basic"))
    rows = [
        job(
            JobID=k,
            Submit=clock(k),
            Start=clock(9 + k),
            Partition="long",
            NCPUS=8,
            ReqCPUS=8,
            Timelimit="00:20:00",
            End=clock(900 + k),
        )
        for k in (1, 2)
    ]
    Path(log).write_text("\n".join((HEADER, *rows, "")))
    assert main(["queue", log, "--cluster", conf, "-p", conf, "--at", "2020-01-01T12:00:20", "--json"]) == 0
    found = capsys.readouterr()
    (waiting,) = json.loads(found.out)["waiting"]
    assert waiting["job_id"] == 2
    # The first job starts within seconds, and holds the node for its limit of twenty minutes.
    assert 1190 <= waiting["planned_start"] - waiting["submit"] <= 1260
    call = ["queue", log, "--cluster", conf, "-p", conf, "--at", "2020-01-01T12:00:20", "--json"]
    assert main([*call, "--replays", "20"]) == 0
    (again,) = json.loads(capsys.readouterr().out)["waiting"]
    assert again["planned_start"] == waiting["planned_start"]
    assert again["submit"] < again["early_start"] < again["median_start"] < again["late_start"]
    assert again["median_start"] < again["planned_start"]  # all parts of the limit are alike likely
    assert main(["explain", log, "--cluster", conf, "-p", conf, "--job", "2"]) == 0
    found = capsys.readouterr()
    assert "short of processors (8 of its 8 missing at first)" in found.out
    assert "nferred" not in found.out
    assert main(["explain", log, "--cluster", conf, "-p", conf, "--job", "2", "--answer", "--method"]) == 0
    answer = capsys.readouterr().out
    assert "short of processors (8 of its 8 missing at first)" in answer
    assert "nferred" not in answer
    assert f"site:{Path(conf).parent.name}: the model's mean wait is " in found.err


def test_a_search_varies_the_options_of_a_site_and_gives_its_lines(site, capsys, tmp_path):
    log, conf = site
    rows = [
        job(JobID=k, Submit=clock(10 * k), Start=clock(10 * k + 5), End=clock(10 * k + 65))
        for k in range(1, 241)
    ]
    Path(log).write_text("\n".join((HEADER, *rows, "")))
    Path(conf).write_text(f"{CONF}AccountingStorageEnforce=limits\n")
    (tmp_path / "qos").write_text("Name|Priority|GraceTime|MaxJobsPU\nnormal|0|0|2\n")
    call = ["search", log, "-p", conf, "--minimize", "wait_mean", "--trials", "3", "--json"]
    vary = ["--vary", "bf_interval=30..90", "--vary", "MaxJobsPU.normal=1..9", "--vary", "PriorityWeightAge"]
    assert main([*call, *vary]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tried"] == 3
    assert document["baseline"]["policy"] == f"site:{tmp_path}"  # as its files are
    best = document["front"][0]["policy"]
    assert best.startswith(f"site:{tmp_path}:MaxJobsPU.normal=")
    values = dict(part.split("=") for part in best.rpartition(":")[2].split(","))
    assert 30 <= int(values["bf_interval"]) <= 90
    assert 1 <= int(values["MaxJobsPU.normal"]) <= 9
    assert document["to_paste"] == [
        f"PriorityWeightAge={values['PriorityWeightAge']}",
        f"SchedulerParameters=bf_interval={values['bf_interval']}",
        f"sacctmgr -i modify qos where name=normal set MaxJobsPU={values['MaxJobsPU.normal']}",
    ]


def test_a_search_names_an_option_that_a_site_does_not_have(site, capsys):
    log, conf = site
    call = ["search", log, "-p", conf, "--minimize", "wait_mean", "--vary"]
    assert main([*call, "bf_intervall"]) == 2
    assert "did you mean 'bf_interval'" in capsys.readouterr().err
    assert main([*call, "Fairshare"]) == 2
    assert "no file has the accounts" in capsys.readouterr().err


def test_a_broken_file_is_reported_before_the_log_is_read(site, capsys, tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a CPUs=x")
    assert main(["simulate", str(tmp_path / "missing"), "-p", str(conf)]) == 2
    assert f"{conf}:1: these nodes cannot be read" in capsys.readouterr().err


def test_a_policy_as_lines_of_a_slurm_conf(cli: Commands) -> None:
    found = cli.done("policies", "--slurm", "just:pass_every=30,max_user_jobs=4")
    assert found.out.splitlines()[0] == "SchedulerType=sched/backfill"
    assert "not in these lines: max_user_jobs=4" in found.err
    assert "did you mean" in cli("policies", "--slurm", "esy").complaint


def test_a_policy_in_a_whole_slurm_conf(cli: Commands, site: tuple[str, str], tmp_path: Path) -> None:
    _, conf = site
    before = Path(conf).read_bytes()
    output = tmp_path / "new.conf"
    found = cli.done("policies", "--slurm", "just:pass_every=30", "--slurm-into", conf, "-o", str(output))
    assert found.out == ""
    assert "not in these lines: passes look at all jobs" in found.err
    text = output.read_text()
    assert "# Batchscope: SchedulerParameters; was\n#   SchedulerParameters=bf_interval=60\n" in text
    assert "\nSchedulerParameters=bf_interval=30,bf_resolution=1\n" in text
    assert "\nPriorityType=priority/basic\n" in text
    printed = cli.done("policies", "--slurm", "just:pass_every=30", "--slurm-into", conf)
    assert printed.out == text
    assert (
        "write to another file"
        in cli("policies", "--slurm", "easy", "--slurm-into", conf, "-o", conf).complaint
    )
    assert Path(conf).read_bytes() == before


def test_lines_are_written_to_a_file(cli: Commands, tmp_path: Path) -> None:
    output = tmp_path / "lines"
    assert cli.done("policies", "--slurm", "easy:depth=stop", "-o", str(output)).out == ""
    assert output.read_text() == "SchedulerType=sched/builtin\nPriorityType=priority/basic\n"


@pytest.mark.parametrize("option", ["--slurm-into", "-o"])
def test_options_of_slurm_need_a_policy(cli: Commands, option: str, tmp_path: Path) -> None:
    assert "has no use here: it belongs to --slurm" in cli("policies", option, str(tmp_path / "x")).complaint


def test_what_of_the_machine_is_not_obeyed_is_a_quality_note(site: tuple[str, str], cli: Commands) -> None:
    log, conf = site
    Path(conf).write_text(CONF + "NodeName=c CPUs=4 Weight=9\nDownNodes=c State=DOWN\n")
    out = cli.done("info", log, "--cluster", conf).out
    assert "slurm.conf: nodes c, Weight=9: nodes are chosen by the policy's placement" in out
    assert "slurm.conf: DownNodes=c: these nodes are up from the start" in out


def test_other_files_of_slurm_are_named(cli: Commands, site: tuple[str, str], tmp_path: Path) -> None:
    log, conf = site
    gres = tmp_path / "gres.conf"
    gres.write_text("NodeName=a1 Name=gpu Type=a100 File=/dev/nvidia0\n")
    for options in (("info", log, "--cluster", str(gres)), ("simulate", log, "-p", str(gres))):
        complaint = cli(*options).complaint
        assert f"{gres}: this is a gres.conf, no slurm.conf" in complaint
        assert complaint.rstrip().endswith(f"give {conf}")
    assert "a gres.conf is not a log" in cli("info", str(gres)).complaint


def test_jobs_without_a_user_or_an_account_and_users_of_root_that_no_file_names(
    cli: Commands, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "slurm.conf").write_text(f"{CONF}PriorityWeightFairshare=100\n")
    log = tmp_path / "log"
    names = [("", ""), ("phys", ""), ("", "ann"), ("root", "ann"), ("root", "root"), ("phys", "bob")]
    rows = [
        job(JobID=number, Account=account, User=user, Submit=clock(number), Start=clock(9 + number))
        for number, (account, user) in enumerate(names, 1)
    ]
    log.write_text("\n".join((HEADER, *rows, "")))
    words = (
        "compare",
        log,
        "--cluster",
        folder / "slurm.conf",
        "-p",
        f"site:{folder}",
        "-p",
        "easy",
        "--json",
    )
    assert [run["metrics"]["ran"] for run in cli.done(*words).document["runs"]] == [6, 6]
    # The same with a file of associations that names neither ann nor root's account for her.
    (folder / "sacctmgr_dump.cfg").write_text(
        "Cluster - 'k':Fairshare=1\nParent - 'root'\nUser - 'root':Fairshare=1\n"
        "Account - 'phys':Fairshare=2\n"
    )
    assert [run["metrics"]["ran"] for run in cli.done(*words).document["runs"]] == [6, 6]
