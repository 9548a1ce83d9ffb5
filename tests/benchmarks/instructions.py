"""Counts of the instructions of compiled kernels on small fixed cases, which no noise of a machine changes.

What a kernel is called with is copied into a file, and its machine code is linked into a C program. That
maps the file at the addresses that the arguments hold, and makes the same call under callgrind: neither
Python nor the compiler is counted. It must leave the arrays as the call from Python did. The code
must be that for the generic processor: valgrind does not know all instructions of others, and it is the
same everywhere.

`NUMBA_CPU_NAME=generic python -m tests.benchmarks.instructions` prints the counts as JSON; with `--write`
it keeps them in `instruction_counts.json`, which `tests/engine/compiler/test_instructions.py` compares.
"""

import json
import mmap
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import Dispatcher

from engine.audit import audit_loop
from engine.audit.audit import audit
from engine.audit.table import ScheduleTable, table_of
from engine.compiler.packed_tuples import packed
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation import events
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.traces import make_trace

COUNTS = Path(__file__).with_name("instruction_counts.json")
WRITES = "--write"

PROCESSORS, NODES = 128, "16x8c"
BASE, SIZE = 1 << 32, 1 << 26
"""Where the C program maps the file, far from code, heap and stack; and how long the file is."""

_DRIVER = """
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
extern int kernel(void *result, void **error, %(types)s) __asm__("%(name)s");
static uint64_t result[16];
static void *error;
__attribute__((noinline)) int counted(void) { return kernel(result, &error, %(values)s); }
int main(int many, char **words) {
    int file = open(words[many - 1], O_RDWR);
    void *base = (void *)%(base)dUL;
    if (mmap(base, %(size)d, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != base) return 99;
    return counted();
}
"""

_CLOCKS = {"counted"}
"""Arrays of schedulers that tell how long something took."""

_objects: dict[str, bytes] = {}
"""Machine code that was kept in files, by the names of its libraries."""


