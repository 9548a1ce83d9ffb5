"""Logs of the Parallel Workloads Archive and of Alea: counts that are known from elsewhere."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.schedule.write import write_swf
from engine.simulation.recorded_run import recorded_schedule
from engine.trace import Trace
from tests.engine.logs.lines import counts
from tests.paths import SHARED, needs

TRACES = SHARED / "traces"
KTH = TRACES / "KTH-SP2-filtered.swf.gz"
WAGAP = TRACES / "alea-wagap-2013.swf.gz"
CURIE = TRACES / "CEA-Curie-2011-2.1-cln.swf.gz"
CTC = TRACES / "CTC-SP2-1996-3.1-cln.swf.gz"
SETH = TRACES / "HPC2N-2002-2.2-cln.swf.gz"
SETH_ALEA = SHARED / "other-formats" / "alea-hpc2n.swf.gz"
KTH_STARTS = SHARED / "reference" / "kth-sp2-starts.csv.gz"
WAGAP_EET = SHARED / "reference" / "wagap-eet-c64-ram262144.csv.gz"


@cache
def log(path: Path) -> Trace:
    return read_trace(path)


def table(path: Path, *names: str) -> list[list[int]]:
    """Columns of a reference table."""
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    return [[int(row[name]) for row in rows] for name in names]


@needs(KTH)
@needs(KTH_STARTS)
def test_kth():
    trace = log(KTH)
    assert (len(trace), trace.cluster.spelling, trace.zero) == (28_481, "100c", 843_480_031)
    assert trace.timezone == "Europe/Stockholm"
    assert counts(trace) == {"peak": 1}
    assert np.array_equal(trace.runtime, trace.recorded_runtime)
    columns = table(KTH_STARTS, "job_id", "submit", "procs", "runtime")
    for name, expected in zip(("job_id", "submit", "procs", "runtime"), columns, strict=True):
        assert getattr(trace, name).tolist() == expected, name


@needs(KTH)
def test_the_recorded_schedule_of_kth_written_and_read_again(tmp_path):
    trace = log(KTH)
    write_swf(recorded_schedule(trace, trace.cluster), tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    for name in ("job_id", "submit", "wait", "runtime", "walltime", "procs", "recorded_procs", "status"):
        assert np.array_equal(getattr(again, name), getattr(trace, name)), name
    assert again.user.names == trace.user.names
    assert np.array_equal(again.user.codes, trace.user.codes)
    assert (again.zero, again.timezone, again.cluster) == (trace.zero, trace.timezone, trace.cluster)


@needs(WAGAP)
@needs(WAGAP_EET)
def test_wagap_columns():
    trace = log(WAGAP)
    assert len(trace) == 17_898
    assert trace.cluster.spelling == "20x80c517018m+48x12c91832m"
    assert trace.zero == 0
    assert trace.submit[0] == 1_356_996_147
    assert counts(trace)["drop_no_runtime"] == 2
    job_id, user, procs, ram, submit, start, end = table(
        WAGAP_EET, "job_id", "user", "procs", "ram_mb", "submit", "start", "end"
    )
    assert trace.job_id.tolist() == job_id
    assert [trace.user.names[code] for code in trace.user.codes] == [str(name) for name in user]
    assert trace.ram.tolist() == ram
    assert trace.procs.tolist() == procs
    assert trace.submit.tolist() == submit
    assert (trace.submit + trace.wait).tolist() == start
    assert (trace.submit + trace.wait + trace.recorded_runtime).tolist() == end
    assert "q_2w_plus" in trace.queue.names
    assert len(trace.queue.names) == 11


@needs(WAGAP)
def test_wagap_tasks():
    trace = log(WAGAP)
    cpus = np.add.reduceat(trace.tasks["count"] * trace.tasks["cpus"], trace.tasks.offset[:-1])
    ram = np.add.reduceat(trace.tasks["count"] * trace.tasks["ram"], trace.tasks.offset[:-1])
    assert np.array_equal(cpus, trace.procs)
    assert np.array_equal(ram, trace.ram)
    assert counts(trace)["node_spec"] == 20


@needs(WAGAP)
def test_wagap_nodes():
    trace = log(WAGAP)
    used = trace.recorded_nodes
    assert used is not None
    nodes = np.unique(used["node"])
    assert len(nodes) == counts(trace)["nodes"] == 44
    assert nodes.tolist() == [*range(18), *range(20, 46)]
    assert (np.diff(used.offset) > 0).all()
    assert np.array_equal(np.add.reduceat(used["cpus"], used.offset[:-1]), trace.recorded_procs)
    assert (used["cpus"] <= trace.cluster.node_cpus()[used["node"]]).all()


@needs(CURIE)
def test_curie():
    trace = log(CURIE)
    assert (len(trace), trace.cluster.cpus) == (295_540, 93_312)
    assert trace.zero == 1_296_571_124
    assert trace.timezone == "Europe/Paris"
    assert counts(trace)["drop_no_runtime"] == 312_826 - 295_540
    assert counts(trace)["clamp_runtime"] == 5_416
    assert (trace.submit[1:] >= trace.submit[:-1]).all()


@needs(CTC)
def test_ctc():
    trace = log(CTC)
    assert (len(trace), trace.cluster.cpus) == (77_205, 338)
    assert counts(trace)["drop_no_runtime"] == 77_222 - 77_205
    assert np.array_equal(trace.procs, trace.recorded_procs)
    assert "fractional" not in counts(trace)


@needs(CTC)
def test_ctc_without_walltimes():
    trace = read_trace(CTC, clean={"drop_no_walltime": True})
    assert len(log(CTC)) - len(trace) == counts(log(CTC))["no_walltime"]


@needs(SETH)
def test_seth():
    trace = log(SETH)
    assert (len(trace), trace.cluster.cpus) == (202_871, 240)
    assert trace.has_ram
    assert counts(trace)["no_wait"] == 1


@needs(SETH_ALEA)
def test_seth_beside_a_machines_file():
    trace = log(SETH_ALEA)
    assert (len(trace), trace.cluster.spelling) == (3_145, "120x2c1g")
    assert counts(trace)["drop_no_runtime"] == counts(trace)["unfinished"] == 25
    assert counts(trace)["ram_unit"] == 3
    asked = np.flatnonzero(trace.job_id == 184)
    assert trace.ram[asked].tolist() == [16 * 800]


@needs(CURIE)
@pytest.mark.parametrize("path", [KTH, CURIE])
def test_reading_twice_gives_the_same(path):
    first, second = log(path), read_trace(path)
    for name in ("job_id", "submit", "runtime", "walltime", "procs", "ram", "wait"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert first.notes == second.notes
