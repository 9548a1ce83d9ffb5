"""Files that are mistaken for logs: a description of each, and what to open instead."""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

_LOOKED_AT = 1 << 12  # bytes
_FIRST_LINES = 5
_NAMED_FURTHER = 6  # columns without a meaning, in a line of names
_LONGEST = 400  # characters of a line

_SACCT = (
    "sacct --allusers --parsable2 --starttime 2024-01-01 --format JobID,JobName,User,Account,Partition,State,"
    "Submit,Start,End,Elapsed,Timelimit,NNodes,NCPUS,ReqMem,AllocTRES,NodeList"
)

_QUEUE_COLUMNS = frozenset(
    ("PARTITION", "NAME", "USER", "ST", "STATE", "TIME", "NODES", "CPUS", "PRIORITY", "NODELIST(REASON)")
)
_WAITING = re.compile(
    r"\s*\d+(_\S+)?\s+\S+\s+\S.*\s(PD|R|CG|CF|S|ST|RD|SO)\s+[\d:-]+\s+\d+\s+\S", re.ASCII
)  # a line of squeue without its header
_RECORD = re.compile(r"JobId=\d+(?: Array\w+=\S+){0,4} JobName=")
_SETUP = re.compile(r"NodeName=\S+ (?:[A-Z]\w+=\S* +){1,3}\s*CPUAlloc=|PartitionName=\S+\s+AllowGroups=")
_LFS = re.compile(r"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\d")
_LFS_SIZE = re.compile(r"^size (\d{1,18})$", re.MULTILINE)
_HTML = re.compile(
    r"(?:(?><!--.*?-->)|<\?xml[^>]*>|\s)*+<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(r"<\?xml\b|<!DOCTYPE\b|<classads>", re.IGNORECASE)
_EVENT = re.compile(r"-dt\s+[\d.]+\s+-e\s+\w+\s*\|")
_REPORT = re.compile(r"(?:Usage|TRES) reported in ")
_SUMMARY = re.compile(r"Summary of time in seconds spent|Accounting information about jobs")
_QSTAT = re.compile(r"Job Id: \d")
_SACCT_COLUMNS = frozenset(
    ("JobID", "JobName", "User", "Partition", "Account", "State", "Submit", "Start", "End", "Elapsed")
)
_FEWEST_COLUMNS = 4
_DAEMON = re.compile(r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\] ")
_DUMP = re.compile(r"-- (?:MySQL|MariaDB|PostgreSQL database) dump|/\*!\d+|/\*M!\d+", re.IGNORECASE)
_SCRIPT = re.compile(r"#!\s*/\S")
_PBS_SERVER = re.compile(
    r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(?:\.\d+)?;[\da-fx]{4,8};\s*[\w@.-]+;"
    r"(?:Svr|Job|Req|Node|Que|Fil|Hook|Act|TPP)[;\w]*;",
    re.IGNORECASE,
)
_LSF_EVENT = re.compile(
    r'"(?:JOB_(?:NEW|START|START_ACCEPT|STATUS|EXECUTE|SIGNAL|CLEAN|SWITCH|MODIFY2?|FORCE|ACCEPT|FORWARD|MOVE|REQUEUE)|'
    r'LOAD_INDEX|MBD_START|MBD_DIE|QUEUE_CTRL|HOST_CTRL|UNFULFILL|SBD_JOB_STATUS|MIG|CHKPNT)" '
)
_MOAB_EVENT = re.compile(r"\d\d:\d\d:\d\d \d{9,10}:\d+ (?:job|node|rm|sched|trigger|rsv) ", re.IGNORECASE)
_MAUI = re.compile(r"VERSION \d{3}\s*$")
_MAUI_FIELDS = 30  # of a line of Maui's workload trace, with names of classes in brackets
_YAML = re.compile(r"(?:%YAML|---\s*$|- ?\w[\w.-]*:(?:\s|$)|[A-Za-z][\w.-]*:(?:\s+\S.*)?$)")
_SHEET_ID = re.compile(r"\d(?:[.,]\d+)?E\+\d\d", re.IGNORECASE)
_MARKS_OF_CELLS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_VALUE = re.compile(r"[+-]?\d+(?:[.,:/T-]\d*)*$")
_ANNEX = re.compile(r"(?:\.\./)*(?:/|\.git/)annex/objects/\S+$")


def _is_squeue(lines: Sequence[str]) -> bool:
    for line in lines:
        words = re.split(r"[\s|]+", line)
        if "JOBID" in words and len(_QUEUE_COLUMNS.intersection(words)) >= 3 and "END" not in words:
            return True
    return all(_WAITING.match(line) for line in lines)


def _is_maui(lines: Sequence[str]) -> bool:
    """Whether these are lines of a workload trace of Maui or Moab."""
    words = lines[-1].split()
    brackets = sum(word.startswith("[") and word.endswith("]") for word in words)
    return _MAUI.match(lines[0]) is not None or (len(words) >= _MAUI_FIELDS and brackets >= 3)


def _is_yaml(lines: Sequence[str]) -> bool:
    """Whether all lines are those of YAML: keys with colons, at the margin or below it, or items."""
    if lines[0].startswith((" ", "\t")) or not _YAML.match(lines[0]):
        return False
    inner = [line.strip() for line in lines]
    return len(inner) > 1 and all(_YAML.match(line) or line.startswith(("- ", "#")) for line in inner)


def _is_spoilt(lines: Sequence[str]) -> bool:
    """Whether a spreadsheet has written ids as 1.23E+06, so that nobody knows them any more."""
    for mark in _MARKS_OF_CELLS:
        rows = [[cell.strip('" ') for cell in line.split(mark)] for line in lines]
        if len(rows[0]) < 3 or any(len(row) != len(rows[0]) for row in rows):
            continue
        heads = {cell.lower().replace("_", "") for cell in rows[0]}
        if heads & {"jobid", "submit", "submittime", "start"}:
            return any(_SHEET_ID.fullmatch(row[0]) for row in rows[1:])
    return False


def _begins(*words: str) -> Callable[[Sequence[str]], bool]:
    """A test for a table by the first words of a line."""
    return lambda lines: any(tuple(line.split()[: len(words)]) == words for line in lines)


def _matches(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], bool]:
    return lambda lines: pattern.match(lines[0].lstrip()) is not None


