"""The check that a Dask scheduler answers at an address, before anything that comes from there is trusted.

Dask's messages may hold pickles, which run code when they are read: Dask reads some even where it is told to
deserialize nothing. Here only the first frame of a message is read, by msgpack, which makes numbers, texts,
lists and tables alone.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from engine.errors import InputError

ANSWER_S = 10.0
"""The time after which a scheduler that does not answer counts as absent, s."""

_MOST_BYTES = 1 << 26
"""Of an answer: some kB for each worker."""

_LENGTH = struct.Struct("Q")


def check_scheduler(address: str) -> None:
    """Raise InputError unless a Dask scheduler answers soon at an address of `tcp` or `tls`.

    For `tls` the certificates are those of Dask's configuration.
    """
    from distributed.comm import get_address_host_port

    # A plain connection fails at once where nobody listens.
    try:
        socket.create_connection(get_address_host_port(address), ANSWER_S).close()
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}: {error}") from None

    async def ask() -> Any:
        return await asyncio.wait_for(_identity(address), ANSWER_S)

    with ThreadPoolExecutor(1) as pool:  # the caller's thread may have an event loop that runs
        try:
            identity = pool.submit(asyncio.run, ask()).result()
        except InputError:
            raise
        except Exception as error:
            why = "it does not answer" if isinstance(error, OSError | TimeoutError) else _OTHERWISE
            raise InputError(f"what listens at {address} is no Dask scheduler: {why}") from None
    # A worker of Dask answers, too.
    if not isinstance(identity, dict) or identity.get("type") != "Scheduler":
        raise InputError(f"what listens at {address} is no Dask scheduler: {_OTHERWISE}")


_OTHERWISE = "it answers otherwise"


async def _identity(address: str) -> Any:
    """What the peer says of itself. Raises InputError without certificates; other errors of a bad peer."""
    from distributed.comm.addressing import parse_address
    from distributed.comm.registry import get_backend
    from distributed.security import Security

    scheme, place = parse_address(address)
    if scheme not in ("tcp", "tls"):
        raise InputError(f"{address}: a scheduler has an address like tcp://host:8786 or tls://host:8786")
    certificates = Security().get_connection_args("client")
    if scheme == "tls" and certificates["ssl_context"] is None:
        raise InputError(f"{address}: Dask's configuration names no certificates (distributed.comm.tls)")
    if scheme == "tcp" and certificates["require_encryption"]:
        raise InputError(f"{address}: Dask's configuration requires encryption: give a tls:// address")
    comm = await get_backend(scheme).get_connector().connect(place, deserialize=False, **certificates)
    try:
        await comm.write(comm.handshake_info())
        await _first_frame(comm.stream)  # the peer's handshake
        await comm.write({"op": "identity", "reply": True})
        return await _first_frame(comm.stream)
    finally:
        comm.abort()


async def _first_frame(stream: Any) -> Any:
    """The first frame of the next message: all but what was pickled. Raises ValueError for no message."""
    import msgpack
    from distributed.protocol.utils import unpack_frames

    (size,) = _LENGTH.unpack(await stream.read_bytes(_LENGTH.size))
    if size > _MOST_BYTES:
        raise ValueError("too long for an answer")
    frames, _ = unpack_frames(await stream.read_bytes(size), partial=True)
    return msgpack.loads(frames[0], use_list=False, strict_map_key=False)  # keys of tables may be lists


def is_open_to_others(address: str) -> bool:
    """True if whoever reaches the scheduler's host can use it: neither `tls` nor on this computer alone."""
    host = urlsplit(address if "://" in address else f"tcp://{address}")
    if host.scheme == "tls":
        return False
    try:
        return not ip_address(host.hostname or "").is_loopback
    except ValueError:
        return host.hostname != "localhost"
