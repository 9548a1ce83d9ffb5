"""The runners of studies and searches: threads of this process, or workers of a Dask cluster.

Both give the same results, because runs are pure functions of their inputs (`engine.sweep.row`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any, Protocol, TypeVar

from engine.errors import InputError
from engine.simulation.control import Cancelled, thread_pool
from engine.sweep.run_input import program_digest
from engine.sweep.scheduler_check import ANSWER_S, check_scheduler

T = TypeVar("T")

RETRIES = 3
"""The most repetitions of a run whose worker was lost."""

OTHER_CODE = "the worker has other code"
"""The message of the ImportError by which a worker refuses a run."""

_POLL_S = 0.05
_REFUSED_PAUSE_S = 0.5
"""The pause of a worker with other code before it refuses a run, s."""

_DASK_FUTURES = ("distributed", "cfexecutor.py")
"""The folder and file of Dask's code that passes results to futures of this process."""


_LOGS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
"""The logs of Dask's client that have levels of their own."""


class Runner(Protocol):
    """An executor of the runs of a study."""

    pool: Executor
    local: (
        bool  # whether runs share memory with the caller, so that it can cancel them and see their progress
    )
    lost: tuple[type[Exception], ...]  # errors that the future of a lost run raises

    def share(self, value: Any) -> Any:
        """A handle for a large value that runs have in common, such as a trace, to pass to `submit`."""

    def avoid_refused(self) -> bool:
        """Send further runs to the workers that have this process's code; False where no worker has it."""

    def refused(self) -> list[str]:
        """The addresses of workers that have other code than this process, and so made no run."""

    def check_there(self) -> None:
        """Raise InputError where nothing is left that could make runs."""


class ThreadRunner:
    """Threads of this process: kernels run without the interpreter lock."""

    local = True
    lost: tuple[type[Exception], ...] = ()

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool: Executor = pool

    def share(self, value: Any) -> Any:
        """The value itself."""
        return value

    def avoid_refused(self) -> bool:
        """True: threads have the code of their process."""
        return True

    def refused(self) -> list[str]:
        """None: threads have the code of their process."""
        return []

    def check_there(self) -> None:
        """Nothing: threads are there as long as their process is."""


class DaskRunner:
    """The workers of a Dask cluster, each of which is sent the shared values of runs once.

    A worker with other code than this process executes no run, whenever it joins: each run is checked before
    it starts. A run that such a worker refused is submitted again, to the other workers.
    """

    local = False

    def __init__(self, client: Any, address: str) -> None:
        from distributed import KilledWorker

        # CancelledError: a row was made, but its worker was lost before the row was fetched. The last two
        # come from workers with other code: a refusal, or a missing module or attribute.
        self.lost: tuple[type[Exception], ...] = (KilledWorker, CancelledError, ImportError, AttributeError)
        self._client, self._address = client, address
        self._checking = _CheckingExecutor(client.get_executor(pure=False))
        self.pool: Executor = self._checking

    def share(self, value: Any) -> Any:
        """A reference to the value; workers that lack it are sent it again."""
        return self._client.scatter(value, broadcast=True, hash=False)

    def workers(self) -> list[str]:
        """The addresses of the workers that are there now."""
        return sorted(self._client.scheduler_info()["workers"])

    def avoid_refused(self) -> bool:
        """Send further runs to the workers that have this process's code; False where no worker has it."""
        fit = sorted(worker for worker, digest in self._digests().items() if digest == program_digest())
        if fit:  # preferred, not required: a run for workers that are all gone would wait for ever
            executor = self._client.get_executor(pure=False, workers=fit, allow_other_workers=True)
            self._checking.executor = executor
        return bool(fit)

    def refused(self) -> list[str]:
        """The addresses of workers that have other code than this process, and so made no run."""
        return sorted(worker for worker, digest in self._digests().items() if digest != program_digest())

    def check_there(self) -> None:
        """Raise InputError if the scheduler is lost: its runs would be repeated in vain."""
        try:
            check_scheduler(self._address)
        except InputError as error:
            raise InputError(f"the Dask scheduler was lost, and what is done is kept: {error}") from None

    def _digests(self) -> dict[str, Any]:
        """The digest of each worker's code, by its address; an exception where it gives none."""
        digests: dict[str, Any] = self._client.run(program_digest, on_error="return")
        return digests


