import sys
import time
from pathlib import Path

import pytest

from app.work.own_command import output_of
from engine.errors import InputError
from engine.simulation.control import Cancelled


def _python(code: str) -> str:
    return f"{sys.executable} -c '{code}'"


def test_words_reach_the_command_as_they_are(tmp_path: Path) -> None:
    mark = tmp_path / "made"
    found = output_of(_python("import sys; print(sys.argv[1:])") + f' $HOME "a b" ; touch {mark}')
    assert found.strip() == f"['$HOME', 'a b', ';', 'touch', '{mark}']"
    assert not mark.exists()


def test_a_command_that_fails_is_reported_with_its_last_complaint() -> None:
    code = 'import sys; sys.stderr.write("one\\ntwo\\n"); sys.exit(3)'
    with pytest.raises(InputError, match="it ended with status 3: two"):
        output_of(_python(code))
    with pytest.raises(InputError, match="cannot be run"):
        output_of("/nowhere/squeue --json")
    with pytest.raises(InputError, match="quotation"):
        output_of("squeue '")
    with pytest.raises(InputError, match="empty"):
        output_of("  ")


def test_a_command_that_hangs_is_stopped_with_what_it_has_started() -> None:
    code = (
        "import subprocess, sys, time; "
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]); time.sleep(60)'
    )
    began = time.monotonic()
    with pytest.raises(InputError, match="no end after 1 s"):
        output_of(_python(code), seconds=1)
    assert time.monotonic() - began < 50


def test_it_is_stopped_on_demand() -> None:
    began = time.monotonic()
    with pytest.raises(Cancelled):
        output_of(_python("import time; time.sleep(60)"), stop=lambda: time.monotonic() > began + 0.3)
    assert time.monotonic() - began < 50


def test_noise_without_end_is_bounded_and_bytes_that_are_no_text_are_marked() -> None:
    with pytest.raises(InputError, match="more than 100,000 bytes"):
        output_of(_python('while True: print("x" * 1000)'), most=100_000)
    assert output_of(_python("import sys; sys.stdout.buffer.write(bytes([65, 255]))")) == "A\ufffd"
