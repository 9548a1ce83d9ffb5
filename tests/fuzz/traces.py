"""Damaged logs, plain and packed, and the files that lie beside them."""

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine.audit.table import read_table
from engine.limits import MAX_CPUS, MAX_DURATION, MAX_TIME
from engine.logs.nodes.share_fitting import fit_nodes
from engine.logs.nodes.shares import NodeShares, Occupation
from engine.logs.read import read_trace
from engine.logs.sacct.prints.fields import LAYOUTS
from engine.logs.sample import dump_sample
from engine.logs.text.tokens import tokenize
from engine.machine.cluster import Cluster, parse_cluster, read_machines
from engine.policy.policy import Policy
from engine.quantities import QUANTITIES, Jobs
from engine.reading.options import Reading
from engine.reading.read import machine_at, read_log_as
from engine.simulation.quality_notes import quality_notes
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.site_file import slurm_into
from engine.slurm.site.left_out import lines_left_out
from engine.slurm.site.site import read_site
from engine.trace import Trace
from engine.trace.clean import RULES
from engine.trace.columns import USED
from engine.trace.trace import Pieces
from tests.engine.logs.packed import tarred, zipped
from tests.engine.slurm.export.slurm_policies import random_policy
from tests.fuzz import sacct_samples, samples
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of
from tests.traces import make_trace

_PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    gzip.compress,
    bz2.compress,
    lzma.compress,
    lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True)),
)
_BOMB_PART = 1 << 20
_SHOWN = 1 / 8  # of the cases
_SIDE = 1_356_996_147  # the second at which the log's first job is submitted


def prepare() -> None:
    """Compile, or load, what splits numbers, fits shares on nodes, and finds overlaps and jobs too large.

    No case has to wait for that.
    """
    tokenize(np.frombuffer(b"1 2\n", np.uint8).copy())
    pieces = Pieces(np.array([0, 2, 4]), {"node": np.array([0, 1, 1, 2]), "cpus": np.array([2, 2, 4, 4])})
    shares = NodeShares(pieces, np.zeros(4, np.bool_))
    fit_nodes(shares, Occupation(shares, np.array([0, 0]), np.array([9, 9]), 3), np.zeros(3, np.int64))
    for machine in (Cluster.pool(2), parse_cluster("2x1c")):
        quality_notes(make_trace([0, 1], [5, 5], 1, wait=[0, 0], cluster=machine))


@dataclass(frozen=True)
class DamagedLog:
    """A case of a reader of logs: one of `texts`, damaged, with `words` that are hostile in its format.

    A value, no closure: it is handed to the process that tries cases.
    """

    texts: tuple[bytes, ...]
    words: tuple[str, ...] = ()

    def __call__(self, chance: random.Random, folder: Path) -> str:
        return _try_log(chance, folder, mutate(chance, self.texts, self.words))


