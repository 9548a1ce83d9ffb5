"""Single cells of tables: amounts with units, counts, durations, and statuses."""

from __future__ import annotations

import math
import re

from engine.logs.tables.columns import JOULES, MIB
from engine.logs.text.lengths import UNLIMITED, seconds_of
from engine.logs.text.slurm_gpus import gpus_of
from engine.logs.text.slurm_words import UNKNOWN, status_of
from engine.trace.status import CANCELLED, COMPLETED, FAILED

NOTHING = frozenset(
    (
        *("", "na", "nan", "nat", "none", "null", "unknown", "n/a", "<na>", "#n/a", "(null)", "\\n"),
        *("-", "--", "?", "none assigned"),
    )
)
"""Words in cells for a missing value, in small letters."""

_AMOUNT = re.compile(r"([+-]?[\d.,'\u2019 \u00a0\u202f]*\d)\s*([a-z%/ ]*)", re.ASCII | re.IGNORECASE)
_POINT = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})", re.ASCII)
_GROUPS = {
    mark: re.compile(rf"\d{{1,3}}([{other} '\u2019\u00a0\u202f]\d{{3}})+", re.ASCII)
    for mark, other in ((".", ","), (",", "."))
}
_MEMORY = re.compile(r"([kmgtpe]?)(i?)b|([kmgtpe])i?([cn]?)")
_POWER = {"k": -10, "m": 0, "g": 10, "t": 20, "p": 30, "e": 40}
_COUNTED = re.compile(r"(cpu|core|processor|proc|slot|gpu|node|host|thread|vcpu)s?", re.IGNORECASE)
_IDS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}([ ,]\d{3})+", re.ASCII)
_EXIT = re.compile(r"(\d{1,5}):(\d{1,5})", re.ASCII)
_STATUS = {
    **dict.fromkeys(("true", "t", "yes", "y", "success", "successful", "succeeded", "ok", "done"), COMPLETED),
    **dict.fromkeys(
        ("finished", "complete", "passed", "pass", "exited", "completed_successfully"), COMPLETED
    ),
    **dict.fromkeys(("false", "no", "n", "failure", "error", "fail", "crashed", "exit", "aborted"), FAILED),
    **dict.fromkeys(("timed_out", "oom", "evicted", "lost", "terminated"), FAILED),
    **dict.fromkeys(("canceled", "killed", "deleted", "removed", "kill", "withdrawn", "stopped"), CANCELLED),
}


def number_of(text: str, decimal: str) -> float | None:
    """A number with `decimal` as the mark of decimals, and maybe marks between thousands."""
    digits = text.strip()
    sign = -1.0 if digits[:1] == "-" else 1.0
    digits = digits.lstrip("+-")
    whole, mark, rest = digits.rpartition(decimal) if decimal in digits else (digits, "", "")
    if _GROUPS[decimal].fullmatch(whole):
        whole = re.sub(r"\D", "", whole)
    plain = f"{whole}.{rest}" if mark else whole
    return sign * float(plain) if _POINT.fullmatch(plain) else None


def mebibytes_in(text: str, decimal: str) -> tuple[float, str] | None:
    """MiB of `16G`, `16384 MB` or `1,5 TiB`, and of what: `c` a CPU, `n` a node, empty for the job."""
    match = _AMOUNT.fullmatch(text)
    amount = None if match is None else number_of(match[1], decimal)
    if match is None or amount is None:
        return None
    # The word behind the number names the unit, and of what the amount is.
    unit = _MEMORY.fullmatch(match[2].strip().lower().replace("bytes", "b").replace("byte", "b"))
    if unit is None:
        return None
    power = unit[1] or unit[3] or ""
    return amount * (2.0 ** _POWER[power] if power else MIB["b"]), unit[4] or ""


def joules_in(text: str, decimal: str) -> float | None:
    """J of `5 kWh`."""
    match = _AMOUNT.fullmatch(text)
    amount = None if match is None else number_of(match[1], decimal)
    unit = None if match is None else JOULES.get(match[2].strip().lower())
    return None if amount is None or unit is None else amount * unit


def count_in(text: str, decimal: str) -> float | None:
    """A count like `4 cores` or `4 GPUs`, or thousandths as `500m`."""
    match = _AMOUNT.fullmatch(text)
    amount = None if match is None else number_of(match[1], decimal)
    if match is None or amount is None:
        return None
    unit = match[2].strip()
    if unit == "m" or unit.lower() in ("milli", "millicores", "millicpus"):
        return amount / 1000
    return amount if not unit or _COUNTED.fullmatch(unit) else None


def ids_in(text: str) -> int | None:
    """How many ids a list or range names, as `0-3,7`, `[4, 5]`, `0 1 2`, or the one id `12`; else None."""
    inner = text.strip().removeprefix("[").removesuffix("]").strip()
    parts = re.split(r"[\s,;]+", inner) if inner else []
    ranges = [_IDS.fullmatch(part) for part in parts]
    if not all(ranges):
        return None
    spans = [(int(found[1]), int(found[2] or found[1])) for found in ranges if found]
    return sum(last - first + 1 for first, last in spans) if all(a <= b for a, b in spans) else None


def lists_ids(text: str) -> bool:
    """True if a text is surely a list of ids: `0-3`, `4 5`, `[4]`, `0,1,2`; not `1,024`, `12 345`, `4,5`."""
    text = text.strip()
    if ids_in(text) is None or _GROUPED.fullmatch(text):
        return False
    apart = re.search(r"\d(?:-|[\s;]+|,\s+)\d", text)
    return apart is not None or text.startswith("[") or len(re.split(r"[\s,;]+", text)) > 2


def gpus_in(text: str, decimal: str) -> float | None:
    """GPUs in a count, or in Slurm's words as `gpu:a100:2`."""
    found = count_in(text, decimal)
    return found if found is not None else float(gpus_of(text)) or None


def length_in(text: str, _: str) -> float | None:
    """Seconds of a length as `seconds_of` reads it; infinite where there is no limit."""
    if text.lower() in UNLIMITED:
        return math.inf
    found = seconds_of(text, alone=1)
    return None if found is None else float(found)


def status_in(text: str, _: str = ".") -> int | None:
    """The status of a job, as in the Standard Workload Format; MISSING if it has not ended."""
    word = text.strip().lower().replace(" ", "_").replace("-", "_")
    if word in _STATUS:
        return _STATUS[word]
    found = status_of(text)
    return None if found == UNKNOWN else found


def exit_code(text: str, _: str = ".") -> int | None:
    """The exit code of a job: 0 for success; for `0:9` the signal after the colon."""
    match = _EXIT.fullmatch(text.strip())
    return None if match is None else int(match[1]) or int(match[2])
