"""Conversion of a record of a PBS accounting log to a job."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from engine.errors import InputError
from engine.limits import MAX_NODES, MAX_SPEC, MAX_TASK_RAM
from engine.logs.formats.alea import parse_node_spec
from engine.logs.rows import WHOLE_BY_TASKS, JobRow, Tasks, format_hosts
from engine.logs.text.lengths import seconds_of
from engine.slurm.values.host_list import expand_hosts
from engine.trace.status import CANCELLED, COMPLETED, FAILED
from engine.trace.trace import MISSING

_ASKED, _USED = "Resource_List.", "resources_used."
_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([kmgtp]?)([bw]?)", re.ASCII | re.IGNORECASE)
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
_WORD = 8  # bytes
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
SLOTS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?(?:\*(\d{1,9}))?", re.ASCII)
_ACCESS = re.compile(
    r"(?:^|\s)(?:Resource_List\.|x=)(?:node)?(?:n)?accesspolicy[=:](\w{1,30})", re.ASCII | re.IGNORECASE
)
_VNODE_CPUS = re.compile(r":ncpus=(\d{1,9})\b", re.ASCII)
_MAX_NAME = 255
GPU_NAMES = ("gpus", "gpu", "ngpus")
_ALONE = frozenset(("excl", "exclhost"))
"""Words of `place` that give a job its virtual nodes, or hosts, for itself."""

_ALONE_ON_NODES = "#excl"
"""What follows the old request `nodes=2:ppn=4` of such a job."""

_PLACED = ("exec_host", "exec_vnode", _ASKED)
"""Beginnings of the keys that say how large a job is, and where it runs."""


def job_of(line: int, job_id: str, text: str, *, ended: bool, gone: bool = False) -> JobRow:
    """The job of a record, `key=value` after `key=value`; it has a runtime only if it `ended`."""
    values: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if equals:
            values.setdefault(key, value)
    ask = {key.removeprefix(_ASKED): value for key, value in values.items() if key.startswith(_ASKED)}
    start, end = _time(values.get("start")), _time(values.get("end"))
    used, cpu = (seconds_of(values.get(f"{_USED}{name}", ""), alone=1) for name in ("walltime", "cput"))
    # The times of the start and the end go before what PBS has counted.
    runtime = end - start if start > 0 and end >= start else MISSING if used is None else used
    size = _size_of(values, ask)
    alone = _asks_alone(ask) or access_policy(text) == "singlejob"
    submit = _time(values.get("ctime"))
    return JobRow(
        line=line,
        job_id=job_id.partition(".")[0],
        submit=submit if submit > 0 else _time(values.get("qtime")),
        eligible=_time(values.get("etime")),
        start=start if start > 0 else MISSING,
        runtime=runtime if ended else MISSING,
        walltime=seconds_of(ask.get("walltime", ""), alone=1) or MISSING,
        procs=size.procs or MISSING,
        allocated=size.allocated or MISSING,
        nodes=size.nodes or MISSING,
        ram=size.ram or MISSING,
        gpus=_gpus(ask),
        whole=_whole_nodes(size.tasks, len(size.hosts)) if alone else 0,
        status=_status(values.get("Exit_status"), ended, gone),
        user=values.get("user", ""),
        group=values.get("group", ""),
        queue=values.get("queue", ""),
        executable=values.get("jobname", ""),
        hosts=format_hosts(size.hosts),
        tasks=size.tasks,
        used={
            "cpu_used": cpu if ended and cpu is not None else MISSING,
            "ram_used": (_mebibytes(values.get(f"{_USED}mem", "")) or MISSING) if ended else MISSING,
        },
    )


class _Size(NamedTuple):
    """How large a job is, and on which nodes it ran; 0 for what a record does not say."""

    tasks: Tasks
    hosts: dict[str, int]  # CPUs on each
    procs: int
    allocated: int
    nodes: int
    ram: int  # MiB


def _size_of(values: dict[str, str], ask: dict[str, str]) -> _Size:
    """The size of a job: what it asks for, and where that is unsaid what it got."""
    # `select` is how PBS asks for nodes; `nodes` is how Torque and older versions of PBS do.
    tasks = _chunks(ask["select"]) if "select" in ask else _node_groups(ask.get("nodes", ""))
    hosts = _slots(values.get("exec_host", ""))
    allocated = _vnode_cpus(values.get("exec_vnode", "")) or sum(hosts.values())
    asked = sum(count * cpus for count, cpus, _, _ in tasks)
    procs = asked or _count(ask.get("procs", "")) or _count(ask.get("ncpus", "")) or allocated
    ram = _mebibytes(ask.get("mem", "")) or _mebibytes(ask.get("pmem", "")) * max(procs, 0)
    nodes = sum(count for count, *_ in tasks) or len(hosts)
    tasks_ram = sum(count * share for count, _, share, _ in tasks)
    # RAM that was asked for the job in all is spread evenly over its nodes, rounded up.
    if tasks and not tasks_ram and ram:
        tasks = tuple((count, cpus, -(-ram // nodes), gpus) for count, cpus, _, gpus in tasks)
    return _Size(tasks, hosts, procs, allocated, nodes, ram or tasks_ram)


def _asks_alone(ask: dict[str, str]) -> bool:
    """Whether a job asks for nodes that no other job shares."""
    place = set(ask.get("place", "").lower().split(":"))
    return bool(_ALONE & place) or ask.get("nodes", "").endswith(_ALONE_ON_NODES)


def allocated_cpus(text: str) -> int:
    """The CPUs that a record allocates to its job; 0 if it does not say."""
    words = dict(word.partition("=")[::2] for word in text.split() if word.startswith("exec_"))
    return _vnode_cpus(words.get("exec_vnode", "")) or sum(_slots(words.get("exec_host", "")).values())


def _vnode_cpus(text: str) -> int:
    """The CPUs of `(n1:ncpus=4)+(n2:ncpus=4)`."""
    return sum(int(cpus) for cpus in _VNODE_CPUS.findall(text))


def access_policy(text: str) -> str:
    """Who else may use a job's nodes with TORQUE or Moab, in small letters (`singlejob`); empty if unsaid."""
    match = _ACCESS.search(text)
    return match[1].lower() if match else ""


