"""What of a site's files is not simulated, and how many jobs each part touches; the order of its nodes."""

from pathlib import Path

import numpy as np
import pytest

from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.slurm.scheduler.partitions import site_machine
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import lines_left_out
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = """NodeName=b[9-11],a2 CPUs=4
PartitionName=batch Nodes=b[9-11] AllowAccounts=physics LLN=YES
PartitionName=long Nodes=a2
SchedulerParameters={words}
Prolog=/bin/true
"""
ROWS = (("physics", "batch"), ("bio", "batch"), ("bio", "long"))


def _lines(folder: Path, words: str) -> tuple[str, ...]:
    (folder / "slurm.conf").write_text(CONF.format(words=words))
    rows = [
        job(
            JobID=k + 1, User="ann", Account=account, Partition=name, QOS="", Submit=clock(k), NodeList="b9",
            Start=clock(k + k), End=clock(600), Timelimit="01:00:00", NCPUS=1, ReqCPUS=1, NNodes=1,
        )
        for k, (account, name) in enumerate(ROWS)
    ]  # fmt: skip
    (folder / "log").write_text("\n".join((HEADER, *rows, "")))
    read = read_log_as(folder / "log", Reading(machine=str(folder / "slurm.conf")))
    return lines_left_out(read_site_at(folder / "slurm.conf"), read.trace)


def test_each_part_has_the_number_of_the_jobs_that_it_touches(tmp_path: Path) -> None:
    lines = _lines(tmp_path, "bf_min_age_reserve=60,made_up=1,pack_serial_at_end")

    def with_words(*words: str) -> str:
        (line,) = [line for line in lines if all(word in line for word in words)]
        return line

    assert with_words("batch", "AllowAccounts").endswith("(1 job)")  # of an account that is not in the list
    assert with_words("batch", "LLN").endswith("(2 jobs)")
    assert with_words("Prolog").endswith("(3 jobs)")
    assert with_words("bf_min_age_reserve").endswith("(2 jobs)")  # those that waited
    assert with_words("pack_serial_at_end").endswith("(3 jobs)")
    assert with_words("made_up").endswith("unknown key")  # nobody can say
    bare = lines_left_out(read_site_at(tmp_path / "slurm.conf"))
    assert not any(line.endswith("jobs)") for line in bare)


@pytest.mark.parametrize(
    "word", ["requeue_delay=5", "Ignore_NUMA", "defer", "bf_window_linear=60", "batch_sched_delay=5"]
)
def test_words_that_are_simulated_or_without_effect_are_not_listed(tmp_path: Path, word: str) -> None:
    assert not any(word.split("=")[0] in line for line in _lines(tmp_path, word))


def test_a_delay_of_requeued_jobs_is_one_of_newer_releases(tmp_path: Path) -> None:
    _lines(tmp_path, "requeue_delay=5")
    site = read_site_at(tmp_path / "slurm.conf")
    assert site.rules(1).requeue_delay == (5 if site.conf.version is None else 121)
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a CPUs=4\nPartitionName=b Nodes=a\nAuthInfo=cred_expire=9\n"
    )
    assert read_site_at(tmp_path / "slurm.conf").rules(1).requeue_delay == 10


def test_nodes_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    _lines(tmp_path, "")
    site = read_site_at(tmp_path / "slurm.conf")
    cluster = site.conf.machine
    every = np.ones((1, cluster.nodes), np.bool_)
    _, order = site_machine(site, ("batch",), cluster, cluster.capacity(), every)
    assert [cluster.node_names()[node] for node in order.tolist()] == ["a2", "b9", "b10", "b11"]
