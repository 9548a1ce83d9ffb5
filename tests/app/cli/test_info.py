import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.cli.grammar import describe_values
from app.cli.main import COMMANDS
from engine.policy.examples import EXAMPLES
from engine.policy.keys import KEY, KEYS
from engine.policy.policy import PRESETS
from tests.app.cli.commands import HEADER, Commands, small_log
from tests.engine.logs.formats import flux
from tests.engine.logs.lines import line, write_log
from tests.paths import SHARED, needs

WAGAP = SHARED / "traces/alea-wagap-2013.swf.gz"


def test_what_is_in_a_trace(cli: Commands, small: Path) -> None:
    over = "jobs ran while recorded use exceeded the machine, 23.81 % of the time (peak 12 of 8 CPUs)"
    assert cli.done("info", small).out.splitlines() == [
        "read as    Standard Workload Format, with its header: certain",
        "small: 12 jobs of 3 users in 2 queues",
        "submitted  2001-09-09 01:48 UTC to 2001-09-09 01:57 UTC",
        "machine    8c: 8 processors",
        "load       130.9 % of the processors, over the time of the submissions",
        "parallel   phi 50.00 %: the part of the log's machine that the mean job takes",
        "           (SDSC Blue Horizon 3.78, SDSC SP2 10.75, HPC2N 2.64; "
        "mean of the archive's logs: 2.84 to 5.94 %, 95 % CI)",
        "recorded   schedule available",
        "quality notes",
        "      count  note",
        f"          9  {over}",
    ]


def test_one_of_everything(cli: Commands, small: Path) -> None:
    text = cli.done("info", small, "--jobs", ":1").out
    assert text.splitlines()[1] == "small, jobs :1: 1 job of 1 user in 1 queue"
    assert "\nload " not in text


def test_jobs_of_no_queue_are_in_none(cli: Commands, tmp_path: Path) -> None:
    of_some = write_log(tmp_path / "some.swf", line(queue=2), line(submit=5, queue=-1))
    assert cli.done("info", of_some).out.splitlines()[1].endswith("2 jobs of 1 user in 1 queue")
    of_none = write_log(tmp_path / "none.swf", line(queue=-1), line(submit=5, queue=-1))
    assert cli.done("info", of_none).out.splitlines()[1] == "none: 2 jobs of 1 user, without queues"
    assert cli.done("info", of_none, "--json").document["trace"]["queues"] == 0


def test_a_log_without_waits(cli: Commands, tmp_path: Path) -> None:
    text = cli.done("info", small_log(tmp_path, waits=False)).out
    assert "recorded   no waits in the log\n" in text
    assert "recorded use exceeded" not in text