class _Kind(NamedTuple):
    """A test for a kind of file by its first nonempty lines, and the description of the kind."""

    recognises: Callable[[Sequence[str]], bool]
    words: str


_KINDS = (
    _Kind(
        lambda lines: any({"JOBID", "ST", "NTASKS", "NNODES"} <= set(line.split()) for line in lines),
        "this is what flux jobs prints for people to read; print a log with flux jobs -A -c 100000 --json",
    ),
    _Kind(
        _is_squeue,
        "this is what squeue prints, the queue at one moment, without the ends of jobs; print a log with "
        f"{_SACCT}",
    ),
    _Kind(
        _matches(_RECORD),
        "this is what scontrol show job prints, of jobs that Slurm still remembers, without most that ended; "
        f"print a log with {_SACCT}",
    ),
    _Kind(
        lambda lines: _SETUP.match(" ".join(lines[:2]).lstrip()) is not None,
        "this is what scontrol show node or scontrol show partition prints, and no log; the machine and the "
        "policy are in the slurm.conf (--cluster and -p)",
    ),
    _Kind(
        _begins("PARTITION", "AVAIL"),
        f"this is what sinfo prints, the nodes at one moment and no jobs; print a log with {_SACCT}",
    ),
    _Kind(
        lambda lines: _begins("Cluster", "ControlHost")(lines) or _begins("User", "Def", "Acct")(lines),
        f"this is what sacctmgr prints, accounts and no jobs; print a log with {_SACCT}",
    ),
    _Kind(
        lambda lines: any(_REPORT.match(line) for line in lines),
        f"this is what sreport prints, sums and no jobs; print a log with {_SACCT}",
    ),
    _Kind(
        lambda lines: _begins("Job", "ID:")(lines[:1]) and _begins("Cluster:")(lines),
        f"this is what seff prints of one job; print a log with {_SACCT}",
    ),
    _Kind(
        _matches(_EVENT),
        "these are events for a simulator of Slurm, of jobs that are to be submitted; open what it wrote of "
        "the jobs that ran, as its jobcomp log",
    ),
    _Kind(
        lambda lines: _begins("qname")(lines[:2]) and _begins("hostname")(lines[:3]),
        "this is what qacct -j prints; open the accounting file that it reads, "
        "$SGE_ROOT/default/common/accounting",
    ),
    _Kind(
        _begins("job-ID", "prior"),
        "this is what qstat prints, the queue at one moment, without the ends of jobs; open the accounting "
        "file of Grid Engine, $SGE_ROOT/default/common/accounting",
    ),
    _Kind(
        lambda lines: (
            _begins("Job", "id", "Name", "User")(lines)
            or _begins("Job", "ID", "Username")(lines)
            or _matches(_QSTAT)(lines)
        ),
        "this is what qstat prints, the queue at one moment, without the ends of jobs; open the accounting "
        "logs of PBS, server_priv/accounting, as a folder",
    ),
    _Kind(
        _begins("JOBID", "USER", "STAT", "QUEUE"),
        "this is what bjobs prints, the queue at one moment; open the accounting file of LSF, lsb.acct",
    ),
    _Kind(
        lambda lines: any(_SUMMARY.match(line) for line in lines),
        "this is what bhist or bacct prints for people to read; open the accounting file of LSF, lsb.acct",
    ),
    _Kind(
        lambda lines: _begins("ID", "OWNER", "SUBMITTED")(lines) or _begins("OWNER", "BATCH_NAME")(lines),
        "this is what HTCondor prints for people to read; print a log with condor_history -json",
    ),
    _Kind(
        _matches(_DAEMON),
        f"this is a log of messages of Slurm's daemons, not of jobs; print a log with {_SACCT}",
    ),
    _Kind(
        _matches(_DUMP),
        "this is a dump of a database; write the table of jobs to a CSV, with its header: "
        "mysql --batch -e 'select * from CLUSTER_job_table'",
    ),
    _Kind(
        _matches(_PBS_SERVER),
        "this is the log of messages of a daemon of PBS (server_logs), not of jobs; open the accounting logs "
        "beside it, server_priv/accounting, as a folder",
    ),
    _Kind(
        _matches(_LSF_EVENT),
        "this is lsb.events of LSF, the events of the queue; open the accounting file beside it, lsb.acct",
    ),
    _Kind(
        _matches(_MOAB_EVENT),
        "this is a log of events of Moab, which is not read; open the accounting logs of the batch system "
        "below it: server_priv/accounting of Torque as a folder, or print a log with sacct",
    ),
    _Kind(
        _is_maui,
        "this is a workload trace of Maui or Moab, which is not read; open the accounting logs of the batch "
        "system below it: server_priv/accounting of Torque as a folder, or print a log with sacct",
    ),
    _Kind(
        _is_spoilt,
        "a spreadsheet has changed this table: ids became numbers like 1.23E+06, and dates may be days since "
        "1900; open the file that the spreadsheet was made from, or import it there with all columns as text",
    ),
    _Kind(
        _is_yaml,
        "this is YAML, which is not read, such as Kubernetes or Volcano print; write a table of the jobs as "
        "CSV, with the columns job_id, submit, start, end, procs and user",
    ),
    _Kind(_matches(_SCRIPT), "this is a script, not the log of the jobs that it starts"),
    _Kind(
        _matches(_ANNEX),
        "this is a pointer of git-annex, not the file that it stands for; fetch it with git annex get",
    ),
)


