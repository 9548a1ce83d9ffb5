"""Schedules of the simulator of Goponenko et al. 2022 on KTH-SP2 keep what their policies promise."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.columns import Raw
from engine.audit.report import AuditReport
from engine.audit.table import join
from engine.logs.read import read_trace
from engine.policy.policy import parse_policy
from engine.trace import Trace
from tests.engine.audit.tables import found
from tests.paths import SHARED, needs

LOG = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
STARTS = SHARED / "reference" / "kth-sp2-starts.csv.gz"

pytestmark = [needs(LOG), needs(STARTS)]


@cache
def trace() -> Trace:
    return read_trace(LOG)


@cache
def published() -> dict[str, list[str]]:
    with gzip.open(STARTS, "rt") as file:
        rows = list(csv.reader(file))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def audited(column: str, preset: str, **keys: str) -> AuditReport:
    policy = parse_policy(preset).with_keys(**keys)
    raw = Raw(Path(column), published()["job_id"], {"start": np.array(published()[column], float)})
    return audit(join(raw, trace()), trace().cluster, policy)


@pytest.mark.parametrize(
    ("column", "preset", "keys"),
    [
        ("fcfs:requested", "fcfs", {}),
        ("easy:requested", "easy", {}),
        ("easy-sjbf:actual", "easy-sjbf", {"estimate": "actual"}),
        ("saf-easy:requested", "saf-easy", {}),
        ("just:requested", "easy", {"depth": "all"}),
        ("conservative:requested", "easy", {"depth": "kept"}),
    ],
)
def test_every_promise_is_kept(column: str, preset: str, keys: dict[str, str]) -> None:
    report = audited(column, preset, **keys)
    assert report.clean
    assert report.guarantees is not None
    assert report.guarantees.made > 2000
    assert report.guarantees.excused == 0


def test_aggressive_backfilling_does_not_keep_the_promises_of_easy() -> None:
    report = audited("fcfs-aggressive:requested", "easy")
    assert found(report) == {"reservation": 2266, "guarantee": 197}
    assert report.findings[1].worst == 1_618_095
