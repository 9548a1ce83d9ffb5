import json
from pathlib import Path

import pytest

from tests.app.cli.commands import Commands

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=30\n"
QUEUE = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
1|batch|ann|RUNNING|10:00|20:00|4|1|a|9
2|batch|<b>bob|PENDING|0:00|20:00|4|1|(Resources)|9
"""


_REPLAYS = ("--replays", 5, "--seconds", 600)  # also where the first of them compiles


def _files(folder: Path) -> tuple[Path, Path]:
    conf, queue = folder / "slurm.conf", folder / "queue.txt"
    conf.write_text(CONF)
    queue.write_text(QUEUE)
    return conf, queue


def test_the_queue_as_it_is(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    found = cli.done("now", "--from-file", queue, "--site", conf, *_REPLAYS, "--json").document
    (waiting,) = found["waiting"]
    assert found["running"] == 1
    assert waiting["job_id"] == "2"
    assert 600 <= waiting["planned"] <= 640
    assert waiting["early"] <= waiting["expected"] <= 640 < waiting["late"] <= 1.5 * 700 + 30
    assert waiting["why"] == "it asks for 4 CPUs, and 4 of them are not free on the nodes of partition batch"


def test_a_job_that_is_submitted_now_is_reported_alone(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    common = ("now", "--from-file", queue, "--site", conf, "--replays", 5)
    found = cli.done(*common, "--job", "4c/10m", "--user", "ann")
    table, brief = found.out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()[1:]] == ["job", "new"]
    told, more = brief.splitlines()
    assert told.startswith("The new job starts in ")
    assert "; likelihood unknown). " in told
    assert len(told.split()) <= 40
    assert more.startswith("How this is worked out: --method")
    answered = cli.done(*common, "--job", "4c/10m", "--user", "ann", "--answer", "new")
    assert answered.out == brief
    whole = cli.done(*common, "--job", "4c/10m", "--user", "ann", "--method").out
    asked = "The new job (user ann) asks for 4 processors on 1 node, for 10 min."
    assert whole.startswith(f"{table}\n\n{asked}\n")
    assert "--method: give a job to answer about" in cli(*common, "--method").complaint
    assert "time limit" in cli(*common, "--job", "4c").complaint


def test_a_job_that_slurm_would_refuse_is_told_so(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    common = ("now", "--from-file", queue, "--site", conf, "--replays", 0, "--job", "64c/10m")
    found = cli.done(*common)
    told = "Slurm would refuse this job: no node has 64 CPUs"
    assert found.out.splitlines()[1:] == [f"{told}."]
    assert cli.done(*common, "--json").document["refused"] == told
    assert cli.done(*common[:-1], "4c/10m", "--json").document["refused"] is None


def test_the_answer_for_a_user_is_that_of_explain(cli: Commands, tmp_path: Path) -> None:
    """Job 3 waits behind job 2; with a node of its own partition it would start at once."""
    conf, queue = _files(tmp_path)
    conf.write_text(f"{CONF}NodeName=b CPUs=4\nPartitionName=other Nodes=b\n")
    queue.write_text(f"{QUEUE}3|batch|cyd|PENDING|0:00|20:00|4|1|(Priority)|8\n")
    common = ("now", "--from-file", queue, "--site", conf, *_REPLAYS)
    # Without further options: one line of at most forty words.
    brief, more = cli.done(*common, "--answer", "3").out.splitlines()
    assert brief.startswith("Job 3 starts in ")
    assert "; likelihood unknown). Job 2 of <b>bob goes first. It starts now with " in brief
    assert brief.endswith(" with partition other.")
    assert len(brief.split()) <= 40
    assert more.startswith("How this is worked out: --method")
    # With the method: request, start, reason and what would help, each a paragraph.
    text = cli.done(*common, "--answer", "3", "--method").out
    assert text.startswith("Job 3 (user cyd, partition batch) asks for 4 processors on 1 node, for 20 min.\n")
    asked, start, why, helps = text.strip().split("\n\n")
    assert start.startswith("Planned start, if all jobs use their time limits: ")
    assert "\nFrom " in start
    assert why == "Why it waits: job 2 of <b>bob goes first (priority 9 against 8)."
    assert helps.startswith("What would help: the queue was planned again with this job alone changed.\n")
    assert helps.splitlines()[1].startswith("- partition other instead of batch: planned start now, ")
    # The document has the same answer, with numbers.
    told = cli.done(*common, "--answer", "3", "--json").document["answer"]
    best = max(told["what_if"], key=lambda outcome: outcome["sooner"])
    assert (told["job_id"], best["text"]) == ("3", "partition other instead of batch")
    assert best["start"] + best["sooner"] == told["planned"]
    assert told["text"].splitlines()[0] == asked.splitlines()[0]
    assert told["brief"].startswith("Job 3 starts in ")
    assert "no job with this id" in cli(*common, "--answer", "9").complaint
    assert "from 1 to 99" in cli(*common, "--cover", "100").complaint
    assert "a time limit is longer than 0 s" in cli(*common, "--job", "4c/0h").complaint


def test_the_page_is_whole_in_itself_and_shows_names_as_text(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    page = tmp_path / "queue.html"
    assert cli.done("now", "--from-file", queue, "--site", conf, "--replays", 2, "-o", page).out == ""
    text = page.read_text()
    assert "&lt;b&gt;bob" in text
    assert "<b>" not in text
    assert "src=" not in text
    assert "http" not in text


def test_what_is_no_queue_is_reported_in_a_line(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    queue.write_text("hello")
    assert "begins no queue" in cli("now", "--from-file", queue, "--site", conf).complaint
    assert "give the site's files" in cli("now", "--from-file", queue).complaint
    assert "either --from-file" in cli("now", "--site", conf).complaint


def test_a_span_of_replays_is_no_promise_about_real_starts(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    common = ("now", "--from-file", queue, "--site", conf, "--replays", 3)
    page = tmp_path / "queue.html"
    cli.done(*common, "-o", page)
    for text in (cli.done(*common).out, page.read_text("utf-8")):
        assert "contains most of 3 replays and the planned start" in text
        assert "runtimes are drawn from what jobs of 7 archived logs used of their time limits" in text
        assert "not calibrated, so how many starts are within it is not known" in text
        assert "80 %" not in text
    document = cli.done(*common, "--json").document
    assert (document["cover"], document["calibrated"]) == (None, False)
    assert document["evidence"].startswith("not calibrated")
    assert "calibrated" not in cli.done("now", "--from-file", queue, "--site", conf, "--replays", 0).out


def test_the_queue_of_a_command_of_the_users_own(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    given = ("now", "--site", conf, "--replays", 0, "--json")
    found = cli.done(*given, "--command", f"cat '{queue}'").document
    assert [job["job_id"] for job in found["waiting"]] == ["2"]
    assert "cannot be run" in cli(*given, "--command", "/nowhere/squeue").complaint
    assert "--command echo hello: 'hello' begins no queue" in cli(*given, "--command", "echo hello").complaint
    assert "no end after 1 s" in cli(*given, "--wait", 1, "--command", "sleep 60").complaint
    old = tmp_path / "old.json"
    old.write_text('{"jobs": [], "last_update": 1000}')
    assert "the clock of its machine differs" in cli.done(*given, "--command", f"cat {old}").err


def test_a_queue_of_a_machine_that_is_spelled(cli: Commands, tmp_path: Path) -> None:
    queue = tmp_path / "qstat.txt"
    queue.write_text(
        "Job Id: 1.s\n    job_state = R\n    queue = q\n    exec_host = x/0*4\n"
        "    Resource_List.walltime = 01:00:00\n    resources_used.walltime = 00:30:00\n"
        "    Resource_List.ncpus = 4\n\n"
        "Job Id: 2.s\n    job_state = Q\n    queue = q\n    Resource_List.ncpus = 4\n"
        "    Resource_List.walltime = 01:00:00\n"
    )
    given = ("now", "--from-file", queue, "--cluster", "1x4c", "--replays", 0, "--json")
    assert "give --at TIME" in cli(*given).complaint
    assert "expected a date" in cli(*given, "--at", "noon").complaint
    given = (*given, "--at", "2026-11-29T10:00")
    (job,) = cli.done(*given).document["waiting"]
    assert 1800 <= job["planned"] <= 1860


def _log(folder: Path, wait: int) -> Path:
    """A log of 120 jobs on four CPUs, one every 150 s, which wait in turn for 0 to 3 times so many s."""
    log = folder / "log.swf"
    rows = [f"{k + 1} {150 * k} {wait * (k % 4)} 60 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1" for k in range(120)]
    log.write_text("\n".join(["; MaxProcs: 4", *rows, ""]))
    return log


def test_spans_are_calibrated_on_a_log(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    given = ("now", _log(tmp_path, 40), "--from-file", queue, "--site", conf, "--replays", 5)
    found = cli.done(*given, "--json").document
    assert found["calibrated"]
    assert 0.5 <= found["cover"] <= 1
    assert f"and {100 * found['cover']:.0f} % in the stretch of time in which" in found["evidence"]
    assert found["evidence"].endswith("; its jobs go by the site's priorities then")  # as from 23.11 on
    assert "nothing is concluded from fewer than 30 instants" in cli(*given, "--calibrate", 25).complaint
    assert "not calibrated" in cli.done(*given, "--calibrate", 0).out
    assert "give a log" in cli(*given[:1], *given[2:], "--calibrate", 12).complaint
    assert "only" in cli(*given, "--calibrate", 2).complaint


def test_a_log_in_which_nobody_waits_calibrates_nothing(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    given = ("now", _log(tmp_path, 0), "--from-file", queue, "--site", conf, "--replays", 5, "--json")
    found = cli.done(*given).document
    assert (found["calibrated"], found["cover"]) == (False, None)
    assert found["evidence"].endswith("; no job waited in log, so that no prediction could be tested")


def test_what_was_predicted_is_kept_and_scored(cli: Commands, tmp_path: Path) -> None:
    conf, _ = _files(tmp_path)
    queue, kept = tmp_path / "queue.json", tmp_path / "kept.json"

    def print_at(time: int, start: int) -> None:
        """Job 1 runs from 1,000 on for 1,200 s at most; job 2 waits, or runs from `start` on."""
        jobs = [
            {"job_id": 1, "job_state": "RUNNING", "partition": "batch", "cpus": 4, "time_limit": 20,
             "start_time": 1000, "nodes": "a"},
            {"job_id": 2, "job_state": "RUNNING" if start else "PENDING", "partition": "batch", "cpus": 4,
             "time_limit": 20, "start_time": start},
        ]  # fmt: skip
        queue.write_text(json.dumps({"jobs": jobs[1 if start else 0 :], "last_update": time}))

    given = ("now", "--from-file", queue, "--site", conf, "--replays", 5, "--keep", kept)
    print_at(1500, 0)
    (first,) = cli.done(*given, "--json", "--job", "1c/5m").document["waiting"][:1]
    assert first["job_id"] == "2"
    assert len(json.loads(kept.read_text())) == 1  # the job that was asked for is none
    print_at(2500, 1500 + first["expected"])
    assert cli.done(*given).out.splitlines()[1] == "of 1 prediction 100 % came within their interval"
    assert "holds no predictions" in cli(*given[:-1], queue).complaint


def test_the_map_of_starts_is_drawn(cli: Commands, tmp_path: Path) -> None:
    conf, queue = _files(tmp_path)
    given = ("now", "--from-file", queue, "--site", conf, "--replays", 0)
    path = tmp_path / "starts.svg"
    done = cli.done(*given, "--job", "1c/1h", "--map", path)
    assert f"wrote {path}" in done.err
    drawn = path.read_text()
    assert "Planned start by size and walltime" in drawn
    assert "processors" in drawn
    assert "give a job" in cli(*given, "--map", path).complaint
    assert ".pdf" in cli(*given, "--job", "1c/1h", "--map", tmp_path / "starts.txt").complaint


def test_users_and_partitions_that_the_site_does_not_know_are_counted(cli: Commands, tmp_path: Path) -> None:
    _, queue = _files(tmp_path)
    (tmp_path / "dump").write_text(
        "Cluster - 'k':Fairshare=1:QOS='normal'\nParent - 'root'\nAccount - 'physics':Fairshare=1\n"
        "Parent - 'physics'\nUser - 'ann':Fairshare=1\nUser - 'half\n"
    )
    given = ("now", "--from-file", queue, "--site", tmp_path, "--replays", 0)
    notes = cli.done(*given, "--json").document["notes"]
    assert any(note.startswith("sacctmgr dump: ") and "could not be read" in note for note in notes)
    assert "1 job of users without an association in the site's files: without limits" in notes
    queue.write_text(QUEUE.replace("2|batch", "2|other"))
    told = cli.done(*given).err
    assert "1 job in partitions that the site's files do not have: on any nodes" in told
    assert cli.done(*given, "--quiet").err == ""


def test_a_print_of_several_clusters_has_an_answer_for_each(cli: Commands, tmp_path: Path) -> None:
    """Each is planned by the site of its name; the second cluster has a node more than the first."""
    print_, sites = tmp_path / "all.txt", []
    for name, nodes in (("alpha", "a1"), ("beta", "a[1-2]")):
        conf = tmp_path / f"{name}.conf"
        own = CONF.replace("Name=a ", f"Name={nodes} ").replace("Nodes=a", "Nodes=ALL")
        conf.write_text(f"ClusterName={name}\n{own}")
        sites += ["--site", conf]
    table = QUEUE.replace("|a|", "|a1|")
    print_.write_text(f"CLUSTER: alpha\n{table}\nCLUSTER: beta\n{table}")
    given = ("now", "--from-file", print_, *sites, "--replays", 0)
    found = cli.done(*given, "--json").document["clusters"]
    planned = {name: [job["planned"] for job in answer["waiting"]] for name, answer in found.items()}
    assert planned == {"alpha": [pytest.approx(620, abs=20)], "beta": [0]}
    tables = [part.splitlines() for part in cli.done(*given).out.split("\n\n")]
    assert [lines[0] for lines in tables] == ["cluster alpha", "cluster beta"]
    assert [lines[-1].split()[0] for lines in tables] == ["2", "2"]
    assert cli.done(*given, "--clusters", "beta", "--json").document["waiting"][0]["planned"] == 0
    assert "it has alpha, beta" in cli(*given, "--clusters", "gamma").complaint
    assert "--job is for one cluster of alpha, beta" in cli(*given, "--job", "1c/1h").complaint
    other = cli.done(*given[:3], *sites[:2], "--replays", 0, "--clusters", "beta")
    assert "the site's files are of cluster alpha, not of beta" in other.err
    command = cli.done("now", *sites, "--replays", 0, "--command", f"cat '{print_}'")
    assert command.out == cli.done(*given).out
