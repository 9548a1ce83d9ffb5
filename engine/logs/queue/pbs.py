"""The queue at one moment as `qstat -f` and `qstat -f -F json` print it, of OpenPBS, PBS Pro and TORQUE."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from engine.logs.text.lengths import seconds_of

if TYPE_CHECKING:
    from engine.logs.rows import JobRow

_STATES = {"R": "running", "E": "running", "Q": "waiting", "H": "waiting", "W": "waiting"}
_END = 1 << 40  # s from 1970; larger numbers are not times
_HELD = {"H": "JobHeldUser", "W": "BeginTime"}
_BEGUN = "B"  # an array some of whose tasks run


class PbsJob(NamedTuple):
    """A job under the keys by which `scontrol show job` has them; times in s, None where unknown."""

    keys: dict[str, str]
    elapsed: int
    waited: int
    limit: int | None


def is_qstat(text: str) -> bool:
    """True if a text begins like the output of `qstat -f`."""
    return bool(re.match(r"\s*Job Id: \S+", text))


def is_qstat_json(document: object) -> bool:
    """True of a document like those of `qstat -f -F json`."""
    return isinstance(document, dict) and isinstance(document.get("Jobs"), dict)


def read_qstat(text: str, time: int | None, most: int) -> tuple[list[PbsJob], int, int]:
    """The first `most` jobs of `qstat -f`, how many could not be read, and how many there are.

    `time` is when it was printed, in s from 1970.
    """
    # qstat folds long values: a line that begins with a tab continues the line before.
    blocks = re.split(r"(?:^|\n)(?=\s*Job Id: )", text.replace("\r", "").replace("\n\t", ""))
    blocks = [block.strip() for block in blocks if block.strip()]
    jobs: list[PbsJob] = []
    odd = 0
    for block in blocks[:most]:
        head, *lines = block.split("\n")
        attributes: dict[str, str] = {}
        for line in lines:
            key, equals, value = line.strip().partition(" = ")
            if equals:
                attributes[key.strip()] = value.strip()
        odd += not _add(jobs, head.removeprefix("Job Id:").strip(), attributes, time)
    return jobs, odd, len(blocks)


def read_qstat_json(document: dict[str, object], most: int) -> tuple[list[PbsJob], int, int, int | None]:
    """The same of its JSON, and when it was printed by its own account, s from 1970."""
    stamp = document.get("timestamp")
    time = None
    # In Python True is a number: it is no time.
    if isinstance(stamp, int | float) and not isinstance(stamp, bool) and 0 <= stamp < _END:
        time = int(stamp)
    entries = document["Jobs"]
    assert isinstance(entries, dict)
    jobs: list[PbsJob] = []
    odd = 0
    for job_id, entry in list(entries.items())[:most]:
        attributes: dict[str, str] = {}
        for key, value in entry.items() if isinstance(entry, dict) else ():
            # Nested resources get the names that they have in the text: Resource_List.ncpus.
            if isinstance(value, dict):
                attributes |= {f"{key}.{inner}": str(part) for inner, part in value.items()}
            else:
                attributes[key] = str(value)
        odd += not _add(jobs, str(job_id), attributes, time)
    return jobs, odd, len(entries), time


def _add(jobs: list[PbsJob], job_id: str, attributes: dict[str, str], time: int | None) -> bool:
    """Put a job into the list, if it runs or waits; whether it could be read."""
    from engine.logs.formats.pbs_job import job_of  # loads the compiler

    letter = attributes.get("job_state", "")
    if not job_id or not letter:
        return False
    # An array is a single entry: only its tasks that wait are of interest.
    tasks = _waiting_tasks(job_id, attributes, letter)
    if tasks == "":
        return True  # all of its tasks run or have ended
    if tasks is not None:
        job_id, letter = job_id.replace("[]", f"[{tasks}]", 1), "Q" if letter == _BEGUN else letter
    if letter not in _STATES:
        return True  # the job has ended, or is suspended
    # The reader of accounting records takes the same attributes.
    words = " ".join(f"{key}={value}" for key, value in attributes.items() if " " not in value)
    row = job_of(0, job_id, words, ended=False)
    ran = seconds_of(attributes.get("resources_used.walltime", ""), alone=1) or 0
    submit, start = (
        _date(attributes.get("qtime") or attributes.get("ctime", "")),
        _date(attributes.get("stime", "")),
    )
    # Some servers do not tell what a running job has used so far.
    if time is not None and start is not None and not ran and letter == "R":
        ran = max(time - start, 0)
    waited = max(time - submit, 0) if time is not None and submit is not None else 0
    limit = seconds_of(attributes.get("Resource_List.walltime", ""), alone=1)
    jobs.append(PbsJob(_keys(job_id, attributes, row, letter), ran if letter in "RE" else 0, waited, limit))
    return True


def _waiting_tasks(job_id: str, attributes: dict[str, str], letter: str) -> str | None:
    """The tasks of an array that wait, such as 5-99%3 (in TORQUE: all of them); None of other jobs."""
    if "[]" not in job_id:
        return None
    left = attributes.get("array_indices_remaining")
    if left is None:
        return attributes.get("job_array_request", "0" if letter != _BEGUN else "")
    most = attributes.get("max_run_subjobs", "")
    return "" if left in ("-", "") else f"{left}%{most}" if most.isdigit() and "%" not in left else left


def _keys(job_id: str, attributes: dict[str, str], row: JobRow, letter: str) -> dict[str, str]:
    nodes, procs = max(row.nodes, 1), max(row.procs, row.allocated, 1)
    tres = [f"cpu={procs}", f"node={nodes}"]
    tres += [f"mem={row.ram}M"] if row.ram > 0 else []
    tres += [f"gres/gpu={row.gpus}"] if row.gpus > 0 else []
    priority = attributes.get("Priority", "")
    return {
        "JobId": job_id.partition(".")[0],
        "UserId": attributes.get("Job_Owner", "").partition("@")[0],
        "Account": attributes.get("Account_Name", attributes.get("project", "")),
        "Partition": attributes.get("queue", ""),
        "State": _STATES[letter],
        "Reason": _HELD.get(letter, attributes.get("comment", "")),
        "TRES": ",".join(tres),
        "NtasksPerN:B:S:C": "1" if row.tasks else "0",
        "NodeList": ",".join(dict.fromkeys(re.findall(r"(?:^|\+)([^/+]+)", attributes.get("exec_host", "")))),
        # Priorities of a server are usually all equal: jobs are then in the order of the print.
        "Priority": priority if priority.isdigit() and priority != "0" else "",
    }


def _date(text: str) -> int | None:
    """A date as `Thu Jan  1 10:00:00 2026`, or s from 1970, in s from 1970 as if it were UTC."""
    if re.fullmatch(r"\d{1,12}", text, re.ASCII):
        return int(text)
    try:
        moment = datetime.strptime(" ".join(text.split()), "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return round((moment - datetime(1970, 1, 1)).total_seconds())
