"""The process that those of a user's own code are forked from: it has loaded what each of them needs.

To load Python, NumPy and the compiler's library takes most of a second; to fork, a few ms. The server never
runs code of a user's own. It ends with the program that started it, and ends what it has forked by then.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import NamedTuple

from engine.own.running import take_niceness_of_program
from engine.system import end_group

BEGIN, END = b"b", b"e"
"""Messages of the program: begin a run, with FILES open files, or end it."""

MESSAGE = 9
"""Bytes of a message: its kind, and the number of the run."""

FILES = 4
"""Open files of a run: its connection, standard error, the state's memory, and that for longer arrays."""


class _Run(NamedTuple):
    number: int
    connection: socket.socket


def main() -> None:
    """Serve the program whose socket is the descriptor that the command line names, until it closes that."""
    # All that is loaded stays for the life of the process: to look through it for garbage is in vain, here
    # and in each fork, where that would copy its pages too.
    gc.disable()
    from engine.simulation.own import child  # once, for all that will be forked

    gc.freeze()
    gc.enable()

    take_niceness_of_program()
    program = socket.socket(fileno=int(sys.argv[1]))
    # A signal writes into one end of a pair of sockets, so that the loop waits for messages and ends of
    # processes in one place.
    ended, signalled = socket.socketpair()
    ended.setblocking(False)
    signalled.setblocking(False)
    signal.set_wakeup_fd(signalled.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only to be woken
    running: dict[int, _Run] = {}  # by process
    with selectors.DefaultSelector() as selector:
        selector.register(program, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            # All ends so far are told, however many signals there were.
            if ended in ready:
                with suppress(BlockingIOError):
                    ended.recv(1 << 10)
                _tell_ends(running)
            if program not in ready:
                continue
            message, files = _message(program)
            if len(message) < MESSAGE:
                break  # the program has ended
            kind, number = message[:1], int.from_bytes(message[1:])
            # A run is ended with all processes that it started.
            if kind == END:
                for process, run in running.items():
                    if run.number == number:
                        end_group(process)
                continue
            process = os.fork()
            # The child undoes what belongs to the server: signals, and the connections of other runs.
            if not process:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                selector.close()
                for other in (program, ended, signalled, *(run.connection for run in running.values())):
                    other.close()
                _lead_group(os.getpid())
                os.dup2(files[1], 2)
                child.main(files[0], *files[2:])
            _lead_group(process)  # in both, since either may be the first to need it
            # The child has its own copies.
            for file in files[1:]:
                os.close(file)
            running[process] = _Run(number, socket.socket(fileno=files[0]))
    # The program is gone: nobody waits for these runs any more.
    for process in running:
        end_group(process)


def _lead_group(process: int) -> None:
    """Make a process the leader of a group, which can be ended with all that it starts."""
    with suppress(OSError):  # it has done so itself, or has ended
        os.setpgid(process, process)


def _message(program: socket.socket) -> tuple[bytes, list[int]]:
    """The next message with the files that came with it; shorter where the program has ended."""
    message, files = b"", []
    while len(message) < MESSAGE:
        piece, more, *_ = socket.recv_fds(program, MESSAGE - len(message), FILES)
        if not piece:
            break
        message += piece
        files += more
    return message, files


def _tell_ends(running: dict[int, _Run]) -> None:
    """Tell the program how processes ended, in the last line of their connections."""
    for process in [*running]:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            connection = running.pop(process).connection
            with suppress(OSError):  # the program no longer listens
                connection.sendall(json.dumps({"status": os.waitstatus_to_exitcode(status)}).encode() + b"\n")
            connection.close()


if __name__ == "__main__":
    main()
