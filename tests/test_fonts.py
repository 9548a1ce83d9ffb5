"""The fonts of the tests hold for the programs that tests start, whatever the machine and its user prefer."""

import os
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

FONTS = ROOT / "tests" / "fonts"

PROGRAM = """
import sys
from PySide6.QtWidgets import QApplication, QLabel
application = QApplication([])
label = QLabel("A sentence is drawn in the same way on each machine.")
assert label.grab().save(sys.argv[1])
"""

PREFERENCES = f"""<?xml version="1.0"?>
<fontconfig>
  <dir>{FONTS}</dir>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>DejaVu Sans Mono</string></edit>
    <edit name="autohint" mode="assign"><bool>true</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintfull</const></edit>
  </match>
</fontconfig>
"""
"""Another font, and hinting, as a user or a machine may have set."""


def drawn(path: Path, home: Path, **variables: str) -> bytes:
    """The file of a picture that a program draws in the environment of the tests, with another home."""
    call = [sys.executable, "-c", PROGRAM, str(path)]
    homes = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    subprocess.run(call, env=os.environ | homes | variables, check=True, timeout=60)
    return path.read_bytes()


def test_a_program_that_a_test_starts_draws_the_same_under_other_preferences(tmp_path: Path) -> None:
    own = tmp_path / ".config" / "fontconfig" / "fonts.conf"
    plain = drawn(tmp_path / "plain.png", tmp_path)
    own.parent.mkdir(parents=True)
    own.write_text(PREFERENCES, "utf-8")
    assert drawn(tmp_path / "again.png", tmp_path) == plain
    assert drawn(tmp_path / "preferred.png", tmp_path, FONTCONFIG_FILE=str(own)) != plain
