"""The logs that speed is measured on, read once."""

from dataclasses import replace
from functools import cache

from engine.logs.read import read_trace
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.paths import SHARED

KTH_SP2 = SHARED / "traces/KTH-SP2-filtered.swf.gz"
CTC_SP2 = SHARED / "traces/CTC-SP2-1996-3.1-cln.swf.gz"
CEA_CURIE = SHARED / "traces/CEA-Curie-2011-2.1-cln.swf.gz"
HPC2N = SHARED / "other-formats/alea-hpc2n.swf.gz"
WAGAP = SHARED / "traces/alea-wagap-2013.swf.gz"


@cache
def kth_sp2() -> Trace:
    """28,481 jobs on 100 processors."""
    return read_trace(KTH_SP2)


@cache
def ctc_sp2() -> Trace:
    """77,222 records on 338 processors."""
    return read_trace(CTC_SP2)


@cache
def cea_curie() -> Trace:
    """312,826 records on 93,312 processors."""
    return read_trace(CEA_CURIE)


@cache
def hpc2n() -> Trace:
    """3,145 jobs on 120 nodes of 2 processors."""
    return read_trace(HPC2N)


@cache
def wagap() -> Trace:
    """17,898 jobs with RAM and node specifications on 68 nodes."""
    return read_trace(WAGAP)


@cache
def easy_on_cea_curie() -> Schedule:
    """The schedule that is judged and measured."""
    trace = cea_curie()
    return simulate(trace, trace.cluster, parse_policy("easy"))


def as_new(schedule: Schedule) -> Schedule:
    """The same schedule without what it has worked out and kept."""
    return replace(schedule)