# fmt: off
try_swf = DamagedLog((samples.SWF,))
_SACCT_TEXTS = (
    samples.SACCT, samples.SACCT_LINES, samples.SACCT_BARE, samples.SACCT_USED,
    sacct_samples.COMMAS, sacct_samples.TABS, sacct_samples.CARETS, sacct_samples.QUOTED,
    sacct_samples.WIDE, sacct_samples.NAMES, sacct_samples.JOB_TABLE,
)
try_slurm = DamagedLog(_SACCT_TEXTS, (
    " --dependency=", " -d after", "afterany:", "aftercorr:", ":", "?", "singleton", "7_", "_2",
    "|", "||", "c[1-999999999]", "c[1-1000000]", "[", "]", "+", "_[1-3]", "Mc", "Mn", "gres/gpu=", ",", "T",
    "Unknown", "UNLIMITED", "999999999999999G", "2020-01-01T12:00:00", "RUNNING", "CANCELLED by 7",
    ".batch", "9999-", "\x1f", "\x1e", '"', '""', '","', "^|^", ";", "\t", "\n", "JobID|Submit|Start|End",
    "sbatch ", "NULL", "4294967294", "-------- ", "1704103200", "T12:00:00+0100", "None assigned",
    "31/01/2020 12:00:00", "01/02/20 12:00", " | ", " days ",
    ".extern", "mem=", "gres/gpuutil=", "00:00.5", "9-", "K", "E",
))
try_condor = DamagedLog(samples.CONDOR, (
    " = ", "\n\n", "*** \n", '"', "\\", "[", "{", "null", "true", "1e999", "JobUniverse = 11\n",
    "MaxHosts = 999999999\n",
    "QDate = ", "JobStatus = 3\n", "@", ",", "RequestCpus = -1\n",
))
try_flux = DamagedLog(samples.FLUX, (
    '"jobs": [', "]", "{", "}", "\n", "null", "true", "-1", "1e999", "rank[0-999999999]/core[0-999999999]",
    "c[1-99999]", '"t_run": ', '"', "[" * 9000,
))
try_gwf = DamagedLog((samples.GWF,), (
    "\t", "-1", "\t\t", "#", "# MaxProcs: 9\n", "# UnixStartTime: 1e9\n", "BoT", "-1 " * 30, "nan", "1e300",
))
try_jobcomp = DamagedLog((samples.JOBCOMP,), (
    " JobState=", " Partition=", "UserId=(", "(1)", "=", " WorkDir=", " ArrayJobId=7", "HetJobOffset=",
    "RESIZING", "NodeCnt=0", "c[1-999999999]", "(null)", "Unknown", "UNLIMITED", "Tres=gres/gpu=9,mem=1T",
))
try_pbs = DamagedLog((samples.PBS,), (
    ";", ";E;", ";S;", ";D;", ";R;", "Resource_List.select=", "9:ncpus=4:mem=2gb+", "exec_host=c1/0-", "*",
    "resources_used.walltime=", "[]", "[7]", "+", "/", "kb", "tb", "mw", "exec_vnode=(a:ncpus=",
    "nodes=2:ppn=", "resources_used.cput=", "resources_used.mem=",
))
try_pieces = DamagedLog((samples.PBS_PIECES,), (
    ";", ";u;", ";c;", ";E;", ";R;", "exec_host=c[1-999999999]/0", "c[", "]", "exec_host=", "place=exclhost",
    "Resource_List.select=", "+", "/0*9", "start=", "end=", "run_count=2",
))
try_gridware = DamagedLog((samples.GRIDWARE,), (
    "{", "}", "null", "-1", "1e999", "NaN", '"usage":{', '"category":"', " -l ", "h_vmem=9t",
    "exclusive=TRUE", '"slots":', "000000", '"', "[" * 9000, "\n",
))
try_elastic = DamagedLog((samples.ELASTIC,), (
    "{", "}", "null", "-1", "1e999", '"@start":', '"@submit":"Unknown"', '"nodes":"c[1-999999999]"',
    '"_source":{', '"state":"RESIZING"', '"tres_alloc":"1=4,1001=9"', '"time_limit":4294967295', '"', "\n",
))
try_resized = DamagedLog((samples.RESIZED,), (
    "RESIZING", "REVOKED", "REQUEUED", "|", "+1", "+", "|b|", "|a|", "c[1-9]", "Unknown",
    "2020-01-01T12:00:00", "\n",
))
try_sge = DamagedLog((samples.SGE,), (
    ":", "::", "NONE", " -l ", "h_rt=", "h_vmem=9t", "mem_free=1.5T,", "gpu=9", "000", ",", "=",
))
try_lsf = DamagedLog((samples.LSF,), (
    '"', '""', '"JOB_FINISH"', "9*", "*", "rusage[mem=", "]", "#BSUB -W 9:", ' "" ' * 3000, "-1",
))
try_sacct_json = DamagedLog((samples.SACCT_JSON,), (
    '"jobs": [', "]", "{", "}", '"set": false', "null", "true", "NaN", "Infinity", "[" * 9000, "1e999", '"',
    '"steps": [', '"requested": ', '"type": "mem", "count": 9', '"seconds": 99999999999999',
))
try_batsim = DamagedLog((samples.BATSIM,), (
    '"jobs": [', '"profiles": {', '"nb_res": 9', "]", "{", "}", "null", "NaN", "-1e999", '"delay": 7', '"',
))
# fmt: on


