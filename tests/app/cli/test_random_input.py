"""Whatever is clicked, typed, dragged and chosen, the window goes on and ends well."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from tests.app.cli.faults import Faults
from tests.app.cli.random_input import Hand
from tests.app.cli.random_steps import ACTS, Step, random_steps, read_steps
from tests.app.cli.shorten_input import shortened
from tests.app.windows import site_log
from tests.paths import ROOT

STEPS = 200
LEAST_MADE = STEPS // 10
"""Others are passed over, since their target is not there."""

LIMIT_S = 240
ACTIONS = ["File > Open", "File > Quit", "Runs > Stop all simulations"]


def made(logs: Sequence[Path], *options: str) -> str:
    """The output of a run without a fault. At its limit the program itself prints where all threads are."""
    # The limit of the program comes before that of the process, so that it can say where it hangs.
    program = [sys.executable, "-m", "tests.app.cli.random_input", *map(str, logs), "--limit", str(LIMIT_S)]
    done = subprocess.run(
        [*program, *options],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S + 30,
    )
    last = done.stdout.splitlines()[-30:]
    assert (done.returncode, done.stderr) == (0, ""), "\n".join([*last, done.stderr])
    return done.stdout


def test_random_input_does_no_harm(kernels: None, site: Path, tmp_path: Path) -> None:
    """Two windows open three logs in turn."""
    logs = [site, site_log(tmp_path, "small.swf", jobs=5), site_log(tmp_path, "waits.swf", longest_wait=9000)]
    output = made(logs, "--seed", "1", "--steps", str(STEPS))
    assert len(read_steps(output)) == STEPS
    count = re.search(rf"^(\d+) of {STEPS} steps made$", output, re.MULTILINE)
    assert count is not None
    assert int(count[1]) >= LEAST_MADE


def test_a_step_without_a_target_is_passed_over(kernels: None, site: Path, tmp_path: Path) -> None:
    steps = [
        Step("click", kind="QLineEdit", place=1000, spots=((0.5, 0.5),)),
        Step("action", value="No > Such action"),
        Step("click", window=1, spots=((0.5, 0.5),)),
        Step("wait", value="1"),
    ]
    written = tmp_path / "steps.jsonl"
    written.write_text("\n".join(step.written() for step in steps))
    output = made([site], "--replay", str(written))
    assert output.count("passed over") == 3
    assert "1 of 4 steps made" in output


@pytest.mark.parametrize("last", [False, True])
def test_a_question_that_no_step_asked_does_not_hold_up_the_end(qapp: QApplication, last: bool) -> None:
    """As whether to save changes, asked when a file that was looked at turns out to be a log.

    The `last` comes while the loop of all steps is ended already.
    """
    box, patience, hand = QMessageBox(), QTimer(), Hand([], Faults())
    patience.setSingleShot(True)
    patience.timeout.connect(box.reject)
    if last:
        leave = hand._loop.quit
        hand._loop.quit = lambda: [leave(), box.exec()]
    else:
        QTimer.singleShot(0, box.exec)
    patience.start(2000)
    hand.make([])
    in_time = patience.isActive()
    patience.stop()
    QTest.qWait(50)  # until the timer of the hand has run out
    assert in_time


def test_the_steps_of_a_seed_are_always_the_same_and_are_read_as_they_are_written() -> None:
    steps = random_steps(7, 2000, ACTIONS, logs=3)
    assert steps == random_steps(7, 2000, ACTIONS, logs=3)
    assert steps[:50] != random_steps(8, 50, ACTIONS, logs=3)
    assert {step.act for step in steps} == set(ACTS)
    output = "\n".join(f"{number} {step.written()}\n   passed over" for number, step in enumerate(steps))
    assert read_steps(output) == steps


def test_a_failure_is_shortened_to_the_steps_that_it_needs() -> None:
    steps = [Step("wait", value=str(number)) for number in range(100)]
    needed = {"3", "50", "51"}
    assert shortened(steps, lambda rest: needed <= {step.value for step in rest}) == [
        step for step in steps if step.value in needed
    ]