def test_a_log_that_does_not_say_when_it_began(cli: Commands, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.swf", line(), line(submit=5))
    note = "no start time in the header (UnixStartTime): dates are counted from 1970-01-01 00:00 UTC"
    assert note in cli.done("info", log).out
    log = write_log(tmp_path / "log.swf", "; UnixStartTime: 843480031", line(), line(submit=5))
    assert "start time" not in cli.done("info", log).out
    log = write_log(tmp_path / "log.swf", line(submit=1_356_996_147))
    assert "start time" not in cli.done("info", log).out


def test_jobs_that_were_over_the_limit_for_a_moment(cli: Commands, tmp_path: Path) -> None:
    log = write_log(
        tmp_path / "log.swf", "; MaxProcs: 1", line(runtime=10), line(submit=9), line(submit=999_999)
    )
    told = cli.done("info", log).out
    assert "exceeded the machine, less than 0.01 % of the time (peak 2 of 1 CPUs)" in told


def test_json(cli: Commands, small: Path) -> None:
    document = cli.done("info", small, "--json").document
    trace = document["trace"]
    assert (trace["name"], trace["jobs"], trace["users"], trace["queues"]) == ("small", 12, 3, 2)
    assert (trace["first_submit"], trace["last_submit"], trace["zero"]) == (100, 650, 1_000_000_000)
    assert trace["load"] == pytest.approx(5760 / (8 * 550))
    assert trace["recorded"] is True
    assert [(note["rule"], note["count"]) for note in trace["notes"]] == [("over_cpus", 9)]
    assert document["cluster"] == {"spelling": "8c", "nodes": 1, "cpus": 8, "ram_mib": None, "outages": 0}


def test_failures_of_the_machine(cli: Commands, small: Path, tmp_path: Path) -> None:
    machines, failures = tmp_path / "small.machines", tmp_path / "small.failures"
    machines.write_text("0 cl 4 2 1 4194304\n")
    failures.write_text("150 cl 100 0 3\n1000000300 cl 55 0\n9999 cl 5 1\n")
    options = (small, "--cluster", machines, "--failures", failures)
    output = cli.done("info", *options).out
    assert "failures   3 of 2 nodes, 11.6 % of the processors down, over the same time\n" in output
    assert "        1  failure before the first or after the last job (lines 3)\n" in output
    document = cli.done("info", *options, "--json").document
    assert (document["cluster"]["spelling"], document["cluster"]["outages"]) == ("4x2c4g~log", 3)
    drawn = cli.done("info", small, "--cluster", "4x2c~5m/1m", "--json").document
    assert drawn["cluster"]["spelling"] == "4x2c~5m/1m"
    assert drawn["cluster"]["outages"] > 0


def test_quality_notes_name_their_lines(cli: Commands, tmp_path: Path) -> None:
    bad = [line(job=number, submit=number, runtime=0) for number in range(7)]
    log = write_log(tmp_path / "log.swf", *HEADER, line(), *bad, "this is no job")
    text = cli.done("info", log).out
    assert re.search(r"\n +7  dropped: no positive runtime \(lines 4, 5, 6, 7, 8, \.\.\.\)\n", text)
    assert re.search(r"\n +1  .* \(lines 11\)", text)


def test_dates_are_those_of_the_machine(cli: Commands, tmp_path: Path) -> None:
    zone = "; TimeZoneString: Europe/Prague"
    log = write_log(tmp_path / "log.swf", *HEADER, zone, line(submit=0), line(job=2, submit=200 * 86_400))
    output = cli.done("info", log).out
    assert "submitted  2001-09-09 03:46 CEST to 2002-03-28 02:46 CET\n" in output


def test_a_time_beyond_the_calendar(cli: Commands, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.swf", "; MaxProcs: 8", line(submit=0), line(job=2, submit=(1 << 40) - 1))
    kept = cli.done("info", log, "--clean", "drop_late_times=off")
    assert "1,099,511,627,775 s\n" in kept.out
    assert "dropped (lines 3)" in cli.done("info", log).out


@needs(WAGAP)
def test_notes_of_a_real_log(cli: Commands) -> None:
    text = cli.done("info", WAGAP).out
    assert text.splitlines()[1] == "alea-wagap-2013: 17\u202f898 jobs of 75 users in 11 queues"
    assert "machine    20x80c517018m+48x12c91832m: 2\u202f176 processors on 68 nodes\n" in text
    (over,) = (row for row in text.splitlines() if "recorded use exceeded" in row)
    assert over.split()[0] == "500"
    assert over.endswith("11 of 68 nodes, 0.53 % of the time (peak 1,283,584 of 517,018 MiB of RAM)")


def test_policies_lists_every_preset_key_and_value(cli: Commands) -> None:
    text = cli.done("policies").out
    assert all(len(row) <= 100 for row in text.splitlines())
    flat = " ".join(text.split())
    for name, (_, what) in PRESETS.items():
        assert f" {name} {what} " in flat
    for key in KEYS:
        values = describe_values(key)
        needs = f". It needs {key.needs}" if key.needs else ""
        assert f" {key.name} {values} {key.help}{needs} " in flat
        assert set(key.words) <= set(values.split(", "))
        assert values.endswith(", none") == key.optional
    for example, what in EXAMPLES:
        assert f" {example} {what}" in flat


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("depth", "stop, all, kept, n (from 0 to 1000000)"),
        (
            "estimate",
            "requested, actual, last2, hierarchy, linear, scaledK (K from 0.01 to 100), "
            "survivalX (X from 0.001 to 99.999)",
        ),
        ("gate", "on, off"),
        ("half_life", "a duration (from 1 s to 10000000d), none"),
        ("relaxed", "x (from 0 to 1000), none"),
        ("shares", "equal, FILE.csv"),
    ],
)
def test_values_of_a_key_as_policies_prints_them(name: str, values: str) -> None:
    assert describe_values(KEY[name]) == values


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(cli: Commands, command: str) -> None:
    outcome = cli.done(command, "--help")
    assert outcome.out.startswith(f"usage: batchscope {command}")
    assert outcome.err == ""


def test_help_and_version(cli: Commands) -> None:
    text = cli.done("--help").out
    assert all(re.search(rf"\n    {command}\s", text) for command in COMMANDS)
    assert re.fullmatch(r"batchscope \d+\.\d+\.\d+\n", cli.done("--version").out)


