"""A server on this computer with the files of an archive, which can break off and forget ranges."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Archive:
    """What is served, by path; `asked` are the ranges of the requests, in order."""

    files: dict[str, bytes]
    base: str = ""
    breaks_after: int | None = None  # bytes of an answer
    knows_ranges: bool = True
    tells_length: bool = True
    leads_to: str = ""  # where each request is redirected to
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(archive: Archive) -> Iterator[Archive]:
    """Serve it on the loopback until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # All that is asked for is noted: tests count requests and look at their ranges.
            asked = self.headers.get("Range", "")
            archive.asked.append(asked)
            if archive.leads_to:
                self.send_response(302)
                self.send_header("Location", archive.leads_to)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = archive.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            # A server may ignore ranges; it then sends the whole file with status 200.
            match = re.fullmatch(r"bytes=(\d+)-", asked) if archive.knows_ranges else None
            begin = int(match[1]) if match is not None else 0
            if begin >= len(data):
                self.send_error(416)
                return
            self.send_response(206 if match is not None else 200)
            if match is not None:
                self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
            if archive.tells_length:
                self.send_header("Content-Length", str(len(data) - begin))
            self.end_headers()
            # The connection may break after so many bytes, as downloads do.
            self.wfile.write(data[begin:][: archive.breaks_after])

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    # Port 0: the system chooses one that is free.
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    archive.base = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield archive
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
