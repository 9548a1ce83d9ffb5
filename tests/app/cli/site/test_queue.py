from pathlib import Path

import pytest

import batchscope
from engine.answer import Answer
from engine.answer.brief import brief_answer
from engine.now.instant_job import InstantJob
from tests.app.cli.commands import Commands
from tests.engine.logs.lines import line, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """On four processors job 1 runs from 0 to 50, of the 100 s that it asks for; three jobs wait behind it.

    Planned at submission: 2 at 100, 3 at 200, 4 beside 3, after 2.
    """
    rows = [(1, 0, 50, 100, 4), (2, 10, 100, 100, 4), (3, 20, 60, 60, 2), (4, 30, 60, 300, 2)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=job % 2, queue=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    return write_log(tmp_path / "four.swf", "; MaxProcs: 4", "; UnixStartTime: 1000000000", *jobs)


@pytest.mark.parametrize("policy", ["plan", "conservative"])
def test_waiting_jobs_with_their_planned_starts(cli: Commands, log: Path, policy: str) -> None:
    document = cli.done("queue", log, "-p", policy, "--at", "40", "--json").document
    assert (document["policy"], document["at"], document["running"]) == (policy, 40, 1)
    lines = [
        (job["job_id"], job["procs"], job["waited"], job["planned_start"], job["planned_end"])
        for job in document["waiting"]
    ]
    assert lines == [(2, 4, 30, 100, 200), (3, 2, 20, 200, 260), (4, 2, 10, 200, 500)]
    assert document["waiting"][0]["ram_mib"] is None


def test_after_an_early_end_the_plan_is_another(cli: Commands, log: Path) -> None:
    document = cli.done("queue", log, "-p", "plan", "--at", "60", "--json").document
    assert [(job["job_id"], job["planned_start"]) for job in document["waiting"]] == [(3, 150), (4, 150)]


def test_as_a_table(cli: Commands, log: Path) -> None:
    table, note = cli.done("queue", log, "-p", "plan", "--at", "2001-09-09T01:47:20").out.split("\n\n")
    first, titles, *rows = table.splitlines()
    assert first == "plan at 2001-09-09 01:47:20: 1 running on 4 of 4 processors, 3 waiting"
    assert titles.split("  ")[0] == "job"
    assert [row.split()[0] for row in rows] == ["2", "3", "4"]
    started, ended = ["2001-09-09", "01:48:20"], ["2001-09-09", "01:50:00"]
    assert titles.split()[-8:] == ["planned", "start", "planned", "end", "like", "jobs", "so", "far"]
    assert rows[0].split()[4:] == ["–", "2001-09-09", "01:46:50", "30", "s", *started, *ended, "–"]
    assert "how the first planned starts of jobs with like walltimes" in " ".join(note.split())


def test_how_planned_starts_of_like_jobs_came_true(cli: Commands, tmp_path: Path) -> None:
    """Each of twelve jobs takes the machine for half of its walltime: the k-th comes 50 k s early."""
    jobs = [line(job=k, submit=k, runtime=50, walltime=100, procs=4, user=1, queue=1) for k in range(12)]
    log = write_log(tmp_path / "twelve.swf", "; MaxProcs: 4", "; UnixStartTime: 1000000000", *jobs)
    (last,) = cli.done("queue", log, "-p", "plan", "--at", "501", "--json").document["waiting"]
    assert last["planned_start"] == 600
    assert last["like_jobs"] == {"count": 10, "early": 90.0, "on_time": 10.0, "late": 0.0}
    assert not {"earliest_start", "latest_start"} & set(last), "no interval is told"
    before = cli.done("queue", log, "-p", "plan", "--at", "499", "--json").document["waiting"]
    assert [job["like_jobs"] for job in before] == [None, None], "of nine jobs nothing is said"
    assert (
        "90 % earlier, 10 % on time, 0 % later, of 10"
        in cli.done("queue", log, "-p", "plan", "--at", "501").out
    )
    page = tmp_path / "queue.html"
    cli.done("queue", log, "-p", "plan", "--at", "501", "-o", page)
    text = page.read_text("utf-8")
    assert '<th class="left">like jobs so far</th>' in text
    assert '<td class="left">90 % earlier, 10 % on time, 0 % later, of 10</td>' in text
    assert "earliest" not in text
    assert "80 %" not in text
    assert "how the first planned starts of jobs with like walltimes" in text


@pytest.mark.parametrize("policy", ["plan", "easy"])
def test_replays_give_the_distribution_of_starts(cli: Commands, tmp_path: Path, policy: str) -> None:
    """Each job takes the machine for half of its walltime, or one in three for a quarter; nine wait."""
    jobs = [
        line(job=k, submit=k, runtime=25 if k % 3 == 0 else 50, walltime=100, procs=4, user=1, queue=1)
        for k in range(1, 31)
    ]
    log = write_log(tmp_path / "thirty.swf", "; MaxProcs: 4", "; UnixStartTime: 1000000000", *jobs)
    call = ("queue", log, "-p", policy, "--at", "860")
    waiting = cli.done(*call, "--json", "--replays", "40").document["waiting"]
    assert len(waiting) == 9
    first, last = waiting[0], waiting[-1]
    assert first["job_id"] == 22
    # Job 21 began at 851 and runs for 25 or 50 s in all; then eight jobs each run for as long: all are of the
    # same user, with the same walltime, and run alike.
    assert [first[key] for key in ("early_start", "median_start", "late_start")] == [876, 901, 901]
    assert [last[key] for key in ("early_start", "median_start", "late_start")] == [876 + 200, 1301, 1301]
    assert first["planned_start"] == 951  # by walltimes
    assert cli.done(*call, "--json", "--replays", "40").document["waiting"] == waiting  # drawn alike
    assert not {"early_start", "median_start"} & set(cli.done(*call, "--json").document["waiting"][0])
    out = cli.done(*call, "--replays", "40").out
    assert "replays: from" in out
    assert "are of 40 replays" in " ".join(out.split())


def test_spans_are_calibrated_on_earlier_instants_of_the_schedule(cli: Commands, tmp_path: Path) -> None:
    """Three jobs come together every 200 s, and each takes the machine for 50 s of a walltime of 100 s."""
    jobs = [
        line(job=k, submit=200 * (k // 3), runtime=30 + k % 7 * 5, walltime=100, procs=4, user=1, queue=1)
        for k in range(1, 241)
    ]
    log = write_log(tmp_path / "many.swf", "; MaxProcs: 4", "; UnixStartTime: 1000000000", *jobs)
    call = ("queue", log, "-p", "easy", "--at", "15010", "--replays", "4")
    found = cli.done(*call, "--json").document
    assert found["calibrated"]
    assert 0.5 <= found["cover"] < 1
    assert f"and {100 * found['cover']:.0f} % in the stretch of time in which" in found["evidence"]
    page = tmp_path / "queue.html"
    cli.done(*call, "-o", page)
    assert "calibrated on the schedule until then: of" in " ".join(page.read_text("utf-8").split())
    short = cli.done(*call, "--json", "--calibrate", "20").document  # too few to claim anything
    assert (short["calibrated"], short["cover"]) == (False, None)
    assert "nothing is concluded from fewer than 30 instants" in short["evidence"]
    off = cli.done(*call, "--calibrate", "0")
    assert "not calibrated, so how many real starts come between them is not known" in " ".join(
        off.out.split()
    )
    none = cli.done(*call, "--json", "--calibrate", "0").document
    assert (none["calibrated"], none["cover"], none["evidence"]) == (False, None, "")


def test_a_waiting_job_is_answered_in_few_words(cli: Commands, log: Path) -> None:
    """Job 3 came at 20 and waits for job 2, which is planned at 100."""
    call = ("queue", log, "-p", "plan", "--at", "40", "--answer", "3")
    brief, more = cli.done(*call).out.splitlines()
    assert brief == (
        "Job 3 starts in 2 min if all jobs use their time limits. "
        "Reason, for 20 s so far: short of processors. No change that was tried helps."
    )
    assert more.startswith("How this is worked out: --method")
    asked, start, why, note, tried = cli.done(*call, "--method").out.strip().split("\n\n")
    assert asked == "Job 3 (user 1) asks for 2 processors, for 1 min.\nIt has waited 20 s."
    assert start == "Planned start, if all jobs use their time limits: 2001-09-09 01:50:00."
    assert why.startswith("Reason, for 20 s so far: short of processors (")
    assert note.startswith("Planned starts go by requested walltimes.")
    assert tried.startswith("What would help: the queue was planned again by all walltimes, with this job")
    told = cli.done(*call, "--json").document["answer"]
    assert (told["job_id"], told["waited"], told["brief"]) == ("3", 20, brief)
    assert "no job with this id waits at that time" in cli(*call[:-1], "1").complaint
    assert "--method: give a job" in cli(*call[:-2], "--method").complaint


def test_a_change_that_helps_a_waiting_job_is_named(cli: Commands, tmp_path: Path) -> None:
    """Job 1 runs until 1200 s by its walltime, and job 2, which needs all, is planned then for ten minutes.

    Job 3 asks for an hour, so that it is behind that; for a quarter of it there is room at once.
    """
    jobs = [
        line(job=1, submit=0, wait=0, runtime=1000, walltime=1200, procs=3),
        line(job=2, submit=10, wait=990, runtime=500, walltime=600, procs=4),
        line(job=3, submit=20, wait=1480, runtime=100, walltime=3600, procs=1),
    ]
    log = write_log(tmp_path / "help.swf", "; MaxProcs: 4", *jobs)
    call = ("queue", log, "-p", "easy", "--at", "40", "--answer", "3")
    brief = cli.done(*call).out.splitlines()[0]
    assert brief.endswith("It starts now with a walltime of 15 min.")
    told = cli.done(*call, "--json").document["answer"]["what_if"]
    assert [(each["start"], each["sooner"]) for each in told] == [(1760, 0), (0, 1760)]
    lines = cli.done(*call, "--method").out.splitlines()
    best, half = (line for line in lines if line.startswith("- "))
    assert best.startswith("- a walltime of 15 min instead of 1 h: planned start")
    assert half == "- a walltime of 30 min instead of 1 h: the same planned start"


@pytest.mark.parametrize("policy", ["plan", "easy", "fcfs", "easy:order=sjf", "recorded"])
def test_answers_of_all_waiting_jobs_have_forty_words(tmp_path: Path, policy: str) -> None:
    jobs = [
        line(
            job=k,
            submit=7 * k,
            wait=400,
            runtime=40 + 13 * (k % 5),
            walltime=90 + 60 * (k % 3),
            procs=1 + k % 4,
        )
        for k in range(1, 40)
    ]
    log = batchscope.read(write_log(tmp_path / "many.swf", "; MaxProcs: 4", *jobs))
    found = batchscope.queue(log, policy, 250, replays=0 if policy == "recorded" else 3, instants=0)
    waiting = found.instant.waiting.tolist()
    assert len(waiting) > 20
    for job in waiting:
        asked = InstantJob(found, job, str)
        text = brief_answer(Answer(asked, asked.tried() if job % 10 == 0 else None))
        assert text.startswith("Job ")
        assert len(text.split()) <= 40, text
        assert ("does not record why jobs waited" in text) == (policy == "recorded")


def test_who_is_promised_nothing_comes_last_without_a_start(cli: Commands, log: Path) -> None:
    waiting = cli.done("queue", log, "-p", "easy", "--at", "40", "--json").document["waiting"]
    assert [(job["job_id"], job["planned_start"], job["planned_end"]) for job in waiting] == [
        (2, 100, 200),
        (3, None, None),
        (4, None, None),
    ]


def test_where_nobody_waits_it_says_so(cli: Commands, log: Path) -> None:
    out = cli.done("queue", log, "-p", "plan", "--at", "5").out
    assert out.endswith("1 running on 4 of 4 processors, 0 waiting\n")
    assert out.count("\n") == 1


def test_a_time_that_cannot_be_read(cli: Commands, log: Path) -> None:
    assert "cannot read the time 'noon'" in cli("queue", log, "-p", "plan", "--at", "noon").complaint
    assert "--at" in cli("queue", log, "-p", "plan").complaint


def test_as_a_page_for_browsers(cli: Commands, log: Path, tmp_path: Path) -> None:
    page = tmp_path / "queue.html"
    found = cli.done("queue", log, "-p", "plan", "--at", "40", "-o", page)
    assert (found.out, found.err) == ("", f"wrote {page}\n")
    text = page.read_text("utf-8")
    assert "3 waiting" in text
    assert text.count("<tr>") == 4
    assert "<td>2001-09-09 01:48:20</td>" in text
    assert "<script" not in text
    assert "http" not in text
    both = cli.done("queue", log, "-p", "plan", "--at", "40", "--json", "-o", tmp_path / "both.html")
    assert len(both.document["waiting"]) == 3
    assert (tmp_path / "both.html").read_text("utf-8") == text
    assert "name it .html" in cli("queue", log, "--at", "40", "-o", tmp_path / "queue.txt").complaint


@pytest.mark.parametrize(("switch", "expected"), [("off", {3: (2, 118)}), ("on", {2: (105, 15)})])
def test_a_job_that_follows_another_waits_from_when_it_came(
    cli: Commands, tmp_path: Path, switch: str, expected: dict[int, tuple[int, int]]
) -> None:
    """Job 2 comes 5 s after job 1 has ended, at 100; meanwhile job 3 began."""
    jobs = ["{} {} -1 {} 4 -1 -1 4 {} -1 1 1 1 -1 1 -1 {}"] * 3
    rows = [(1, 0, 100, 100, "-1 -1"), (2, 1, 50, 50, "1 5"), (3, 2, 100, 100, "-1 -1")]
    lines = [job.format(*row) for job, row in zip(jobs, rows, strict=True)]
    log = write_log(tmp_path / "three.swf", "; MaxProcs: 4", *lines)
    found = cli.done("queue", log, "--dependencies", switch, "-p", "fcfs", "--at", "120", "--json")
    assert {job["job_id"]: (job["submit"], job["waited"]) for job in found.document["waiting"]} == expected


def test_names_are_text_on_the_page(cli: Commands, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    row = "{},{},100,100,4,<b>ann & co</b>\n"
    log.write_text(
        "job_id,submit,runtime,walltime,procs,user\n" + row.format(1, 0) + row.format(2, 1), "utf-8"
    )
    page = tmp_path / "queue.html"
    cli.done("queue", log, "--cluster", "4c", "--at", "50", "-o", page)
    assert "&lt;b&gt;ann &amp; co&lt;/b&gt;" in page.read_text("utf-8")
    assert "<b>" not in page.read_text("utf-8")


@pytest.mark.parametrize("from_file", [False, True])
def test_a_schedule_that_was_read_cannot_be_replayed(
    cli: Commands, small: Path, tmp_path: Path, from_file: bool
) -> None:
    cli.done("simulate", small, "-p", "fcfs", "-o", tmp_path / "starts.csv")
    policy = f"recorded:{tmp_path / 'starts.csv'}" if from_file else "recorded"
    words = ("queue", small, "-p", policy, "--at", "300", "--quiet")
    assert cli.done(*words, "--json").document["policy"] == policy
    assert f"{policy} is read, not simulated" in cli(*words, "--replays", 3).complaint
