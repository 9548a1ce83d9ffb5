"""Accounting of PBS, Grid Engine and LSF under other names, with those parts alone that are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from engine.anonymous.names import NewNames
from engine.limits import MAX_SPEC
from engine.logs.formats import lsf, pbs, pbs_job, sge
from engine.logs.text.lengths import seconds_of

Renaming = Callable[[Iterable[str], NewNames], Iterator[str]]
"""The lines of a log under new names."""

_ASKED, _USED = "Resource_List.", "resources_used."
_PBS_NAMES = {"user": "user", "group": "group", "jobname": "job"}
_PBS_NUMBERS = frozenset(
    (
        *("ctime", "qtime", "etime", "start", "end", "Exit_status"),
        *(f"{_USED}{name}" for name in ("walltime", "cput", "mem")),
        *(f"{_ASKED}{name}" for name in ("walltime", "mem", "pmem", "procs", "ncpus")),
        *(f"{_ASKED}{name}" for name in pbs_job.GPU_NAMES),
    )
)
_SIZE = re.compile(r"-?[\d:.]{1,40}[kmgtp]?[bw]?", re.ASCII | re.IGNORECASE)
_CHUNK_WORDS = frozenset(("ncpus", "mem", "ppn", *pbs_job.GPU_NAMES))
_PLACES = frozenset(("free", "pack", "scatter", "vscatter", "shared", "excl", "exclhost"))
_POLICY = re.compile(r"single(?:job|user|account|group|qos|task)|uniqueuser|shared", re.ASCII)

_SGE_NAMES = {1: "host", 2: "group", 3: "user", 4: "job"}
_SGE_NUMBER = re.compile(r"[\d.eE+-]{1,40}", re.ASCII)
_SGE_VALUE = re.compile(r"[\w.]{1,40}", re.ASCII)

_LSF_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,9})?", re.ASCII)


def renamed_pbs(lines: Iterable[str], names: NewNames) -> Iterator[str]:
    """The records of jobs in an accounting log of PBS."""
    for line in lines:
        record = pbs.LINE.match(line)
        if record is None or record[2] not in pbs.OF_JOBS:
            continue
        number, dot, server = record[3].partition(".")
        job = number + (f".{names.new('cluster', server)}" if dot else "")
        yield f"{record[1]};{record[2]};{job};{' '.join(_pbs_words(record[4], names))}"


def _pbs_words(text: str, names: NewNames) -> Iterator[str]:
    """The words `key=value` of a record that the reader looks at."""
    values: dict[str, str] = {}
    # The first of equal keys counts, as for the reader.
    for word in text.split():
        key, equals, value = word.partition("=")
        if equals:
            values.setdefault(key, value)
    for key, value in values.items():
        if key in _PBS_NAMES:
            yield f"{key}={names.new(_PBS_NAMES[key], value)}"
        elif key == "queue" or (key in _PBS_NUMBERS and _is_amount(value)):
            yield f"{key}={value}"
        elif key == "Exit_status":  # no number: it failed all the same
            yield f"{key}=1"
        elif key == "exec_host":
            yield f"{key}={'+'.join(_pbs_slot(part, names) for part in value.split('+'))}"
        elif key == "exec_vnode":  # whose names are those of hosts once more, or of parts of them
            parts = (_chunk(part)[1] for part in value.split("+"))
            yield f"{key}={'+'.join(f'(v:{words})' for words in parts if words)}"
        elif key in (f"{_ASKED}select", f"{_ASKED}nodes", f"{_ASKED}nodect"):
            if len(value) > MAX_SPEC:  # which is not read
                continue
            chunks = (_chunk(part) for part in value.split("+"))
            yield f"{key}={'+'.join(f'{count}:{words}'.rstrip(':') for count, words in chunks)}"
        elif key == f"{_ASKED}place":
            yield f"{key}={':'.join(word for word in value.split(':') if word.lower() in _PLACES)}"
    if _POLICY.fullmatch(policy := pbs_job.access_policy(text)):
        yield f"x=naccesspolicy:{policy}"


def _is_amount(text: str) -> bool:
    """Whether this is a number, a size or a time in any of the forms that are read."""
    return _SIZE.fullmatch(text) is not None or seconds_of(text) is not None


def _pbs_slot(part: str, names: NewNames) -> str:
    """The slots of a host, `n1/0-3,8`; those that cannot be read stay such."""
    host, slash, slots = part.partition("/")
    kept = (slot if pbs_job.SLOTS.fullmatch(slot) else "x" for slot in slots.split(","))
    return names.new_hosts(host) + (f"/{','.join(kept)}" if slash else "")


def _chunk(part: str) -> tuple[int, str]:
    """How many nodes a part of a request asks for, and what of each, without names of nodes and properties.

    A part that begins with no number asks for one node.
    """
    first, *words = part.strip("()").partition("#")[0].split(":")
    count = int(first) if re.fullmatch(r"\d{1,9}", first, re.ASCII) else 0
    pairs = (word.partition("=") for word in (words if count else (first, *words)))
    # An amount that cannot be read is written as `x`, so that the words of the chunk stay.
    kept = [
        f"{key}={value if _SIZE.fullmatch(value) else 'x'}" for key, _, value in pairs if key in _CHUNK_WORDS
    ]
    return count or 1, ":".join(kept)


def renamed_sge(lines: Iterable[str], names: NewNames) -> Iterator[str]:
    """The records of jobs in an accounting file of Grid Engine."""
    for line in lines:
        fields = sge.fields_of(line)
        if line.startswith("#") or not sge.is_record(fields):
            continue
        yield ":".join(_sge_field(k, text, names) for k, text in enumerate(fields))


def _sge_field(place: int, text: str, names: NewNames) -> str:
    """A field of a record: names, numbers, and what was asked for; NONE for all else."""
    if place == 0:  # the queue
        return text
    if kind := _SGE_NAMES.get(place):
        return names.new_hosts(text) if kind == "host" else names.new(kind, text)
    if place == sge.FAILURE:  # `100 : assumedly after job`
        text = text.split(" ")[0]
    if place == sge.CATEGORY:
        asked = ((name, _plain(value)) for name, value in sge.asked_of(text).items() if name in sge.ASKED)
        kept = ",".join(f"{name}={value}" for name, value in asked if _SGE_VALUE.fullmatch(value))
        return f"-l {kept}" if kept else "NONE"
    if place == sge.PE_TASK and text not in ("NONE", ""):  # `1.node`: that it is a part of a job counts
        return "1.part"
    return text if _SGE_NUMBER.fullmatch(text) else "NONE"


def _plain(value: str) -> str:
    """A time in seconds, since colons part the fields of a record; other values as they are."""
    return str(seconds_of(value, alone=1)) if ":" in value else value


def renamed_lsf(lines: Iterable[str], names: NewNames) -> Iterator[str]:
    """The records of the ends of jobs in LSF's accounting."""
    for line in lines:
        if line.lstrip().startswith(lsf.FINISH):
            try:
                lsf.job_of(0, lsf.RecordWords(line))
            except ValueError:  # no whole record, which is not read
                continue
            yield " ".join(_lsf_words(lsf.RecordWords(line), names))