def try_alea(chance: random.Random, folder: Path) -> str:
    """A log in Alea's format, mostly with a machines file beside it, which may be damaged too."""
    if chance.random() < 0.8:
        text = samples.MACHINES if chance.random() < 0.8 else mutate(chance, [samples.MACHINES])
        (folder / "log.swf.machines").write_bytes(text)
    words = ("{", "}", ",", "#excl", ":ppn=", "+", ":cl_big", "^", "+1:ppn=1" * 9000, ":host=big1" * 3000)
    return _try_log(chance, folder, mutate(chance, [samples.ALEA], words))


_FIELD_NAMES = (*LAYOUTS[0], "Any", "", "jobid", "|", "\x00", "9" * 2000)


def try_fields(chance: random.Random, folder: Path) -> str:
    """A dump of sacct whose fields someone names, rightly or not, and its first lines."""
    path = folder / "dump"
    path.write_bytes(mutate(chance, [samples.SACCT_BARE], ("|", "||", "JobID", "\n", "Unknown")))
    names = list(LAYOUTS[0])
    for _ in range(chance.randrange(4)):
        k = chance.randrange(len(names))
        names[k : k + chance.randrange(3)] = chance.sample(_FIELD_NAMES, chance.randrange(3))
        names = names or ["JobID"]
    given = chance.choice((",", "|", ", ")).join(names)
    found = outcome_of(lambda: dump_sample(path), str(path))
    return outcome_of(lambda: look_at(read_trace(path, fields=given)), str(path)) if given else found


def try_folder(chance: random.Random, folder: Path) -> str:
    """A folder of logs, of one format or of several, some of them packed."""
    log = folder / "logs"
    log.mkdir()
    kinds = (
        [samples.PBS, samples.SACCT]
        if chance.random() < 0.2
        else [chance.choice([samples.PBS, samples.SACCT])]
    )
    for number in range(chance.randrange(4)):
        data = mutate(chance, kinds)
        (log / f"day{number}").write_bytes(gzip.compress(data) if chance.random() < 0.3 else data)
    return outcome_of(lambda: look_at(read_trace(log)), str(log))


