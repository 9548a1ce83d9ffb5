"""Damaged settings and sessions."""

import json
import logging
import os
import random
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

from app.model.documents.document import Session
from app.model.settings import Settings, load_settings, save_settings, settings_path
from app.session.archive import read_session, write_session
from tests.fuzz import samples
from tests.fuzz.fuzzer import READ, REFUSED
from tests.fuzz.mutate import NUMBERS, WORDS, mutate
from tests.fuzz.outcome import outcome_of


def try_settings(chance: random.Random, folder: Path) -> str:
    """A settings file: it is read, in part or whole, or set aside; a program that runs can always start."""
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    logging.getLogger("app").setLevel(logging.ERROR)  # it warns of each that is broken
    path = settings_path()
    path.parent.mkdir()
    path.write_bytes(_damaged(chance, samples.SETTINGS))
    settings = load_settings()
    _check_types(settings)
    was_set_aside = path.with_suffix(".broken").exists()
    settings.fair_starts = not settings.fair_starts
    save_settings(settings)
    assert load_settings() == settings
    return REFUSED if was_set_aside else READ


def try_session(chance: random.Random, folder: Path) -> str:
    """A session: damaged in one of its documents, or as an archive."""
    path = folder / "a.batchscope"
    with zipfile.ZipFile(path, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        archive.writestr("session.json", _damaged(chance, samples.SESSION))
        archive.writestr("view.json", _damaged(chance, samples.VIEW))
    if chance.random() < 0.5:
        path.write_bytes(mutate(chance, [path.read_bytes()]))

    def read() -> None:
        session = read_session(path)
        assert isinstance(session, Session)
        again = folder / "again.batchscope"
        write_session(again, session)
        assert read_session(again) == replace(session, newer="")  # this version knows all that it writes

    return outcome_of(read, str(path))


def _damaged(chance: random.Random, document: bytes) -> bytes:
    """A document with damaged bytes, or with other values in some places."""
    if chance.random() < 0.5:
        return mutate(
            chance, [document], ('"', "{", "}", "[", "]", ",", ":", "null", "true", "NaN", "1e999", "\\ud800")
        )
    values = json.loads(document)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        _replace_one(chance, values)
    return json.dumps(values).encode()


def _replace_one(chance: random.Random, values: Any) -> None:
    """Another value somewhere in lists and objects that lie in one another."""
    while True:
        keys = list(values) if isinstance(values, dict) else range(len(values))
        if not keys:
            return
        key = chance.choice(keys)
        inner = values[key]
        if not isinstance(inner, dict | list) or chance.random() < 0.2:
            values[key] = _any_value(chance)
            return
        values = inner


def _any_value(chance: random.Random) -> Any:
    plain = (
        None,
        True,
        False,
        0,
        -1,
        1.5,
        1 << 64,
        1e308,
        float("nan"),
        float("inf"),
        [],
        {},
        [[]],
        {"": []},
    )
    # A word, a list, a number or a plain value, each as often.
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        return [chance.choice(plain)] * chance.choice((1, 2, 3, 500))
    return chance.choice(NUMBERS) if kind == 2 else chance.choice(plain)


def _check_types(settings: Settings) -> None:
    """Nothing of another type than its default has got in."""
    for name in get_type_hints(Settings):
        assert type(getattr(settings, name)) is type(getattr(Settings(), name)), name
