"""What is known to differ between Linux, macOS and Windows: all other modules ask here.

Only the standard library is imported: the set-up of a checkout reads this before anything is installed.
Where a user's files lie is left to platformdirs, and what a shortcut is called to Qt, which know the habits
of each system.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
"""Opens no link, where a system has that."""

BINARY = getattr(os, "O_BINARY", 0)
"""Reads and writes bytes as they are, which only Windows needs."""

NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opens a pipe without waiting for its other end, where a system has that."""

_ACL = "system.posix_acl_access"
_ENDING = ("SIGTERM", "SIGHUP", "SIGINT")


def is_linux() -> bool:
    """True on Linux, where Qt takes libraries and fonts from packages of the system."""
    return sys.platform.startswith("linux")


def needs_display() -> bool:
    """True where windows need a display server that the environment names (X or Wayland)."""
    return sys.platform not in ("win32", "darwin")


def system_name() -> str:
    """The name of the system as Python has it: `linux`, `darwin` (macOS), `win32` or another."""
    return sys.platform


def describe_system() -> str:
    """The system, its release and its processor, in words."""
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def machine() -> str:
    """The kind of processor, such as `x86_64`: code that is compiled for all of a kind runs on each."""
    return platform.machine()


def describe_processor() -> str:
    """What the processor is and can do, in the system's words: code for it runs on its like."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            first = file.read(8192).split("\n\n")[0]  # all are alike, and telling of hundreds takes long
    except OSError:
        return f"{machine()} {platform.processor()}"
    wanted = (
        "vendor",
        "model",
        "stepping",
        "flags",
        "CPU implementer",
        "CPU part",
        "CPU variant",
        "Features",
    )
    return "\n".join([machine(), *(line for line in first.splitlines() if line.startswith(wanted))])


def has_cycle_counter() -> bool:
    """True where any program may read a counter of the processor's cycles."""
    return machine().lower() in ("x86_64", "amd64")


def user_id() -> int | None:
    """The user whom files of this process belong to; None where files have no owners (Windows)."""
    return os.geteuid() if hasattr(os, "geteuid") else None


@cache
def is_private_group(group: int) -> bool:
    """True if only this user is in a group, as in the per-user groups that many systems create."""
    import grp
    import pwd

    try:
        user, entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group == user.pw_gid and entry.gr_name == user.pw_name and set(entry.gr_mem) <= {user.pw_name}


def has_acl(path: Path) -> bool:
    """True if further users may have rights to a file, which then appear as those of the group."""
    try:
        return _ACL in os.listxattr(path)
    except (OSError, AttributeError):
        return False


def umask() -> int:
    """The umask of new files. Where it can only be read by setting it, other threads may notice that."""
    try:
        for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    except (OSError, ValueError, IndexError):
        pass
    # Read by setting it: a strict one for that moment, and the old one at once again.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def process_exists(pid: int) -> bool:
    """True if a process may still be running. On Windows, where asking would end it, always."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def process_start(pid: int) -> int:
    """The start time of a process, in ticks since the system started; 0 where that is not known."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        return int(line.rpartition(")")[2].split()[19])  # the name, in brackets, may hold anything
    except (OSError, ValueError, IndexError):
        return 0


def end_group(leader: int) -> None:
    """End a process that leads a group, with what it started; on Windows, which has no groups, it alone."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:
            os.kill(leader, signal.SIGTERM)


def new_memory() -> int:
    """The descriptor of a new file without a name, in memory where the system has such; the caller closes it.

    A child that gets it shares what is mapped of it.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("batchscope")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def hands_on_files() -> bool:
    """Whether a child process can be given open files by their descriptors; not on Windows."""
    return os.name == "posix"


def limit_own_memory(most: int) -> None:
    """Let this process take at most so many bytes beside what it shares with others; not on Windows."""
    if hands_on_files():
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def end_signals() -> list[signal.Signals]:
    """The signals that end a process and that this system has: SIGTERM, SIGHUP (not on Windows), SIGINT."""
    return [signal.Signals[name] for name in _ENDING if hasattr(signal, name)]


def peak_bytes() -> int | None:
    """The largest resident memory so far in bytes; None on Windows, which has no such figure."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # other systems count in KiB


def resident_bytes() -> int | None:
    """Resident memory in bytes; where only the peak is known, that; None where nothing is."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return peak_bytes()


def address_space_limit() -> int | None:
    """Bytes of address space that this process may have (`ulimit -v`); None where there is no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def set_thread_niceness(nice: int) -> None:
    """Set the niceness of the calling thread; without effect except on Linux. Raises OSError."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)


def call_c_library(function: str, *arguments: int) -> None:
    """Call a function of the C library of Linux, if it has one of this name."""
    if is_linux():
        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*arguments)