class _CheckingExecutor(Executor):
    """Submits work to a Dask cluster, where only workers with this process's code execute it."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._check = _checker(program_digest())

    def submit(self, work: Callable[..., T], /, *given: Any, **named: Any) -> Future[T]:
        """The future of `work(*given, **named)`; it raises ImportError(OTHER_CODE) if the worker refuses."""
        return self.executor.submit(self._check, work, *given, **named)


def _checker(digest: str) -> Callable[..., Any]:
    """A function that executes work on a worker whose code has this digest, and refuses it elsewhere.

    It is made here, and not defined in the module, so that Dask sends its own code: a worker's other version
    of the module cannot take its place. The refusal is a built-in exception. Dask's own `Reschedule` would
    leave the choice of the next worker to the scheduler, and a run once never ended in that way.
    """
    pause_s, reason = _REFUSED_PAUSE_S, OTHER_CODE

    def carry_out_checked(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        import time

        try:
            from engine.sweep.run_input import program_digest as own_digest

            same = own_digest() == digest
        except Exception:  # other code may lack anything
            same = False
        # Without a pause it would fetch and refuse all waiting runs, faster than others execute any.
        if not same:
            time.sleep(pause_s)
            raise ImportError(reason)
        return work(*given, **named)

    return carry_out_checked


@dataclass(frozen=True)
class Lost:
    """The result of a run whose workers were lost more often than the allowed retries."""

    why: str


def made(
    runner: Runner, todo: Sequence[int], begin: Callable[[int, bool], Future[T]], look: Callable[[], object]
) -> Iterator[tuple[int, T | Lost]]:
    """The results of the runs `todo`, by their numbers, as they end.

    `begin` submits a run to the runner; its arguments are True if a lost worker requires a retry, and the
    run's earlier input. `look` is called while waiting. Closing the iterator stops the remaining runs.
    """
    number_of: dict[Future[T], int] = {}
    begun = dict.fromkeys(todo, 0)
    waiting: set[Future[T]] = set()
    try:
        while todo or waiting:
            for number in todo:
                future = begin(number, begun[number] > 0)
                number_of[future] = number
                begun[number] += 1
                waiting.add(future)
            # The poll has an end, so that a user who cancels is noticed.
            done, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
            look()
            todo = []
            # In order of the runs, whichever of them ended first.
            for future in sorted(done, key=number_of.__getitem__):
                number = number_of[future]
                try:
                    yield number, future.result()
                except Exception as error:
                    if not (isinstance(error, runner.lost) or _is_of_dask(error)):
                        raise
                    runner.check_there()
                    # a refusal costs no retry, as long as some worker could make the run
                    if str(error) == OTHER_CODE and runner.avoid_refused():
                        begun[number] -= 1
                    if begun[number] <= RETRIES:
                        todo = [*todo, number]
                    else:
                        why = f"the workers that made this run were lost: {type(error).__name__}"
                        yield number, Lost(why)
    finally:
        for future in number_of:
            future.cancel()


def _is_of_dask(error: Exception) -> bool:
    """Whether an error comes from Dask's passing of a result to this process.

    It happens where a worker dies just after its result was fetched: the result is here, while its run is
    already scheduled again, and Dask takes the result for the three parts of an error.
    """
    files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    return bool(files) and Path(files[-1]).parts[-2:] == _DASK_FUTURES


def runner_at(address: str, threads: int | None = None) -> AbstractContextManager[Runner]:
    """The workers of the Dask scheduler at an address; where there is none (`""`), so many threads of this
    process, by default one per core."""
    return dask_runner(address) if address else thread_runner(threads)


@contextmanager
def thread_runner(threads: int | None = None) -> Iterator[ThreadRunner]:
    """Threads, by default one per core; runs that have not begun at the end are dropped."""
    with thread_pool(threads or os.cpu_count() or 1) as pool:
        yield ThreadRunner(pool)


@contextmanager
def dask_runner(address: str) -> Iterator[DaskRunner]:
    """The workers of the scheduler at an address like `tcp://host:8786`.

    Raises InputError if Dask is not installed, no scheduler answers, it has no workers, or a worker has
    another version of the program, whose results could differ. A scheduler that is lost later is an
    InputError too.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError("a scheduler needs Dask: install batchscope[cluster]") from None
    check_scheduler(address)  # before creating a client, which would not release its threads
    try:
        client = Client(address, timeout=ANSWER_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}: {error}") from None
    with _silent_logs(), client:
        runner = DaskRunner(client, address)
        try:
            _check(client, address)
            yield runner
        except (InputError, Cancelled):
            raise
        except Exception:  # Dask has many for a scheduler that is lost
            runner.check_there()
            raise


@contextmanager
def _silent_logs() -> Iterator[None]:
    """A context in which Dask logs nothing: its tracebacks of a lost scheduler would bury the message."""
    before = {name: logging.getLogger(name).level for name in _LOGS}
    for name in _LOGS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _check(client: Any, address: str) -> None:
    try:
        digests = client.run(program_digest)
    except ModuleNotFoundError as error:
        raise InputError(f"a worker of {address} lacks a package: {error}") from None
    if not digests:
        raise InputError(f"the scheduler at {address} has no workers: dask worker {address}")
    # Workers of another version would give other numbers under the same names.
    for worker, digest in digests.items():
        if digest != program_digest():
            raise InputError(f"worker {worker} has another version of Batchscope")
