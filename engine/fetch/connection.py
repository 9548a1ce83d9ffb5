"""HTTP connections that end: a server may send interim answers (status 100), but not for ever."""

from __future__ import annotations

import http.client
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from engine.words import clip

SCHEMES = ("http", "https")
"""Schemes of addresses that are fetched."""

_MOST_INTERIM = 10
"""Interim answers before the real answer; servers send one or none."""


def open_url(request: urllib.request.Request, timeout: float) -> Any:
    """The answer to a request, whose headers were read; `timeout` (s) is for each read from the server.

    Redirections are followed to http and https alone. Raises what `urllib.request.urlopen` raises, and
    HTTPException where only interim answers come or a redirection leads elsewhere.
    """
    return urllib.request.build_opener(_Http, _Https, _Redirections).open(request, timeout=timeout)


class _Answer(http.client.HTTPResponse):
    """An answer that gives up after _MOST_INTERIM interim responses; the standard library would wait for
    ever.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._status_lines = 0

    def _read_status(self) -> tuple[str, int, str]:
        self._status_lines += 1
        if self._status_lines > _MOST_INTERIM:
            raise http.client.HTTPException("the server sends interim answers without end")
        return super()._read_status()  # type: ignore[misc, no-any-return]


class _Connection(http.client.HTTPConnection):
    response_class = _Answer


class _SecureConnection(http.client.HTTPSConnection):
    response_class = _Answer


class _Redirections(urllib.request.HTTPRedirectHandler):
    """Redirections within the web; the standard library would follow them to servers of FTP too."""

    def redirect_request(
        self,
        request: urllib.request.Request,
        answer: Any,
        code: int,
        message: str,
        headers: http.client.HTTPMessage,
        url: str,
    ) -> urllib.request.Request | None:
        """The request to send to `url`. Raises HTTPException."""
        scheme = urlsplit(url).scheme.lower()
        if scheme not in SCHEMES:
            answer.close()
            raise http.client.HTTPException(
                f"the server redirects to {clip(scheme, 20)}, which is not fetched"
            )
        return super().redirect_request(request, answer, code, message, headers, url)


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a request of http."""
        return self.do_open(_Connection, request)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a request of https, with the certificates that the system trusts."""
        return self.do_open(_SecureConnection, request)