def try_packed(chance: random.Random, folder: Path) -> str:
    """A packed log that is damaged before or after it was packed, or unpacks to very much."""
    pack = chance.choice(_PACKERS)
    data = samples.SWF if chance.random() < 0.5 else mutate(chance, [samples.SWF])
    packed = pack(data)
    if chance.random() < 0.02:
        packed = pack(data * (_BOMB_PART // max(len(data), 1))) * chance.choice((10, 100, 300))
    return _try_log(chance, folder, mutate(chance, [packed]) if chance.random() < 0.8 else packed)


def try_archive(chance: random.Random, folder: Path) -> str:
    """A zip or a tar of logs, damaged before or after it was packed, in UTF-16 or packed inside, too."""
    # Most entries are whole, so that damage is also found behind good ones.
    entries = []
    for number in range(chance.choice((1, 1, 2, 3, 20))):
        data = samples.SACCT if chance.random() < 0.7 else mutate(chance, [samples.SACCT])
        if chance.random() < 0.2:
            data = data.decode(errors="replace").encode("utf-16")
        if chance.random() < 0.2:
            data = chance.choice(_PACKERS)(data)
        # Names that leave the folder, are very long or are in folders of their own.
        entries.append(
            (chance.choice(("day{}", "a/b/day{}.txt", "../{}", "é" * 200 + "{}")).format(number), data)
        )
    packed = zipped(entries) if chance.random() < 0.5 else tarred(entries)
    if chance.random() < 0.5:
        packed = mutate(chance, [packed], ("PK\x03\x04", "PK\x01\x02", "ustar", "\0" * 512, "11 path=a\n"))
    if chance.random() < 0.3:
        packed = chance.choice(_PACKERS)(packed)
    return _try_log(chance, folder, packed)


def try_machines(chance: random.Random, folder: Path) -> str:
    path = folder / "log.machines"
    path.write_bytes(mutate(chance, [samples.MACHINES]))
    return outcome_of(lambda: read_machines(path).capacity(), str(path))


def try_printed_nodes(chance: random.Random, folder: Path) -> str:
    """What a command prints of its nodes, damaged or mixed with another's."""
    path = folder / "nodes.txt"
    path.write_bytes(mutate(chance, samples.PRINTED_NODES, _NODE_WORDS))

    def look() -> None:
        machine = machine_at(str(path))
        assert all(name.isprintable() for name in machine.node_names())
        assert len(machine.capacity()) == machine.nodes

    return outcome_of(look, f"{folder}/")


_NODE_WORDS = (
    *(" = ", "resources_available.ncpus", "resources_available.mem", "host", "np", "pcpus", "down,", "-"),
    *(
        "1e99g",
        "999999999999999p",
        "\\ud800",
        "<!ENTITY a 'b'>",
        "&#0;",
        "&lt;",
        "{" * 9999,
        '"nodes":',
        "[0]",
    ),
)
"""Words that are hostile in lists of nodes."""


def try_slurm_conf(chance: random.Random, folder: Path) -> str:
    """A site's configuration, with a file that it includes and a `gres.conf`, and a policy put into it."""
    path = folder / "slurm.conf"
    # Files that it includes may be there, missing or damaged.
    for name, text in (("more.conf", samples.SLURM_MORE), ("gres.conf", samples.GRES_CONF)):
        if chance.random() < 0.7:
            (folder / name).write_bytes(
                mutate(chance, [text], _CONF_WORDS) if chance.random() < 0.5 else text
            )
    path.write_bytes(mutate(chance, [samples.SLURM_CONF], _CONF_WORDS))

    def look() -> None:
        conf = read_slurm_conf(path)
        site = read_site(path)
        assert all(text.isprintable() for text in lines_left_out(site))
        # Names of nodes and their number come from different lines of the file.
        assert sum(len(group.names) for group in conf.groups) == conf.machine.nodes
        _look_at_written(random_policy(chance), path, conf.machine)
        site.rules(1)

    return outcome_of(look, f"{folder}/")


def _look_at_written(policy: Policy, path: Path, machine: Cluster) -> None:
    """Put a policy into a file that can be read, and read what is written."""
    written = path.with_name("written.conf")
    written.write_text(slurm_into(policy, path).text, "utf-8", newline="")
    conf = read_slurm_conf(written)
    assert conf.machine == machine
    assert (conf.word("SchedulerType") == "sched/backfill") == (policy.depth == "all")
    kind = "priority/multifactor" if policy.order == "priority" else "priority/basic"
    assert conf.word("PriorityType") == kind


_CONF_WORDS = (
    *(
        "NodeName=",
        "Nodes=",
        "ALL",
        "c[1-1000000]",
        "DEFAULT",
        "\\\n",
        "#",
        "Gres=gpu:9",
        "7-0",
        "UNLIMITED",
        '"',
    ),
    *(
        "Include more.conf\n",
        "include slurm.conf\n",
        "NodeSet=s Feature=f\n",
        "CoreSpecCount=2",
        "CpuSpecList=0-3",
    ),
    *(
        "PriorityTier=3",
        "Priority=9",
        "PriorityFlags=NO_FAIR_TREE\n",
        "Name=gpu",
        "AutoDetect=nvml\n",
        "\r\n",
    ),
    *("State=FUTURE", "bf_interval=-1", "\\", "%c", "DownNodes=c001\n"),
)


def try_failures(chance: random.Random, folder: Path) -> str:
    """A file of failures of a log whose machine has nodes."""
    log, path = folder / "log.swf", folder / "log.swf.failures"
    log.write_bytes(samples.ALEA)
    (folder / "log.swf.machines").write_bytes(samples.MACHINES)
    path.write_bytes(mutate(chance, [samples.FAILURES], ("big", "small", " 0 1 2 3", str(_SIDE))))
    return outcome_of(lambda: look_at(read_trace(log)), str(path))


def try_power(chance: random.Random, folder: Path) -> str:
    """A file of the power of a machine, and one of prices beside it."""
    log, path, rates = folder / "log.swf", folder / "power.toml", folder / "rates.csv"
    log.write_bytes(samples.ALEA)
    (folder / "log.swf.machines").write_bytes(samples.MACHINES)
    path.write_bytes(samples.POWER if chance.random() < 0.3 else mutate(chance, [samples.POWER], ("[", "'")))
    rates.write_bytes(mutate(chance, [samples.RATES], (",", "-", "nan", "1e400", "\n")))
    return outcome_of(lambda: read_log_as(log, Reading(power=str(path))), f"--power {path}")


def try_schedule(chance: random.Random, folder: Path) -> str:
    """A schedule of another program, as CSV or in the standard format."""
    log = folder / "log.swf"
    log.write_bytes(samples.SWF)
    trace = read_trace(log)
    kind = chance.random()
    if kind < 0.2:
        path, text = folder / "schedule.parquet", mutate(chance, [_parquet()])
    elif kind < 0.8:
        path, text = (
            folder / "schedule.csv",
            mutate(chance, [samples.SCHEDULE], ("job_id", "start", ";", ",", "\t")),
        )
    else:
        path, text = folder / "schedule.swf", mutate(chance, [samples.SWF])
    path.write_bytes(text)
    return outcome_of(lambda: read_table(path, trace), str(path))


@cache
def _parquet() -> bytes:
    table = pa.table({"job_id": [1, 2, 3], "start": [60.0, 120.0, None], "procs": [1, 2, 3]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _try_log(chance: random.Random, folder: Path, data: bytes) -> str:
    path = folder / "log.swf"
    path.write_bytes(data)
    clean = {rule: chance.random() < 0.5 for rule in RULES if chance.random() < 0.2}
    seldom = chance.random() < _SHOWN
    return outcome_of(lambda: look_at(read_trace(path, clean=clean), shown=seldom), str(path))


def look_at(trace: Trace, *, shown: bool = True) -> None:
    """Check what holds for every trace; with `shown` also call what shows one, a third of a small case."""
    assert len(trace) > 0
    assert (np.diff(trace.submit) >= 0).all()
    # The bounds that readers promise and everything else relies on.
    for column, low, high in (
        (trace.submit, 0, MAX_TIME),
        (trace.runtime, 1, MAX_DURATION),
        (trace.walltime, 1, MAX_DURATION),
        (trace.procs, 1, MAX_CPUS),
        (trace.wait, -1, MAX_DURATION),
    ):
        assert low <= column.min()
        assert column.max() <= high
    assert len(trace.tasks.offset) == len(trace) + 1
    assert trace.tasks.offset[-1] == len(trace.tasks["cpus"])
    for names in (trace.user, trace.group, trace.queue, trace.executable):
        assert 0 <= names.codes.min() <= names.codes.max() < len(names.names)
    # Optional columns are missing as a whole, or have -1 where a value is.
    for name in USED:
        column = getattr(trace, name)
        assert column is None or (np.isfinite(column).all() and column.min() >= -1), name
    # Every quantity that the log alone gives is computed: division by zero shows up here.
    for quantity in QUANTITIES.values():
        if quantity.needs_log and quantity.available_in(trace):
            values = quantity.values(Jobs(trace))
            assert not isinstance(values, np.ndarray) or not np.isinf(values).any(), quantity.name
    assert 1 <= trace.cluster.cpus <= MAX_CPUS
    assert all(note.text.isprintable() for note in trace.notes)
    if shown:
        assert all(note.text.isprintable() for note in quality_notes(trace))
        trace.to_pandas()
