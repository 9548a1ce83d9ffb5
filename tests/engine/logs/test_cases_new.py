"""Logs after further public reports, in the rows of new.tsv: right values, or what to do instead."""

import csv
from typing import Any

import pytest

from engine.errors import InputError
from engine.logs.queue.clusters import PrintTime, read_queues_at
from engine.logs.read import read_trace
from engine.logs.rows import WHOLE_BY_TASKS
from engine.policy.policy import parse_policy
from engine.reading.options import OptionError, Reading
from engine.reading.read import on_site_machine, read_log_as
from engine.run_source import schedule_of
from engine.simulation.refused_jobs import refused_jobs
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.trace import Trace
from tests.paths import ROOT, SHARED, needs

TABLE = SHARED / "cases" / "new.tsv"
FILES = SHARED / "cases" / "files"

pytestmark = needs(TABLE)

RIGHT: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "N10": ("n10-array-pending.txt", {"job_id": ["900_1", "900_2"], "procs": [4, 4]}),
    "N14": (
        "n14-pbs-release.log",
        {
            "job_id": ["501", "502[1]", "502[2]"],
            "wait": [300, 300, 5400],
            "runtime": [3600, 5100, 1800],
            "procs": [8, 2, 2],
        },
    ),
    "N15": ("n15-torque-ranges.log", {"procs": [16, 15, 3, 2], "walltime": [7200, 7200, 93_600, 7200]}),
    "N17": (
        "n17-ocs.jsonl",
        {
            "job_id": ["1001", "1002.3"],
            "wait": [100, 200],
            "runtime": [3600, 3600],
            "walltime": [7200, 7200],
            "procs": [4, 1],
            "user": ["u1", "u2"],
        },
    ),
    "N28": ("n28-gpu-kinds.txt", {"gpus": [2, 3, 3, 0, 1, 1]}),
    "N50": ("n50-resized.txt", {"wait": [300, 2160], "runtime": [5400, 3600], "procs": [16, 8]}),
    "N51": ("n51-pbs-excl.log", {"whole": [1, 0, 0, 0, 0], "machine": ["16c+8c+2c"]}),
    "N53": (
        "n53-sge-cats.txt",
        {
            "walltime": [86_400, 86_400, 100, 5400, 3600, 1800, 3600, 3600],
            "ram": [32_768, 2048, -1, 1536, -1, -1, 4000, -1],
            "whole": [0, 0, 0, 0, WHOLE_BY_TASKS, 0, 0, 0],
        },
    ),
    "N54": (
        "n54-jobcomp-es.jsonl",
        {"job_id": [101], "wait": [300], "runtime": [3600], "walltime": [7200], "procs": [4], "ram": [4000]},
    ),
    "N38": ("n38-batsim-alloc.csv", {"recorded_procs": [1, 2, 1], "machine": ["4c"]}),
    "N38b": ("n38b-batsim-alloc-new.csv", {"recorded_procs": [1, 2, 1], "machine": ["4c"]}),
    "N41": ("n41-start-before-submit.txt", {"wait": [0, 300]}),
    "N46b": ("n46b-neg-wait.csv", {"wait": [0, 10]}),
    "N47": ("n47-proc-lists.csv", {"procs": [4, 4, 2, 1]}),
    "N64": ("n64-null-users.csv", {"user": ["", "", "", "", "u1"]}),
    "N71b": ("n71b-mem-gb.csv", {"ram": [8192]}),
}
"""Columns of the trace, or the spelling of its machine, by rows of the table."""

QUEUES = {
    "Q1": ("q-squeue-m-all.txt", {"101": 1, "102": 2048, "201": 1, "202": 1}),
    "Q2": ("q-squeue-m-all.txt", {"101": 1, "102": 2048, "201": 1, "202": 1}),
    "Q2b": ("q-squeue-2k.txt", {"102": 2048, "103": 1024, "104": 1024}),
}
"""Nodes of the jobs of queues, by their numbers."""