def _lsf_words(words: lsf.RecordWords, names: NewNames) -> Iterator[str]:
    """The words of a record in the order in which it is read; all other texts are empty."""
    yield lsf.FINISH
    words.skip(1)
    yield _quoted(words.text())  # the version
    yield from (_number(words) for _ in range(2))
    words.skip(1)
    yield "0"  # in place of the number of the user
    yield from (_number(words) for _ in range(6))
    yield _quoted(names.new("user", words.text()))
    yield _quoted(words.text())  # the queue
    yield _quoted(_lsf_asked(words.text()))
    yield from (_number(words) for _ in range(8))
    list(words.several())
    yield "0"  # hosts that were asked for
    hosts = [_lsf_host(text, names) for text in words.several()]
    yield from (str(len(hosts)), *map(_quoted, hosts))
    yield from (_number(words) for _ in range(2))  # the state, and a factor
    yield _quoted(names.new("job", words.text()))
    limit = lsf.LIMIT.search(words.text())
    yield _quoted(f"#BSUB -W {limit[1] or 0}:{limit[2]}" if limit else "")
    yield from (_number(words) for _ in range(lsf.USAGE + 1))
    yield _quoted(names.new("account", words.text()))
    yield from map(_known_number, words.rest())


def _number(words: lsf.RecordWords) -> str:
    return _known_number(words.text())


def _known_number(word: str) -> str:
    """A number as it is; of other words, as they stand there, what was asked for, without names."""
    return word if _LSF_NUMBER.fullmatch(word) else _quoted(_lsf_asked(word.strip('"')))


def _lsf_asked(text: str) -> str:
    """The RAM and the GPUs of requirements, which else name hosts and what they have."""
    parts = []
    if memory := lsf.MEMORY.search(text):
        parts.append(f"mem={memory[1]}{memory[2]}")
    if gpus := lsf.GPUS.search(text):
        parts.append(f"ngpus={gpus[1]}")
    return f"rusage[{':'.join(parts)}]" if parts else ""


def _lsf_host(text: str, names: NewNames) -> str:
    count, star, host = text.partition("*")
    return f"{count}*{names.new_hosts(host)}" if star and count.isdigit() else names.new_hosts(text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
