"""What jobs used, on the command line: filters, tables of groups, and files."""

import csv
from pathlib import Path

import pytest

from engine.words import counted
from tests.app.cli.commands import Commands, small_log

LOG = """\
JobID|User|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqMem|AllocTRES|NTasks|TotalCPU|MaxRSS|TRESUsageInTot|ConsumedEnergyRaw
1|ann|COMPLETED|2024-01-01T10:00:00|2024-01-01T10:05:00|2024-01-01T11:05:00|01:00:00|02:00:00|1|4|8G|cpu=4,mem=8G,gres/gpu=2||02:00:00|||360000
1.batch||COMPLETED|||||||4||cpu=4,mem=8G|1|02:00:00|4G|mem=4G,gres/gpuutil=150|0
2|bob|COMPLETED|2024-01-01T10:00:00|2024-01-01T10:05:00|2024-01-01T11:05:00|01:00:00|02:00:00|1|4|8G|cpu=4,mem=8G||00:10:00|||0
2.0||COMPLETED|||||||4||cpu=4,mem=8G|4|00:10:00|1G||7200000
3|cid|COMPLETED|2024-01-01T10:00:00|2024-01-01T10:05:00|2024-01-01T11:05:00|01:00:00|UNLIMITED|1|4|||||||
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "use.txt"
    path.write_text(LOG, "utf-8")
    return path


@pytest.mark.parametrize(
    ("filter_", "jobs"),
    [
        ("cpu_efficiency < 50%", 1),
        ("cpu_efficiency <= 50", 2),
        ("ram_efficiency = 50%", 2),
        ("ram_basis = bound", 1),
        ("ram_used >= 4g", 2),
        ("energy > 1kWh", 1),
        ("energy = 360kJ or gpu_efficiency > 50%", 1),
        ("walltime_used = 50%", 2),
        ("gpu_used > 1.4", 1),
        ("not cpu_used > 1m", 1),
    ],
)
def test_filters(cli: Commands, log: Path, filter_: str, jobs: int) -> None:
    out = cli.done("simulate", log, "-p", "recorded", "--filter", filter_).out
    assert f"of {counted(jobs, 'job')} under the filter" in out


def test_tables_of_groups_have_what_the_log_tells(cli: Commands, log: Path) -> None:
    document = cli.done("compare", log, "-p", "recorded", "--by", "user", "--json").document
    ann, bob, cid = document["runs"][0]["groups"]
    keys = ("cpu_used", "cpu_efficiency", "ram_efficiency", "gpu_efficiency", "walltime_used", "energy")
    assert [ann[key] for key in keys] == [7200, 50, 50, 75, 50, 360_000]
    assert [bob[key] for key in keys] == [600, pytest.approx(100 * 600 / 14_400), 50, None, 50, 7_200_000]
    assert [cid[key] for key in keys] == [None] * 6
    text = cli.done("compare", log, "-p", "recorded", "--by", "user").out
    assert "CPU efficiency, % used" in text
    assert "nan" not in text.lower().split()


def test_logs_that_tell_nothing_of_it_have_no_such_columns(cli: Commands, tmp_path: Path) -> None:
    document = cli.done("compare", small_log(tmp_path), "-p", "fcfs", "--by", "user", "--json").document
    (group, *_) = document["runs"][0]["groups"]
    assert "walltime_used" in group
    assert not {"cpu_used", "cpu_efficiency", "ram_efficiency", "energy"} & set(group)


def test_files_of_schedules(cli: Commands, log: Path, tmp_path: Path) -> None:
    cli.done("simulate", log, "-p", "recorded", "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["cpu_efficiency"] for row in rows] == ["50.0", "4.166666666666667", ""]
    assert [row["ram_basis"] for row in rows] == ["measured", "bound", ""]
    assert "gpu_ram_used" not in rows[0]


def test_a_log_converted_and_read_again_says_the_same(cli: Commands, log: Path, tmp_path: Path) -> None:
    cli.done("convert", log, tmp_path / "out.parquet")
    document = cli.done(
        "compare", tmp_path / "out.parquet", "-p", "recorded", "--by", "user", "--json"
    ).document
    ann = document["runs"][0]["groups"][0]
    assert (ann["cpu_efficiency"], ann["gpu_efficiency"], ann["energy"]) == (50, 75, 360_000)