NOTED = {
    "N38": ("n38-batsim-alloc.csv", "ids", "'allocated_processors' was taken for lists of ids"),
    "N41": ("n41-start-before-submit.txt", "early_start", "a start before the submission"),
    "N46b": ("n46b-neg-wait.csv", "early_start", "a start before the submission"),
    "N47": ("n47-proc-lists.csv", "ids", "'procs' was taken for lists of ids"),
    "N14": ("n14-pbs-release.log", "resized", "gave back nodes before the end"),
    "N28": ("n28-gpu-kinds.txt", "gpu_slices", "2 a100_1g.5gb"),
    "N50": ("n50-resized.txt", "resized", "size changed before the end"),
    "N53": ("n53-sge-cats.txt", "whole_nodes", "other jobs may run beside them"),
}

FEDERATED = {
    "N03": ("n03-federation.txt", {"west": [67109080], "east": [67109081]}, "4c"),
    "N04": ("n04-two-clusters-same-nodes.txt", {"a": [11, 12], "a,b": [11, 12, 12]}, ""),
    "N39b": ("n39b-revoked.json", {"": [67109081]}, "4c"),
}
"""Files of several clusters, the jobs of each choice, and the machine of any."""

REFUSED = {
    "N06c": ("n06c-excel-serial.csv", "a spreadsheet has changed this table"),
    "N18b": ("n18b-volcano.yaml", "this is YAML, which is not read"),
    "N21": ("n21-alibaba-batch_task.csv", "a table of 9 columns parted by commas, without a line that names"),
    "N65": ("n65-minutes.csv", "say its unit with --units walltime=min, or walltime=s"),
    "N71": ("n71-mem-kb.csv", "say its unit with --units ram=kb, or ram=mb"),
    "U1": ("u-pbs_server.log", "open the accounting logs beside it, server_priv/accounting"),
    "U1, LSF": ("u-lsb.events", "open the accounting file beside it, lsb.acct"),
}

FITTING = {
    "N55": ("n55-pbs-small-first.log", "2x8c+4c", [4, 8]),
    "N56": ("n56-pbs-two-sizes.log", "8c+4c", [4, 8, 4]),
    "N72": ("n72-hetjob-gpu.txt", "3x8c", [8, 8, 8]),
    "N73": ("n73-hetjob-ram.txt", "3x8c", [8, 8, 8]),
}
"""Files whose jobs ran on several nodes, the machine of each, and the CPUs of their groups of tasks."""

C1 = "c-gres-suffix.conf"

ELSEWHERE = {"S1x": ("tests/app/cli/test_info.py", "test_with_a_machine_notes_are_about_that_machine")}
"""Rows whose tests are in another file, and the names of these tests."""


def values(trace: Trace, name: str) -> list[Any]:
    """A column of a trace, names as texts; of the machine its spelling."""
    if name == "machine":
        return [str(trace.cluster)]
    column = trace.tasks[name] if name == "whole" else getattr(trace, name)
    return [column.names[code] for code in column.codes] if name == "user" else list(column)


@pytest.mark.parametrize("case", RIGHT)
def test_right_values(case: str) -> None:
    file, right = RIGHT[case]
    trace = read_trace(FILES / file)
    assert {name: values(trace, name) for name in right} == right


@pytest.mark.parametrize("case", NOTED)
def test_what_was_done_is_noted(case: str) -> None:
    file, rule, text = NOTED[case]
    assert [note for note in read_trace(FILES / file).notes if note.rule == rule and text in note.text]


@pytest.mark.parametrize("case", ["N14", "N50"])
def test_a_job_that_changes_its_size_went_nowhere(case: str) -> None:
    texts = " ".join(note.text for note in read_trace(FILES / RIGHT[case][0]).notes)
    assert "went back" not in texts
    assert "requeue" not in texts


@pytest.mark.parametrize("case", FITTING)
def test_what_ran_there_fits_there(case: str) -> None:
    file, machine, cpus = FITTING[case]
    trace = read_trace(FILES / file)
    assert str(trace.cluster) == machine
    assert trace.tasks["cpus"].tolist() == cpus
    assert not refused_jobs(trace, trace.cluster).any()


def test_gpus_and_ram_are_those_of_each_part() -> None:
    assert read_trace(FILES / FITTING["N72"][0]).tasks["gpu"].tolist() == [0, 2, 2]
    assert read_trace(FILES / FITTING["N73"][0]).tasks["ram"].tolist() == [61_440, 1024, 8192]