def test_more_load_and_wider_jobs(cli: Commands, small: Path) -> None:
    plain = cli.done("info", small, "--json").document["trace"]
    scaled = cli.done("info", small, "--json", "--theta", "0.5", "--rho", "2").document["trace"]
    assert scaled["name"] == "small, theta 0.5, rho 2"
    assert (
        scaled["last_submit"] - scaled["first_submit"] == (plain["last_submit"] - plain["first_submit"]) / 2
    )
    assert plain["parallelism"] < scaled["parallelism"] <= 1
    assert scaled["load"] > plain["load"]
    assert (plain["recorded"], scaled["recorded"]) == (True, False)
    assert "phi" in cli.done("info", small).out
    assert "HPC2N 2.64" in cli.done("info", small).out
    assert "theta cannot be 'x'" in cli("info", small, "--theta", "x").complaint


@pytest.mark.parametrize("folder", [".", "..", "../logs"])
def test_a_folder_is_named_as_the_folder_above_it_names_it(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    inside = tmp_path / "logs" / "old"
    inside.mkdir(parents=True)
    small_log(tmp_path / "logs")
    (tmp_path / "logs.machines").write_text("0 all 2 4 1 2097152\n")
    monkeypatch.chdir(inside if folder == ".." else inside.parent)
    lines = cli.done("info", folder).out.splitlines()
    assert lines[1] == "logs: 12 jobs of 3 users in 2 queues"
    assert any(line.startswith("machine    2x4c2g") for line in lines)


def test_a_folder_without_a_log_is_no_trace(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("info", ".").complaint == "batchscope: .: there is no log in this folder"


def test_what_a_log_was_taken_for_and_how_sure_that_is(cli: Commands, tmp_path: Path) -> None:
    job = "7|ann|2026-01-01T08:00:00|2026-01-01T08:05:00|2026-01-01T09:05:00|4|COMPLETED\n"
    for name, text, read_as in (
        (
            "sacct.txt",
            f"JobID|User|Submit|Start|End|NCPUS|State\n{job}",
            "sacct, 7 fields, delimiter |: certain",
        ),
        (
            "jobs.csv",
            "job_id,submit,start,end,procs\n1,0,5,9,2\n",
            "a table, 5 columns, delimiter ,, 5 of them known by name: likely",
        ),
        (
            "long-preface.csv",
            "# a preface\n" * 60 + "job_id,submit,start,end,procs\n1,0,5,9,2\n",
            "a table, 5 columns, delimiter ,, 5 of them known by name: likely",
        ),
        ("plain.swf", line() + "\n", "Standard Workload Format, by its columns of numbers alone: likely"),
        ("flux.json", flux.lines(flux.job()), "JSON, jobs of Flux: certain"),
    ):
        (tmp_path / name).write_text(text)
        assert cli.done("info", tmp_path / name).out.splitlines()[0] == f"read as    {read_as}"
    table = pa.table({"submit": [0], "start": [5], "end": [9], "procs": [2], "colour": ["red"]})
    pq.write_table(table, tmp_path / "jobs.parquet")
    first = cli.done("info", tmp_path / "jobs.parquet").out.splitlines()[0]
    assert first == "read as    a table, 5 columns, Parquet, 4 of them known by name: likely"


def test_notes_are_in_the_order_of_what_they_do(cli: Commands, tmp_path: Path) -> None:
    rows = [f"{job},0,5,{5 + 100 * job},2,50,ann" for job in (1, 2)]
    (tmp_path / "jobs.csv").write_text(
        "\n".join(["job_id,submit,start,end,procs,walltime_s,user", *rows, ""])
    )
    text = cli.done("info", tmp_path / "jobs.csv").out
    notes = text.partition("  note\n")[2]
    assert notes.lstrip().startswith("2  of 2 jobs: 0 dropped, 2 cut to the machine or their limit; look")
    assert notes.index("runtimes cut") < notes.index("names no machine") < notes.index("columns were taken")


def test_with_a_machine_notes_are_about_that_machine(cli: Commands, tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("job_id,submit,start,end,procs,user\n1,0,5,9,12,a\n2,0,5,9,4,a\n")
    own = cli.done("info", tmp_path / "jobs.csv").out
    assert "16 processors fit it" in own
    text = cli.done("info", tmp_path / "jobs.csv", "--cluster", "2x8c").out
    assert "names no machine" not in text
    assert "exceeded" not in text
    small = cli.done("info", tmp_path / "jobs.csv", "--cluster", "4c").out
    one = "job that fits nowhere on the empty machine, and that no simulated run takes: 1; job 1 asks for"
    assert f"\n          1  {one}" in small


def test_users_without_a_name_are_no_user(cli: Commands, tmp_path: Path) -> None:
    rows = [f"{k},0,5,9,2,{name}" for k, name in enumerate(("NULL", "None", "nan", "\\N", "ann"))]
    (tmp_path / "jobs.csv").write_text("\n".join(["job_id,submit,start,end,procs,user", *rows, ""]))
    assert "5 jobs of 1 user (4 jobs without a name)" in cli.done("info", tmp_path / "jobs.csv").out
