"""The contents of sacct's fields: a grammar that distinguishes fields if delimiters do not.

Job names, comments and command lines may contain anything, including delimiters and line breaks. Ids, times,
counts, states and lists of nodes do not: columns are recovered with these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class FieldKind:
    """The possible contents of a field.

    `strict` matches the output of Slurm itself, `usual` most of it, `loose` also that of other programs. A
    field of a `free` kind may contain delimiters and line breaks, and `strict` describes only its beginning;
    a `name` is too unrestricted to detect wrong values.
    """

    name: str
    strict: re.Pattern[str]
    loose: re.Pattern[str]
    usual: re.Pattern[str]
    free: bool = False

    @property
    def distinctive(self) -> bool:
        """True if a value of another kind shows that columns are shifted."""
        return not self.free and self.name not in ("name", "any")

    def may_hold(self, text: str) -> bool:
        """True if a value of this kind may contain a text that is a delimiter elsewhere."""
        return self.free or all(letter in _LETTERS.get(self.name, "") for letter in text)

    def goes_on(self, part: str) -> bool:
        """True if a value may continue with this part, after a delimiter that it contains."""
        more = _MORE.get(self.name)
        return more is None or more.fullmatch(part) is not None


_MORE = {
    "id": re.compile(r"[\d:%-]+\]?(?:[+.].*)?", re.ASCII),
    "tres": re.compile(r"[^=]*=.*|[\w/:.+()-]+", re.DOTALL),
    "nodes": re.compile(r"[\w.\[\]-]*", re.ASCII),
    "name": re.compile(r"[\w.@+*\\$~-]*"),
}
"""Patterns of the parts of values after a delimiter within them, by kind."""

_LETTERS = {
    "id": ",-:%",
    "time": ":-/ ",
    "length": ":-. ",
    "count": ".-",
    "exit": ":",
    "state": " ",
    "memory": ".",
    "tres": ",=/:._- ()+",
    "nodes": ",-._ ",
    "words": ",.:-_=/ ()*+",
    "name": ",.-_ @+",
}
"""Characters, other than letters and digits, that are part of values of a kind and may also be delimiters."""


def _kind(
    name: str, strict: str, loose: str | None = None, usual: str | None = None, free: bool = False
) -> FieldKind:
    flags = re.ASCII | re.DOTALL if name not in ("name", "any", "free") else re.DOTALL
    wide = re.compile(loose or strict, flags | re.IGNORECASE)
    return FieldKind(name, re.compile(strict, flags), wide, re.compile(usual or strict, flags), free)


_NONE = r"||none|n/a|na|nan|nat|null|\\N|unknown|invalid|\(null\)|none assigned"
_AMOUNT = r"-?\d{1,20}(?:\.\d{1,12})?"
_LENGTH = r"-?(?:\d{1,8}-)?\d{1,12}(?::\d{1,9}){0,2}(?:\.\d{1,9})?"
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
_ISO_SECONDS = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?"

ID = _kind("id", r"\d{1,15}(?:_(?:\d{1,10}|\[[\d,:%.-]*\]?))?(?:\+\d{1,6})?(?:\.\w[\w+]{0,60})?\+?")
TIME = _kind(
    "time",
    rf"{_ISO}|0|\d{{9,13}}(?:\.\d{{1,9}})?|Unknown|None|",
    rf"{_ISO}|\d{{1,15}}(?:\.\d{{1,9}})?|(?=.*\d[-:/.]\d)[\w:+\-/., ]{{4,40}}{_NONE}",
    rf"{_ISO_SECONDS}|\d{{9,13}}|Unknown|None|",
)
_LENGTHS = (
    rf"{_LENGTH}|UNLIMITED|Partition_Limit|INVALID|",
    rf"{_LENGTH}|{_AMOUNT}|(?:[+-]?\d{{1,8}} days?,? ?(?:[+-]?\d+:\d+:\d+(?:\.\d+)?)?)"
    rf"|unlimited|infinite|partition_limit{_NONE}",
)
_CLOCK = r"(?:\d+-)?\d\d:\d\d:\d\d"
LENGTH = _kind("length", *_LENGTHS, rf"{_CLOCK}|\d\d:\d\d\.\d{{3}}|UNLIMITED|Partition_Limit|INVALID|")
SPAN = _kind("length", *_LENGTHS, _CLOCK)  # which sacct prints of each job and step
COUNT = _kind("count", rf"{_AMOUNT}[KMGTPE]?|", rf"{_AMOUNT}(?:e\+\d{{1,2}})?[KMGTPE]?B?[\w?/]?{_NONE}")
EXIT = _kind("exit", r"\d{1,6}:\d{1,6}|", rf"\d{{1,6}}:\d{{1,6}}|{_AMOUNT}{_NONE}")
STATE = _kind("state", r"[A-Z_]{1,20}\+?(?: by [\w.-]{1,40})?|", r"[\w ]{1,20}\+?(?: by [\w.-]{1,40})?|")
MEMORY = _kind(
    "memory", rf"{_AMOUNT}[KMGTP]?[cn]?|", rf"{_AMOUNT}(?:e\+\d{{1,2}})? ?[KMGTP]?i?B?[cn]?{_NONE}"
)
_RESOURCE = r"[\w/:.+()-]+(?:=[\w/:.()+-]*)?"
TRES = _kind(
    "tres",
    r"(?:[a-z\d][\w/:.-]*=[\w:.-]*(?:,[a-z\d][\w/:.-]*=[\w:.-]*)*)?",
    rf"(?:{_RESOURCE}(?:,{_RESOURCE})*)?{_NONE}",
)
_NODE = r"[\w.-]*(?:\[[\d,-]+\][\w.-]*)*"
NODES = _kind("nodes", rf"None assigned|\(null\)|{_NODE}(?:,{_NODE})*")
TASKS = _kind("id", r"(?:[\d:%-]+(?:,[\d:%-]+)*)?|NULL|\\N", rf"(?:[\d:%-]+(?:,[\d:%-]+)*)?{_NONE}")
WORDS = _kind("words", r"[\w,.:=/()*+ -]*", r"[\w,.:=/()*+;<>@#\[\] -]*")
NAME = _kind("name", r"(?:[\w.@+*\\$~-]+(?:[ ,][\w.@+*\\$~-]+)*)?", r"[^\n]*", r"[\w.@+*\\$~-]*")
PATH = _kind("free", r"/|~|None\b|$", r"", free=True)
COMMAND = _kind("free", r"(?:\S{0,400}/)?(?:sbatch|srun|salloc|scrontab)\b|None$|$", r"", free=True)
FREE = _kind("free", r"", free=True)
ANY = _kind("any", r"[^\n]*")
END = _kind("end", r"")

_KINDS: Mapping[FieldKind, str] = {
    ID: "JobID JobIDRaw",
    TIME: "Submit Eligible Start End",
    LENGTH: "Timelimit TotalCPU UserCPU SystemCPU Reserved Planned ResvCPU PlannedCPU AveCPU MinCPU",
    SPAN: "Elapsed CPUTime Suspended",
    COUNT: "AllocCPUS AllocNodes NNodes NCPUS ReqCPUS ReqNodes NTasks UID GID AssocID DBIndex "
    "ElapsedRaw CPUTimeRAW TimelimitRaw Priority QOSRAW Restarts ReservationId WCKeyID "
    "ConsumedEnergy ConsumedEnergyRaw ResvCPURAW PlannedCPURAW AveCPUFreq AveDiskRead "
    "AveDiskWrite AvePages AveRSS AveVMSize MaxDiskRead MaxDiskReadTask MaxDiskWrite "
    "MaxDiskWriteTask MaxPages MaxPagesTask MaxRSS MaxRSSTask MaxVMSize MaxVMSizeTask "
    "MinCPUTask SegmentSize",
    EXIT: "ExitCode DerivedExitCode",
    STATE: "State",
    MEMORY: "ReqMem",
    TRES: "ReqTRES AllocTRES ReqGRES AllocGRES TRESUsageInAve TRESUsageInMax TRESUsageInMaxNode "
    "TRESUsageInMaxTask TRESUsageInMin TRESUsageInMinNode TRESUsageInMinTask TRESUsageInTot "
    "TRESUsageOutAve TRESUsageOutMax TRESUsageOutMaxNode TRESUsageOutMaxTask TRESUsageOutMin "
    "TRESUsageOutMinNode TRESUsageOutMinTask TRESUsageOutTot",
    NODES: "NodeList MaxDiskReadNode MaxDiskWriteNode MaxPagesNode MaxRSSNode MaxVMSizeNode "
    "MinCPUNode FailedNode",
    WORDS: "Flags Reason Licenses Layout ReqCPUFreq ReqCPUFreqMin ReqCPUFreqMax ReqCPUFreqGov BlockID SLUID",
    NAME: "User Account Partition QOS QOSREQ Cluster Group Reservation WCKey McsLabel",
    PATH: "WorkDir",
    COMMAND: "SubmitLine",
    FREE: "JobName Comment AdminComment SystemComment Constraints Container Extra StdErr StdIn StdOut",
}

FIELDS: Mapping[str, str] = {name.lower(): name for names in _KINDS.values() for name in names.split()}
"""All fields that versions of sacct print, by their names in small letters."""

_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_KIND_OF |= {  # of slurmdbd's job table
    **dict.fromkeys(("tres_alloc", "tres_req"), TRES),
    "array_task_str": TASKS,
    **dict.fromkeys(
        (
            *("job_db_inx", "mod_time", "deleted", "array_max_tasks", "array_task_pending", "exit_code"),
            *("derived_ec", "id_assoc", "id_array_job", "id_array_task", "id_resv", "id_wckey", "mem_req"),
            *("het_job_id", "het_job_offset", "pack_job_id", "pack_job_offset", "kill_requid", "flags"),
            *("time_suspended", "track_steps", "state_reason_prev", "restart_cnt", "id_qos", "id_group"),
        ),
        COUNT,
    ),
}


def kind_of(field: str) -> FieldKind:
    """The kind of a field with this name; unknown for names that sacct does not have.

    An empty name is the text after the delimiter at the end of a line.
    """
    return _KIND_OF.get(field, ANY) if field else END