class Image:
    """Copies of arrays in a file, with the addresses that they have in the C program."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("w+b") as file:
            file.truncate(SIZE)
            self._memory = mmap.mmap(file.fileno(), SIZE)
        self._start = np.frombuffer(self._memory, np.uint8).ctypes.data
        self._used = 0
        self._copies: dict[tuple[int, int], np.ndarray] = {}
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []
        self._clocks: set[int] = set()

    def copied(self, value: Any) -> Any:
        """A nest of tuples, numbers and arrays; parts of one array remain parts of one."""
        if isinstance(value, np.ndarray):
            return self._copy(value)
        if isinstance(value, tuple):
            clocks = [part for name, part in zip(value._fields, value, strict=True) if name in _CLOCKS]
            self._clocks |= {clock.ctypes.data for clock in clocks}
            return type(value)(*(self.copied(part) for part in value))
        return value

    def check(self) -> None:
        """See that the C program left what Python's call left, but for what a clock says."""
        for array, copy in self._pairs:
            if array.ctypes.data not in self._clocks:
                assert np.array_equal(array, copy, equal_nan=array.dtype.kind == "f"), "not the same call"

    def _copy(self, array: np.ndarray) -> np.ndarray:
        if isinstance(array.base, np.ndarray) and array.base.flags.c_contiguous:
            whole = self._copy(array.base)
            ahead = array.ctypes.data - array.base.ctypes.data
            first = whole.ctypes.data - self._start + ahead
            return np.frombuffer(self._memory, array.dtype, array.size, first).reshape(array.shape)
        key = (array.ctypes.data, array.nbytes)
        if key not in self._copies:
            self._copies[key] = self._own_copy(array)
            self._pairs.append((array, self._copies[key]))
        return self._copies[key].reshape(array.shape)

    def _own_copy(self, array: np.ndarray) -> np.ndarray:
        begin = self._used
        self._used += -(-max(array.nbytes, 1) // 64) * 64
        assert self._used <= SIZE
        copy = np.frombuffer(self._memory, array.dtype, array.size, begin).reshape(array.shape)
        copy[...] = array
        return copy

    def address(self, array: np.ndarray) -> int:
        """Where the C program finds a copy."""
        return array.ctypes.data - self._start + BASE

    def words(self, value: Any) -> int:
        """The address of the words of a nest of tuples, packed with the addresses in the C program."""
        words = np.array(packed(self.copied(value)).words)
        inside = (words >= self._start) & (words < self._start + SIZE)
        words[inside] += BASE - self._start
        return self.address(self._own_copy(words))


class Recorder:
    """Stands in for a kernel, and has each of its calls made again under callgrind."""

    def __init__(self, kernel: Dispatcher, folder: Path) -> None:
        self._kernel, self._folder = kernel, folder
        self.counted = 0

    def __call__(self, *given: Any) -> Any:
        image = Image(self._folder / "image")
        # Which compiled version is counted follows from the types, as in a call.
        types = tuple(getattr(argument, "_numba_type_", None) for argument in given)
        words: list[int] = []
        for argument in given:
            # Arrays are copied to known addresses of an image that the driver loads: the words are what the
            # kernel expects of an array, its size, its item size and its data.
            if isinstance(argument, np.ndarray):
                copy = image.copied(argument)
                words += [0, 0, copy.size, copy.itemsize, image.address(copy), copy.size, copy.itemsize]
            else:
                words.append(image.words(argument.value))
        # The kernel runs here too: afterwards both calls must have left the same arrays.
        result = self._kernel(*given)
        (compiled,) = [
            each
            for known, each in self._kernel.overloads.items()
            if all(mine in (None, theirs) for mine, theirs in zip(types, known, strict=True))
        ]
        self.counted += self._instructions(compiled, words, image.path)
        image.check()
        return result

    def _instructions(self, compiled: Any, words: list[int], image: Path) -> int:
        # Of a kernel from the cache the library has no object code: it was kept when it was loaded.
        library = compiled.library
        code = _objects.get(library.name) or library.serialize_using_object_code()[2][0]
        (self._folder / "kernel.o").write_bytes(code)
        source = _DRIVER % {
            "types": ", ".join(["int64_t"] * len(words)),
            "values": ", ".join(f"{word}L" for word in words),
            "name": compiled.fndesc.llvm_func_name,
            "base": BASE,
            "size": SIZE,
        }
        (self._folder / "driver.c").write_text(source, "utf-8")
        # Symbols that only Python needs stay open; addresses must not move, since the image has fixed ones.
        link = ("-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,noexecstack", "-lm")
        self._run("cc", "-O1", "driver.c", "kernel.o", "-o", "driver", *link)
        # Only what lies between two marks is counted, so that starting the driver is not.
        watch = ("--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=counted")
        text = self._run("valgrind", *watch, "./driver", str(image))
        return int(re.findall(r"Collected : (\d+)", text)[0])

    def _run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stderr


def count_all() -> dict[str, int]:
    """The instructions of each case."""
    _keep_objects()
    trace, short = fixed_trace(5000), fixed_trace(600)
    pool, nodes = Cluster.pool(PROCESSORS), parse_cluster(NODES)
    audited = table_of(simulate(trace, pool, parse_policy("easy")))
    return {
        "easy": _of_simulation(trace, pool, "easy"),
        "easy, with a decision log": _of_simulation(trace, pool, "easy", log=True),
        "easy, on nodes": _of_simulation(trace, nodes, "easy"),
        "fairshare-easy": _of_simulation(trace, pool, "fairshare-easy"),
        "conservative": _of_simulation(short, pool, "conservative"),
        "just": _of_simulation(short, pool, "just"),
        "plan": _of_simulation(short, pool, "plan"),
        "audit of easy": _of_audit(audited, pool, "easy"),
    }


def _of_simulation(trace: Trace, cluster: Cluster, policy: str, log: bool = False) -> int:
    chosen = parse_policy(policy)
    return _count(events, "_run_events", lambda: simulate(trace, cluster, chosen, log=log))


def _of_audit(table: ScheduleTable, cluster: Cluster, policy: str) -> int:
    chosen = parse_policy(policy)
    return _count(audit_loop, "_follow", lambda: audit(table, cluster, chosen))


def _count(module: Any, name: str, use: Callable[[], object]) -> int:
    """The instructions of all calls of a kernel, which is found under that name in its module."""
    kernel = getattr(module, name)
    use()  # compiled or loaded, and with nothing more to do for it
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(kernel, Path(folder))
        setattr(module, name, recorder)
        try:
            use()
        finally:
            setattr(module, name, kernel)
    return recorder.counted


def _keep_objects() -> None:
    """Have machine code kept that is loaded from files, since Numba drops it when it is linked."""
    take = JITCodeLibrary._set_compiled_object

    def keep(self: Any, code: bytes) -> None:
        _objects[self.name] = code
        take(self, code)

    JITCodeLibrary._set_compiled_object = keep


def fixed_trace(jobs: int) -> Trace:
    """Jobs from a generator of whole numbers, the same on every machine, that keep the processors busy."""
    numbers = _numbers(4 * jobs)
    gaps, runtimes, procs, slack = (
        np.array([next(numbers) for _ in range(jobs)], np.int64) for _ in range(4)
    )
    runtime = 1 + runtimes % 3600
    return make_trace(
        np.cumsum(gaps % 420),
        runtime,
        1 << procs % 6,
        walltime=runtime + slack % 1800,
        user=[f"u{index % 17}" for index in range(jobs)],
        cluster=Cluster.pool(PROCESSORS),
    )


def _numbers(many: int) -> Iterator[int]:
    state = 1
    for _ in range(many):
        state = state * 48271 % (2**31 - 1)
        yield state >> 8


if __name__ == "__main__":
    counts = json.dumps(count_all(), indent=1)
    print(counts)
    if WRITES in sys.argv[1:]:
        COUNTS.write_text(counts + "\n", "utf-8")