def not_a_log(head: bytes) -> str | None:
    """A description of a file that is not a log, and advice; None if it may be a log."""
    # The order goes from what is certain by a mark to what only looks like something.
    text = head[:_LOOKED_AT].decode("utf-8", "replace")
    if _LFS.match(text):
        size = _LFS_SIZE.search(text)
        of = f" of {int(size[1]):,} bytes" if size else ""
        return (
            f"this is a pointer of Git LFS, not the file{of} that it stands for; fetch it with git lfs pull"
        )
    if _HTML.match(text):
        return (
            "this is a page of the web (HTML), not a log: a page about the file, or one that asks to log in; "
            "download the file itself"
        )
    if _XML.match(text.lstrip()):
        return "this is XML, which is not read; print a log as JSON (condor_history -json, sacct --json)"
    # The last line may be cut off, so that it is left out; long lines are cut.
    lines = [line[:_LONGEST] for line in text.split("\n")[:-1] if line.strip()][:_FIRST_LINES]
    return next((kind.words for kind in _KINDS if lines and kind.recognises(lines)), None)


def table_without_header(head: bytes, name: str) -> str | None:
    """A message if this is a table whose first line holds values instead of the names of its columns.

    The message ends with the command that reads the file `name` with a line of names above it.
    """
    lines = [line for line in head[:_LOOKED_AT].decode("utf-8", "replace").split("\n")[:-1] if line.strip()]
    lines, file = lines[:_FIRST_LINES], shlex.quote(name)
    if any(
        line.startswith(";") for line in lines
    ):  # a comment of the standard format, which has no such line
        return None
    for mark, words in (*_MARKS_OF_CELLS.items(), (None, "blanks")):
        counts = {len(line.split(mark)) for line in lines}
        # Blanks also part the words of a text: each line of a table has a number or a date.
        valued = mark is not None or all(any(map(_VALUE.match, line.split())) for line in lines)
        if len(counts) == 1 and valued and (columns := counts.pop()) > 2:
            heads = repr((mark or ",").join(_heads(columns)))[1:-1]
            rows = f"cat {file}" if mark is not None else f"tr -s ' \\t' , < {file}"
            return (
                f"this is a table of {columns} columns parted by {words}, without a line that names them; "
                "read it with such a line, the names in the order of its columns, other names for columns "
                f"that are none of these: (printf '{heads}\\n'; {rows}) | batchscope info -"
            )
    return None


