"""The largest times, counts and amounts that the program computes with, each with its reason.

Everything is int64. Readers of logs, files and spellings refuse larger values, or count their lines as
unreadable, so that nothing after the readers can overflow: all products of two amounts stay below 2^63. Sums
of such products over many jobs are made in float64, which is exact below 2^53.
"""

from __future__ import annotations

MAX_TIME = 1 << 40
"""s since 1970 of a submission or a failure, the year 36812; times of now in milliseconds are beyond it."""

MAX_SPAN = 10_000_000 * 86_400
"""s of a time that a policy or a share names: ten million days, longer than any log can last by MAX_TIME."""

MAX_DURATION = 1 << 33
"""s of a walltime, a runtime, a wait or a failure: 272 years. A time plus one for each of
2^22 jobs stays below 2^56."""

MAX_CPUS = 1 << 27
"""Processors of a machine and of a job: 134 million, ten times the largest machine there was. Times
MAX_DURATION it is 2^60."""

MAX_NODES = 1_000_000
"""Nodes of a machine: tables with an entry a node stay below 100 MB."""

MAX_GROUPS = 1_000
"""Groups of identical nodes; machines have a dozen."""

MAX_SPEC = 1_000
"""Characters of a job's node specification, whose modifiers each task group repeats; the longest in
real logs has 70."""

MAX_ZONES_BYTES = 1 << 28
"""Bytes of the table of the nodes that each kind of task may use, a byte for each node."""

MAX_NODE_RAM = 1 << 36
"""MiB of a node or a pool, 64 PiB; the RAM of MAX_NODES such nodes is 2^56."""

MAX_TASK_RAM = 1 << 30
"""MiB of a task, 1 PiB; that of a job of MAX_CPUS tasks is 2^57."""

MAX_EXTRA = 1_000_000
"""Of another resource, such as GPUs, of a node."""

MAX_OUTAGES = 1_000_000
"""Times that a node is down: a table of 24 MB."""

MAX_MACHINES_BYTES = 1 << 20
"""Bytes of a machines file; with MAX_GROUPS lines it has 60 kB."""

MAX_MAPPING_BYTES = 1 << 16
"""Of a mapping of columns."""

MAX_CONF_BYTES = 1 << 22
"""Of a `slurm.conf`; large sites have 100 kB."""

MAX_PRINTED_BYTES = 1 << 26
"""Of what `pbsnodes -a` or `qhost` prints: 2 kB a node, and the jobs that run there."""

MAX_SHARES_BYTES = 1 << 24
"""Of a file of shares: half a million users."""

MAX_FAILURES_BYTES = 1 << 27
"""Of a file of failures, unpacked."""

MAX_TRACE_BYTES = 2 << 30
"""Bytes of an unpacked log; ten million jobs take half of that."""

MAX_LOG_FILES = 10_000
"""Files of a folder of rotated logs: 27 years of days."""

MAX_RATIO, FREE_BYTES = 100, 1 << 24
"""The largest ratio of unpacked to packed size, beyond the first 16 MiB. Logs have ratios of 4 to 20."""

MAX_TABLE_BYTES = 1 << 31
"""Bytes of any table that grows during a simulation; a log of ten million jobs needs less."""
