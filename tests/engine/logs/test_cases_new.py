"""Logs after further public reports, in the rows of new.tsv: right values, or what to do instead."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InputError
from engine.logs.queue.clusters import PrintTime, read_queues_at
from engine.logs.read import read_trace
from engine.reading.options import OptionError, Reading
from engine.reading.read import read_log_as
from engine.trace import Trace
from tests.paths import SHARED, needs

TABLE = SHARED / "cases" / "new.tsv"
FILES = SHARED / "cases" / "files"

pytestmark = needs(TABLE)

RIGHT: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "N10": ("n10-array-pending.txt", {"job_id": ["900_1", "900_2"], "procs": [4, 4]}),
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
    "N65": ("n65-minutes.csv", 'say its unit below [units] in --columns FILE.toml, as walltime = "min"'),
    "N71": ("n71-mem-kb.csv", 'say its unit below [units] in --columns FILE.toml, as ram = "kb"'),
    "U1": ("u-pbs_server.log", "open the accounting logs beside it, server_priv/accounting"),
    "U1, LSF": ("u-lsb.events", "open the accounting file beside it, lsb.acct"),
}

ELSEWHERE = {
    "S1x": "tests/app/cli/test_info.py: notes are of the machine that is given",
    "N28": "tests/engine/logs/text/test_slurm_gpus.py: kinds of GPUs; shards are no GPUs",
}
"""Rows whose tests are elsewhere."""

LATER = {
    **dict.fromkeys(("N14", "N50"), "jobs that change their size"),
    **dict.fromkeys(("N51", "N53", "N57"), "whole nodes of PBS and Grid Engine"),
    **dict.fromkeys(("N55", "N56"), "task groups, small ones first"),
    **dict.fromkeys(("N72", "N73"), "parts of heterogeneous jobs"),
    **dict.fromkeys(("C1", "C4"), "lines of slurm.conf"),
}
"""Rows that are not right yet, or have their test with what they are about."""


def values(trace: Trace, name: str) -> list[Any]:
    """A column of a trace, names as texts; of the machine its spelling."""
    if name == "machine":
        return [str(trace.cluster)]
    column = getattr(trace, name)
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
    named = {*RIGHT, *NOTED, *FEDERATED, *QUEUES, *REFUSED, *ELSEWHERE, *LATER}
    assert rows <= named, rows - named
    assert isinstance(FILES, Path)
