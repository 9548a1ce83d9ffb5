"""How often predicted starts held on archived logs: run as `python -m tests.engine.coverage [INSTANTS]`."""

from __future__ import annotations

import sys

from engine.answer.calibration import replay_log, score
from engine.site.site import site_of_machine
from engine.trace.read import read_trace
from tests.benchmarks.logs import CTC_SP2, HPC2N, KTH_SP2

if __name__ == "__main__":
    for path in (KTH_SP2, CTC_SP2, HPC2N):
        trace = read_trace(path)
        instants = int(sys.argv[1]) if len(sys.argv) > 1 else 100
        found = score(replay_log(site_of_machine("log", trace.cluster), trace, instants))
        print(trace.name, "too few predictions" if found is None else found)
