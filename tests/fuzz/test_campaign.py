"""A campaign goes on after whatever a case does, and tells it."""

import os
import pickle
import random
import time
from pathlib import Path

import numpy as np

from tests.fuzz.campaign import run
from tests.fuzz.fuzzer import READ, Fuzzer, chance_of
from tests.fuzz.registry import FUZZERS


def _one_of_all(chance: random.Random, folder: Path) -> str:
    (folder / "input").write_text("kept where it went wrong")
    number = int(folder.name)
    if number == 1:
        raise TypeError("of a wrong type")
    if number == 2:
        time.sleep(60)
    if number == 3:
        os._exit(7)
    if number == 4:
        np.ones(1 << 28)
    return READ


def test_whatever_goes_wrong_is_reported_and_its_files_stay(tmp_path: Path) -> None:
    fuzzer = Fuzzer("", _one_of_all, seconds=0.8, mebibytes=64)
    tally = run("hostile", fuzzer, tmp_path / "kept", cases=6, seed=1)
    assert tally.outcomes == {READ: 2}
    assert [fault.number for fault in tally.faults] == [1, 2, 3, 4]
    ends = ("TypeError: of a wrong type", "no end after 0.8 s", "status 7", "MemoryError")
    for fault, end in zip(tally.faults, ends, strict=True):
        assert end in fault.text.strip().splitlines()[-1]
        assert (fault.folder / "input").exists()
    assert "in _one_of_all" in tally.faults[1].text  # where it hangs


def test_nothing_stays_where_all_was_well(tmp_path: Path) -> None:
    tally = run("hostile", Fuzzer("", _one_of_all), tmp_path / "kept", cases=3, seed=1, first=5)
    assert (tally.outcomes, tally.faults) == ({READ: 3}, [])
    assert not (tmp_path / "kept").exists()


def test_a_campaign_ends_when_its_time_is_up_and_says_how_many_cases_it_tried(tmp_path: Path) -> None:
    tally = run(
        "hostile", Fuzzer("", _one_of_all), tmp_path / "kept", cases=10**9, seed=1, first=5, seconds=0.5
    )
    assert tally.outcomes[READ] > 0
    assert tally.faults == []
    assert 0.5 <= tally.seconds < 30
    assert not (tmp_path / "kept").exists()


def test_a_case_is_the_same_whatever_came_before_it() -> None:
    assert chance_of(1, 5).random() == chance_of(1, 5).random() != chance_of(1, 6).random()


def test_every_fuzzer_can_be_handed_to_a_process_of_its_own() -> None:
    for name, fuzzer in FUZZERS.items():
        assert pickle.loads(pickle.dumps(fuzzer)).help == fuzzer.help, name
