"""Whole nodes, in the words of each batch system: a job that asked to be alone blocks the nodes it takes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.logs.formats import condor, lsf, pbs, sge
from tests.engine.logs.lines import counts
from tests.engine.logs.sacct.dumps import read_jobs

NODES = parse_cluster("2x8c")


def of_pbs(folder: Path, **values: object) -> Trace:
    """A job that asks in this way, and one that asks for a CPU and may be anywhere."""
    return pbs.read_records(folder, pbs.ended(1, **values), pbs.ended(2), cluster=NODES)


def of_sge(folder: Path, asked: str) -> Trace:
    jobs = (sge.record(1, slots=1, category=f"-l {asked}"), sge.record(2, slots=1, category=""))
    return sge.read_records(folder, *jobs, cluster=NODES)


def of_lsf(folder: Path, options: int) -> Trace:
    alone = lsf.record(1).replace(" 1000 0 ", f" 1000 {options} ", 1)
    return lsf.read_records(folder, alone, lsf.record(2), cluster=NODES)


def of_condor(folder: Path, form: Callable[..., str] = condor.as_json, **values: object) -> Trace:
    path = folder / "history"
    path.write_text(form(condor.ad(1, **values), condor.ad(2)), "utf-8")
    return read_trace(path, cluster=NODES)


def of_flux(folder: Path, **values: object) -> Trace:
    job = {"t_submit": 1.0, "t_run": 10.0, "t_cleanup": 70.0, "ncores": 2, "nnodes": 1}
    path = folder / "flux.json"
    path.write_text(json.dumps({"jobs": [{"id": 1, **job, **values}, {"id": 2, **job}]}), "utf-8")
    return read_trace(path, cluster=NODES)


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: of_pbs(folder, Resource_List__place="pack:excl"),
        lambda folder: of_pbs(folder, Resource_List__place="scatter:exclhost"),
        lambda folder: of_pbs(folder, Resource_List__naccesspolicy="singlejob"),
        lambda folder: of_pbs(folder, x="NACCESSPOLICY:SINGLEJOB"),
        lambda folder: of_pbs(folder, Resource_List__select=None, Resource_List__nodes="1:ppn=2#excl"),
        lambda folder: of_sge(folder, "h_rt=60,exclusive=TRUE"),
        lambda folder: of_sge(folder, "excl=1"),
        lambda folder: of_lsf(folder, 0x40 | 0x2),
        lambda folder: of_condor(folder, RequiresWholeMachine=True),
        lambda folder: of_condor(folder, WantWholeNode=True),
        lambda folder: of_condor(folder, condor.as_lines, RequiresWholeMachine=True),
        lambda folder: of_condor(folder, condor.as_lines, WantWholeNode=True),
        lambda folder: of_flux(folder, exclusive=True),
        lambda folder: of_flux(folder, jobspec={"resources": [{"type": "node", "exclusive": True}]}),
        lambda folder: of_flux(
            folder, jobspec={"resources": [{"type": "slot", "with": [{"type": "node", "exclusive": True}]}]}
        ),
    ],
)
def test_a_job_that_asked_to_be_alone_blocks_its_node(tmp_path: Path, read: Callable[[Path], Trace]) -> None:
    trace = read(tmp_path)
    assert counts(trace)["whole_nodes"] == 1
    assert trace.tasks["whole"].astype(bool).tolist() == [True, False]
    schedule = simulate(trace, NODES, parse_policy("fcfs"))
    held = [schedule.pieces["cpus"][schedule.pieces.offset[job]] for job in (0, 1)]
    assert held == [8, trace.procs[1]]
    assert trace.procs[0] < 8  # what it took stays what it asked for


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: of_pbs(folder, Resource_List__place="scatter:shared"),
        lambda folder: of_sge(folder, "exclusive=FALSE"),
        lambda folder: of_lsf(folder, 0x2),
        lambda folder: of_condor(folder, RequiresWholeMachine=False),
        lambda folder: of_flux(folder, exclusive=False),
    ],
)
def test_nothing_is_said_where_no_job_asked(tmp_path: Path, read: Callable[[Path], Trace]) -> None:
    trace = read(tmp_path)
    assert "whole_nodes" not in counts(trace)
    assert "whole" not in trace.tasks.columns


def test_a_policy_that_is_not_obeyed_is_counted(tmp_path: Path) -> None:
    trace = of_pbs(tmp_path, Resource_List__naccesspolicy="singleuser")
    assert counts(trace)["access_policy"] == 1
    assert "whole" not in trace.tasks.columns


@pytest.mark.parametrize(("option", "noted"), [("=user", 1), ("=mcs", 1), ("", 0)])
def test_slurm_says_which_others_may_be_on_the_nodes(tmp_path: Path, option: str, noted: int) -> None:
    header = "JobID|User|State|Submit|Start|End|NNodes|NCPUS|NodeList|SubmitLine"
    times = "2024-01-01T10:00:00|2024-01-01T10:05:00|2024-01-01T11:05:00"
    row = f"1|ann|COMPLETED|{times}|1|2|n1|sbatch --exclusive{option} -n 2 run.sh"
    other = f"2|ann|COMPLETED|{times}|1|2|n1|sbatch -n 2 run.sh --exclusive=user"  # an option of the script
    trace = read_jobs(tmp_path, row, other, header=header)
    assert counts(trace).get("access_policy", 0) == noted


def test_chunks_of_several_sizes_keep_their_sizes_on_whole_nodes(tmp_path: Path) -> None:
    trace = pbs.read_records(
        tmp_path,
        pbs.ended(
            1,
            exec_host="c1/0*2+c2/0*8",
            Resource_List__select="1:ncpus=2:ngpus=1+1:ncpus=8",
            Resource_List__place="scatter:excl",
        ),
        cluster=parse_cluster("1x2c8g1gpu+1x8c"),
    )
    assert trace.tasks["cpus"].tolist() == [2, 8]
    assert trace.tasks["gpu"].tolist() == [1, 0]
    assert trace.tasks["whole"].tolist() == [2, 8]
