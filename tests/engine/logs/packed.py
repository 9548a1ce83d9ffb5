"""Small archives of files."""

import io
import tarfile
import zipfile
from collections.abc import Iterable

Entries = Iterable[tuple[str, str | bytes]]
"""Names and texts."""


def zipped(entries: Entries, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, text in entries:
            archive.writestr(name, text)
    return data.getvalue()


def tarred(entries: Entries, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of these files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as archive:
        for name, text in entries:
            content = text if isinstance(text, bytes) else text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()
