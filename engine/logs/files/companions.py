"""Files in folders and archives of logs that are not logs, recognised by their names."""

from __future__ import annotations

from pathlib import PurePath

_OF_LOGS = frozenset((".machines", ".failures"))
_DOCUMENTS = frozenset((".md", ".rst", ".pdf", ".docx", ".png", ".jpg", ".jpeg", ".svg"))
_PROGRAMS = frozenset((".py", ".ipynb", ".sh", ".toml", ".yaml", ".yml", ".conf"))
_CHECKSUMS = frozenset((".md5", ".sha1", ".sha256", ".sha512", ".sig", ".asc"))
_SUFFIXES = _OF_LOGS | _DOCUMENTS | _PROGRAMS | _CHECKSUMS
_STEMS = frozenset(
    ("readme", "license", "licence", "copying", "changelog", "citation", "md5sums", "sha256sums", "checksums")
)


def lies_beside(path: PurePath) -> bool:
    """Whether a file is not a log, by its name: a description, a program, a checksum."""
    suffix = path.suffix.lower()
    return suffix in _SUFFIXES or (suffix in ("", ".txt") and path.stem.lower() in _STEMS)