@pytest.mark.parametrize("file", ["c-old-noselect.conf", "c-old2-noselect.conf"])
def test_usual_values_are_of_one_release(file: str) -> None:
    """C4: of 19.05, by a comment or by settings that later releases do without."""
    conf = read_slurm_conf(FILES / file)
    assert (conf.use.all_whole, conf.word("PriorityType")) == (True, "priority/basic")


def test_amounts_of_resources_have_suffixes_and_flags() -> None:
    conf = read_slurm_conf(FILES / C1)
    amounts = [dict(group.extra).get("gpu", 0) for group in conf.machine.groups]
    assert amounts == [0, 4, 2048]


def test_more_of_a_resource_than_its_limit_is_noted() -> None:
    conf = read_slurm_conf(FILES / C1)
    assert any("tmp" in note for note in conf.notes)


def test_torque_lists_of_hosts_with_ranges() -> None:
    assert read_trace(FILES / RIGHT["N15"][0]).recorded_procs.tolist() == [16, 15, 3, 2]


def test_shards_are_noted() -> None:
    assert any("shard" in note.text for note in read_trace(FILES / RIGHT["N28"][0]).notes)


def test_a_job_waits_for_the_node_that_another_has_alone() -> None:
    trace = read_trace(FILES / "n57-pbs-exclhost.log")
    assert trace.tasks["whole"].tolist() == [1, 0, 0]
    start = schedule_of(trace, trace.cluster, parse_policy("easy")).start
    assert start[2] >= start[0] + trace.runtime[0]


def test_parts_of_a_job_fit_in_the_partitions_where_they_ran() -> None:
    site = parse_policy(str(FILES / "c-het2.conf"))
    read = read_log_as(FILES / FITTING["N72"][0], on_site_machine(Reading(), [site]))
    assert (schedule_of(read.trace, read.cluster, site).start >= 0).all()


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_is_and_what_to_do(case: str) -> None:
    file, words = REFUSED[case]
    with pytest.raises(InputError) as error:
        read_trace(FILES / file)
    assert words in str(error.value)
    assert str(error.value).startswith(str(FILES / file))


@pytest.mark.parametrize("case", FEDERATED)
def test_clusters_are_chosen_and_siblings_did_not_run(case: str) -> None:
    file, choices, machine = FEDERATED[case]
    for clusters, jobs in choices.items():
        read = read_log_as(FILES / file, Reading(clusters=clusters))
        assert read.trace.job_id.tolist() == jobs
        assert str(read.cluster) == machine or not machine


def test_nodes_of_one_name_on_two_clusters_are_two_nodes() -> None:
    file = FILES / FEDERATED["N04"][0]
    with pytest.raises(OptionError, match=r"several clusters.*: a \(2 jobs\), b \(1 job\); --clusters a"):
        read_log_as(file, Reading())
    assert str(read_log_as(file, Reading(clusters="a,b")).cluster) == "3x32c"
    assert str(read_log_as(file, Reading(clusters="a")).cluster) == "2x32c"
    assert str(read_log_as(file, Reading(clusters="-a")).cluster) == "32c"
    whole = read_log_as(file, Reading(clusters="a,b")).trace.recorded_nodes
    assert whole is not None
    assert len(set(whole["node"].tolist())) == 3


@pytest.mark.parametrize("case", QUEUES)
def test_numbers_of_nodes_with_a_letter(case: str) -> None:
    file, jobs = QUEUES[case]
    queues = read_queues_at(FILES / file, PrintTime(1_764_000_000))
    nodes = {job.job_id: job.nodes for queue in queues for job in queue.jobs}
    assert nodes == jobs


def test_each_row_is_tested_or_named() -> None:
    with TABLE.open(encoding="utf-8") as file:
        rows = {row["id"] for row in csv.DictReader(file, delimiter="\t")}
    named = {*RIGHT, *NOTED, *FEDERATED, *QUEUES, *REFUSED, *FITTING, *ELSEWHERE, "C1", "C4", "N57"}
    assert rows <= named, rows - named
    for file, test in ELSEWHERE.values():
        assert f"def {test}(" in (ROOT / file).read_text("utf-8")
