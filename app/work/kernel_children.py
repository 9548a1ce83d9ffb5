"""Child processes that compile kernels for a window's process, whose threads wait and can be cancelled."""

from __future__ import annotations

import pickle
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from app.work.child import command
from engine.compiler.compile_request import CompilationError, CompileRequest, compile_elsewhere
from engine.simulation.control import Cancelled, is_stopped

_LOOK_S = 0.02
"""Time after which a waiting thread looks whether it was cancelled."""

_MOST_CHILDREN = 2
"""Children that compile at the same time: each takes up to 400 MB."""

_END_S = 3.0

Child = subprocess.Popen[bytes]


@contextmanager
def compiling_in_children() -> Iterator[None]:
    """Let no kernel be compiled in this process meanwhile, but in children."""
    children = KernelChildren()
    compile_elsewhere(children.compile_kernel)
    try:
        yield
    finally:
        compile_elsewhere(None)
        children.close()


@dataclass(eq=False)
class _Job:
    """A kernel that is being compiled; the threads in `waiters` wait until `ended` is set."""

    request: CompileRequest
    waiters: int = 0
    child: Child | None = None
    answer: bytes | str = ""  # an entry of the cache, or the reason why there is none
    ended: threading.Event = field(default_factory=threading.Event)


class KernelChildren:
    """Children that compile, started when they are needed; any thread may call the methods.

    A thread of its own talks to the child for each kernel, so that those that wait for it can stop waiting.
    Once none waits any more, the child is killed. A child is used for the next kernel, if that comes soon.
    """

    def __init__(self, words: Sequence[str] | None = None) -> None:
        """`words` is the command that starts a child."""
        self._words = list(words or command("app.work.compile_on_request"))
        self._lock = threading.Lock()
        self._room = threading.Semaphore(_MOST_CHILDREN)
        self._jobs: dict[str, _Job] = {}  # by the purpose of the kernel
        self._idle: list[Child] = []
        self._threads: list[threading.Thread] = []
        self._closed = False

    def compile_kernel(self, request: CompileRequest) -> bytes:
        """Have a kernel compiled, and wait for its entry of the cache.

        Raises Cancelled if this thread's work is cancelled, and CompilationError.
        """
        job = self._join(request)
        try:
            # A wait of any length could not be cancelled.
            while not job.ended.wait(_LOOK_S):
                if is_stopped():
                    raise Cancelled
        finally:
            self._leave(job)
        if isinstance(job.answer, str):
            raise CompilationError(f"{request.module}.{request.name} could not be compiled: {job.answer}")
        return job.answer

    def close(self) -> None:
        """Kill the children; who still waits for them gets a CompilationError."""
        # Under the lock, and the flag first: no thread can start another child after this list is made.
        with self._lock:
            self._closed = True
            children = self._idle + [job.child for job in self._jobs.values() if job.child is not None]
            self._idle.clear()
            threads = list(self._threads)
        # Killing ends the reads of the threads, which are then joined; only then are the pipes closed.
        for child in children:
            child.kill()
        for thread in threads:
            thread.join(_END_S)
        for child in children:
            _end(child)

    def _join(self, request: CompileRequest) -> _Job:
        """The job of a kernel, begun if no other thread has; this thread waits for it from now on."""
        with self._lock:
            job = self._jobs.get(request.purpose)
            if job is None:
                job = _Job(request)
                thread = threading.Thread(target=self._carry_out, args=(job,), name="compiling", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # too little memory
                    raise CompilationError(str(error)) from None
                # Stored only when the thread runs: a job without a thread would be waited for without end.
                self._jobs[request.purpose] = job
                self._threads = [other for other in self._threads if other.is_alive()] + [thread]
            job.waiters += 1
        return job

    def _leave(self, job: _Job) -> None:
        """Stop waiting for a job; the last one to leave ends it."""
        with self._lock:
            job.waiters -= 1
            # The kernel is nobody's any more: its child is killed rather than left to compile for minutes.
            if job.waiters == 0:
                self._jobs.pop(job.request.purpose, None)
                if job.child is not None and not job.ended.is_set():
                    job.child.kill()

    def _carry_out(self, job: _Job) -> None:
        """The job's life in its thread."""
        try:
            with self._room:
                job.answer = self._asked(job)
        except OSError as error:
            job.answer = error.strerror or str(error)
        finally:
            job.ended.set()

    def _asked(self, job: _Job) -> bytes | str:
        """The answer of a child. Raises OSError if no child can be started."""
        while True:
            child, used = self._child_for(job)
            if child is None:
                return "the program ends"
            try:
                assert child.stdin is not None
                assert child.stdout is not None
                pickle.dump(job.request, child.stdin)
                child.stdin.flush()
                answer: bytes | str = pickle.load(child.stdout)
            except (OSError, EOFError, pickle.UnpicklingError):
                status = _end(child)
                if used:
                    continue  # it ended as it was not needed: another child is started
                return f"its process ended with status {status}"
            self._put_back(job, child)
            return answer

    def _child_for(self, job: _Job) -> tuple[Child | None, bool]:
        """A child for a job, and whether it was used before; None if nobody waits any more."""
        with self._lock:
            if self._closed or self._jobs.get(job.request.purpose) is not job:
                return None, False
            used = bool(self._idle)
            # Started within the lock: a job that is left meanwhile would leave its child behind.
            job.child = self._idle.pop() if used else self._start()
            return job.child, used

    def _start(self) -> Child:
        return subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _put_back(self, job: _Job, child: Child) -> None:
        with self._lock:
            job.child = None
            if not self._closed:
                self._idle.append(child)


def _end(child: Child) -> int:
    """Wait until a child is gone that was killed, or has nothing more to read; its exit status."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent
                pipe.close()
    try:
        return child.wait(_END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