def with_size(text: str, sized: str) -> str:
    """The words of a record, with the size and the places of another record of the same job."""
    words = [word for word in sized.split() if word.startswith(_PLACED)]
    return " ".join((*words, *(word for word in text.split() if not word.startswith(_PLACED))))


def _whole_nodes(tasks: Tasks, hosts: int) -> int:
    """The whole nodes of a job that shares none: those on which it ran, unless its chunks tell."""
    chunks = sum(count for count, *_ in tasks)
    several = len(tasks) > 1 and chunks == hosts  # chunks of different sizes, each on a node of its own
    return WHOLE_BY_TASKS if several or not hosts else hosts


def _time(text: str | None) -> int:
    """Seconds since 1970, or MISSING."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 13 else MISSING


def _count(text: str) -> int:
    """The whole number; 0 for other texts."""
    return int(text) if _COUNT.fullmatch(text) else 0


def _mebibytes(text: str) -> int:
    """MiB of `1993mb`, `12.27M` or `256mw` (words of 8 bytes), rounded up; 0 where it cannot be read."""
    match = _MEMORY.fullmatch(text)
    if match is None:
        return 0
    amount, unit, kind = match.groups()
    size = float(amount) * _BYTES[unit.lower()] * (_WORD if kind.lower() == "w" else 1)
    return min(-int(-size // (1 << 20)), MAX_TASK_RAM)


def _chunks(text: str) -> Tasks:
    """Task groups of `2:ncpus=4:mem=8gb+1:ncpus=1`; empty if the text is too long."""
    if len(text) > MAX_SPEC:
        return ()
    groups = []
    for part in text.split("+"):
        first, *words = part.split(":")
        count = _count(first)
        attributes = dict(word.split("=", 1) for word in (words if count else (first, *words)) if "=" in word)
        cpus = _count(attributes.get("ncpus", "")) or 1
        gpus = sum(_count(attributes.get(name, "")) for name in GPU_NAMES)
        groups.append((count or 1, cpus, _mebibytes(attributes.get("mem", "")), gpus))
    return tuple(groups)


def _node_groups(text: str) -> Tasks:
    """Task groups of `4:ppn=8:avx+host1:ppn=2`, without RAM and GPUs."""
    return tuple((count, cpus, 0, 0) for count, cpus in parse_node_spec(text).groups) if text else ()


def _gpus(ask: dict[str, str]) -> int:
    """GPUs of the job, from any of the resources that contain them."""
    # A total goes before what is asked of each chunk.
    if total := _count(ask.get("ngpus", "")):
        return total
    for name in ("select", "nodes", "nodect"):
        total = 0
        for part in ask.get(name, "").split("+")[:MAX_SPEC]:
            # Each part is a count of chunks and what each of them has.
            first, *words = part.split(":")
            each = sum(
                _count(word.partition("=")[2]) for word in words if word.partition("=")[0] in GPU_NAMES
            )
            total += (_count(first) or 1) * each
        if total:
            return total
    return 0


def _slots(text: str) -> dict[str, int]:
    """CPUs on each node of `n1/0+n1/1+n2/0*4+n3/0-7,9` or `n[03-05]/0-3`; 0 if unknown (`n1/0*0`)."""
    cpus: Counter[str] = Counter()
    for part in text.split("+") if text else ():
        name, slash, slots = part.partition("/")
        count = 0 if slash else 1
        for slot in slots.split(",") if slash else ():
            match = SLOTS.fullmatch(slot)
            if match is not None:
                first, last, times = match.groups()
                count += max(int(last or first) - int(first) + 1, 0) * (1 if times is None else int(times))
        # TORQUE 6 writes neighbours with the same slots as a range: each of them has all of these slots.
        for host in _hosts_of(name, MAX_NODES - len(cpus)) if "[" in name else (name,):
            cpus[host[:_MAX_NAME]] += count
    return dict(cpus)


def _hosts_of(text: str, most: int) -> list[str]:
    """The hosts of `n[03-05]`, at most so many; the text itself where it is no such range."""
    try:
        return expand_hosts(text, most) or [text]
    except InputError:
        return [text]


def _status(exit_status: str | None, ended: bool, gone: bool) -> int:
    if not ended:
        return CANCELLED if gone else MISSING
    if exit_status is None:
        return CANCELLED if gone else MISSING
    return COMPLETED if exit_status == "0" else CANCELLED if gone else FAILED
