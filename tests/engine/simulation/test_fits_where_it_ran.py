"""It ran there, so it fits there: jobs on the nodes on which they ran by the log, on the empty machine."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, NodeGroup
from engine.policy.policy import Policy, parse_policy
from engine.simulation.quality_notes import quality_notes
from engine.simulation.refused_jobs import refused_jobs
from engine.simulation.run import simulate
from engine.trace import Pieces, Trace
from tests.engine.logs.formats.pbs import ended, read_records
from tests.engine.simulation.logs_on_nodes import (
    FOLDERS,
    POLICIES,
    by_cpus,
    hardest,
    ran_on_nodes,
    site_without_rules,
)
from tests.paths import SHARED, needs
from tests.traces import make_trace

CASES = SHARED / "cases/files"
KINDS = (".txt", ".log", ".json", ".jsonl", ".swf", ".gwf", ".csv", ".parquet")
SMALL = 300_000  # bytes of a log that is read here, as it lies there
MOST_JOBS = 12  # of a log that are simulated


@pytest.fixture(scope="module")
def logs() -> dict[str, Trace]:
    """The small shared logs that name nodes, by name, with the jobs that ran there."""
    found = {}
    for path in (path for name in FOLDERS for path in sorted((SHARED / name).rglob("*"))):
        name = path.name.removesuffix(".gz")
        if not name.endswith(KINDS) or not path.is_file() or path.stat().st_size > SMALL:
            continue
        try:
            trace = ran_on_nodes(read_trace(path))
        except InputError:  # no log, which only its reader knows
            continue
        if trace is not None:
            found[str(path.relative_to(SHARED))] = trace
    return found


@needs(CASES)
def test_jobs_of_every_shared_log_fit_on_the_nodes_that_it_names(logs: dict[str, Trace]) -> None:
    misfits = {}
    for name, trace in logs.items():
        refused = refused_jobs(trace, by_cpus(trace.cluster))
        if refused.any():
            misfits[name] = [trace.shown_id(job) for job in np.flatnonzero(refused)[:5]]
    assert not misfits
    assert len(logs) > 30
    assert sum(map(len, logs.values())) > 20_000


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return site_without_rules(tmp_path_factory.mktemp("site"))


def of_name(name: str, slurm: Policy) -> Policy:
    return slurm if name == "site" else parse_policy(name)


@needs(CASES)
def test_jobs_of_shared_logs_run_under_every_policy(logs: dict[str, Trace], slurm: Policy) -> None:
    left = {}
    for number, (name, trace) in enumerate(logs.items()):
        own, machine = hardest(trace, MOST_JOBS), by_cpus(trace.cluster)
        # Jobs of one group differ little from log to log: of such logs each has a half of the policies.
        several = (np.diff(own.tasks.offset) > 1).any()
        for policy in POLICIES if several else POLICIES[number % 2 :: 2] if len(own) else ():
            schedule = simulate(own, machine, of_name(policy, slurm))
            if not schedule.ran.all():
                left[f"{name} {policy}"] = [own.shown_id(job) for job in np.flatnonzero(~schedule.ran)[:5]]
    assert not left


@st.composite
def jobs_that_ran(draw: st.DrawFn) -> Trace:
    """Jobs of several groups of tasks, each on nodes that held all of it at once."""
    sizes = draw(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=2, max_size=4))
    cluster = Cluster(tuple(NodeGroup(1, cpus, ram * 1024) for cpus, ram in sizes))
    tasks, nodes = [], []
    for _ in range(draw(st.integers(1, 4))):
        groups, on = [], set()
        # Groups are drawn from what the nodes have left, so all of the job fits on them at once.
        left = [[cpus, ram * 1024] for cpus, ram in sizes]
        for _ in range(draw(st.integers(1, 3))):
            node = draw(st.sampled_from(range(len(sizes))))
            if min(left[node][0], left[node][1] // 1024) < 1:
                continue
            cpus = draw(st.integers(1, left[node][0]))
            ram = draw(st.integers(1, left[node][1] // 1024)) * 1024
            left[node] = [left[node][0] - cpus, left[node][1] - ram]
            groups.append((1, cpus, ram))
            on.add(node)
        # In another order than they were placed: the simulation has to find the places itself.
        tasks.append(draw(st.permutations(groups)) or [(1, 1, 0)])
        nodes.append(sorted(on) or [0])
    n = len(tasks)
    trace = make_trace(
        [0] * n,
        [10] * n,
        [sum(count * cpus for count, cpus, _ in groups) for groups in tasks],
        ram=[sum(count * ram for count, _, ram in groups) for groups in tasks],
        tasks=tasks,
        cluster=cluster,
    )
    offset = np.concatenate(([0], np.cumsum([len(on) for on in nodes]))).astype(np.int64)
    rows = np.array([node for on in nodes for node in on], np.int64)
    return replace(trace, recorded_nodes=Pieces(offset, {"node": rows, "cpus": np.ones_like(rows)}))


@given(jobs_that_ran(), st.sampled_from(POLICIES))
def test_jobs_of_several_groups_fit_where_they_ran(slurm: Policy, trace: Trace, name: str) -> None:
    schedule = simulate(trace, trace.cluster, of_name(name, slurm))
    assert schedule.ran.all()
    capacity = trace.cluster.capacity()
    for job in range(len(trace)):
        rows = slice(schedule.pieces.offset[job], schedule.pieces.offset[job + 1])
        held = np.zeros_like(capacity)
        columns = [schedule.pieces[name][rows] for name in trace.cluster.resources]
        np.add.at(held, schedule.pieces["node"][rows], np.stack(columns, axis=1))
        assert (held <= capacity).all()
        assert held[:, 0].sum() == trace.procs[job]


@pytest.mark.parametrize("select", ["1:ncpus=4+1:ncpus=8", "1:ncpus=8+1:ncpus=4", "3:ncpus=2+2:ncpus=3"])
def test_chunks_of_two_sizes_run_on_two_sizes_of_nodes(tmp_path, select: str) -> None:
    trace = read_records(
        tmp_path,
        ended(1, exec_host="c1/0*8+c2/0*4", Resource_List__select=select),
        cluster=Cluster((NodeGroup(1, 8), NodeGroup(1, 4))),
    )
    assert not refused_jobs(trace, trace.cluster).any()


def test_a_job_that_never_fits_says_what_its_parts_ask_for() -> None:
    nodes = Cluster((NodeGroup(2, 8, 4096),))
    trace = make_trace([0], [10], [12], ram=[9000], tasks=[[(2, 4, 1000), (1, 4, 7000)]], cluster=nodes)
    text = next(note.text for note in quality_notes(trace) if note.rule == "refused")
    assert text.endswith("asks for 2 tasks of 4 CPUs and 1,000 MiB; 1 task of 4 CPUs and 7,000 MiB")
