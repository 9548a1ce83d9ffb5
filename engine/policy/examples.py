"""Spellings of policies to learn from."""

from __future__ import annotations

EXAMPLES = (
    ("just:order=saf,estimate=actual", "smallest areas first, reservations for all, perfect estimates"),
    ("easy:depth=10,estimate=last2", "ten reservations, runtimes predicted"),
    ("saf-easy:threshold=3d,relaxed=0.2", "no job waits more than three days behind smaller jobs"),
    ("fairshare-easy:penalty=cpu,half_life=2h", "usage of processors alone, soon forgotten"),
    ("metric:bf=0.5,window=4", "waits and walltimes weigh the same, four jobs are placed together"),
    ("tuned-2d:queue_depth=400", "balance factor and window adapt, as on an SP2"),
    ("easy:order=priority,weights=age=1;size=2", "a multifactor priority"),
    ("easy:max_user_jobs=20,pass_every=30", "limits of a production system"),
    ('easy:score="max(wait, 60) / walltime"', "a formula: the longest wait for its walltime goes first"),
    ("queues:n=5,seed=1", "five queues with prices, other values drawn"),
    ("easy with walltime_cap=4h", "the workload of a run alone changed: no limit over four hours"),
    ("easy with theta=0.9,rightsize=0.95", "under more load, with requests near what users' jobs used"),
)
"""Spellings to learn from, each with what it does."""