def _heads(columns: int) -> list[str]:
    """The names to put above a table of so many columns; of very many the first few."""
    names = ["job_id", "submit", "start", "end", "procs", "user"]
    if columns < len(names) - 1:
        names = [*(["job_id"] if columns > 3 else []), "submit", "runtime", "procs"]
    further = [f"column{number}" for number in range(len(names) + 1, columns + 1)]
    return [*names[:columns], *further[:_NAMED_FURTHER], *(["..."] if len(further) > _NAMED_FURTHER else [])]


def columns_without_widths(head: bytes) -> str | None:
    """A message if this is sacct's output in columns without a line of dashes, which is unreadable."""
    first = head[:_LONGEST].decode("utf-8", "replace").lstrip().split("\n", 1)[0]
    if len(_SACCT_COLUMNS.intersection(first.split())) < _FEWEST_COLUMNS:
        return None
    return (
        "this is output of sacct in columns, but the line of dashes below the column names, which shows how "
        f"wide they are, is missing; print a log with {_SACCT}"
    )


def wide_encoding(head: bytes) -> str | None:
    """The encoding of a text of two or four bytes a letter, as Windows writes it; None of other files."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[::2], head[1::2]
    for letters, zeros, encoding in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if len(zeros) > 8 and zeros.count(0) > _MOST * len(zeros) and letters.count(0) < _FEW * len(zeros):
            return encoding
    return None


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MOST, _FEW = 0.9, 0.02  # shares of zero bytes at odd and even places in UTF-16
_MAGIC = (
    (b"%PDF", "a PDF"),
    (b"SQLite format 3\0", "a SQLite database; write the table of jobs to a CSV"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of Microsoft Office; save the sheet as CSV"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it, and open the folder"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it, and open the folder"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; write the table of jobs to a CSV or Parquet file"),
    (b"RDX3\n", "data of R; write the table of jobs with write.csv"),
    (b"X\n\0\0\0", "data of R; write the table of jobs with write.csv"),
    (b"ARROW1\0\0", "an Arrow (Feather) file; write the table of jobs to a Parquet file"),
    (b"PAR1", "a Parquet file in a pipe, or packed once more; write it to a file and give that"),
    (b"\x80\x04\x95", "a Python pickle, which is never read; write the table of jobs to a CSV"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x7fELF", "a program"),
)


def binary_kind(head: bytes) -> str:
    """A description of a binary file that begins like this."""
    return next((what for magic, what in _MAGIC if head.startswith(magic)), "a binary file")
