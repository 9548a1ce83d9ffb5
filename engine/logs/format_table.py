"""The table of readable log formats, which guide, reference and messages use."""

from __future__ import annotations

from typing import NamedTuple


class LogFormat(NamedTuple):
    """A format of logs: its name, the word for such a log in messages, and its source.

    `label` is empty where no message names the format.
    """

    name: str
    label: str
    source: str


SACCT = LogFormat(
    "Slurm: `sacct`",
    "a dump of sacct",
    "`batchscope collect`, or `sacct -a -P` with its fields: any delimiter, columns of fixed width, CSV with "
    "quotes, Parquet; slurmdbd's "
    "job table as CSV or Parquet",
)
JOBCOMP = LogFormat(
    "Slurm: `jobcomp/filetxt`", "a jobcomp log of Slurm", "the file that `JobCompLoc` of slurm.conf names"
)
PBS = LogFormat("PBS, TORQUE, OpenPBS", "an accounting log of PBS", "files in `server_priv/accounting`")
SGE = LogFormat(
    "Grid Engine",
    "an accounting file of Grid Engine",
    "the file `accounting`, also Univa's; `accounting.jsonl` of Gridware",
)
LSF = LogFormat("LSF", "an accounting file of LSF", "`lsb.acct`, of versions 5 to 10")
JSON = LogFormat(
    "Slurm: `sacct --json`", "JSON", "`sacct -a --json`, of several versions; jobs of jobcomp/elasticsearch"
)
CONDOR = LogFormat(
    "HTCondor",
    "a history of HTCondor",
    "`condor_history -json`, `-jsonl` or `-l`, or the files of the history",
)
GWF = LogFormat(
    "Grid Workload Format", "a log in the Grid Workload Format", "`.gwf` of the Grid Workloads Archive"
)
TABLE = LogFormat(
    "Tables of jobs",
    "a table",
    "CSV (any delimiter) or Parquet; `--columns` names columns with unusual names",
)

FORMATS: tuple[LogFormat, ...] = (
    LogFormat(
        "Standard Workload Format", "", "`.swf` of the Parallel Workloads Archive (`batchscope fetch NAME`)"
    ),
    LogFormat(
        "Alea", "", "its `.swf` of 18 to 21 columns, with a `.machines` and a `.failures` file beside it"
    ),
    GWF,
    SACCT,
    JSON,
    JOBCOMP,
    PBS,
    SGE,
    LSF,
    CONDOR,
    LogFormat("Flux", "", "`flux jobs -A -c 100000 --json`, or `flux job list`"),
    LogFormat("Batsim", "", "workloads (JSON); its `out_jobs.csv` is a table"),
    TABLE,
)
"""All formats. JSON of Slurm, HTCondor, Flux and Batsim is read by a common reader."""

PACKED = (
    "Files may be compressed with gzip, bzip2, xz or Zstandard; text may be UTF-8 or UTF-16. "
    "A folder, zip or tar of such files is one log. Parquet is read from files and folders only."
)
"""The compression and archives that all formats accept."""


def list_formats() -> str:
    """The table of all formats in Markdown, and how they may be packed below it."""
    rows = (f"| {known.name} | {known.source} |" for known in FORMATS)
    return "\n".join(("| format | where it comes from |", "| --- | --- |", *rows, "", PACKED))
