"""The tuning of a process, each in one of its own: it holds for all that comes after."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

_SCRIPT = """
import gc, json, sys
import numpy as np
from app.work.process import tune_process, trim_heaps
from engine.system import resident_bytes

tune_process()
for _ in range(20):
    np.ones(4 << 20)  # of 32 MB: had the C library's own rule held, such sizes would be no longer large
before = resident_bytes()
arrays = [np.ones(1 << 17) for _ in range(200)]  # 1 MB each, 200 in all
held = resident_bytes()
first = arrays[0]
kept = arrays[::2]
del arrays  # each second one goes: they lie between others
freed = resident_bytes()
trim_heaps()
print(json.dumps([sys.getswitchinterval(), gc.get_threshold()[2], held - before, held - freed]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others have allocators of their own")
def test_threads_hand_over_soon_arrays_go_back_and_old_objects_are_left_alone() -> None:
    script = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(script, capture_output=True, text=True, check=True, timeout=60)
    interval, oldest, held, given_back = json.loads(done.stdout)
    assert interval <= 0.001
    assert oldest > 10**9
    assert held > 190 << 20
    assert given_back > 90 << 20


_IMPORTS = """
import linecache, sys
from PySide6.QtCore import QObject
from app.work.process import tune_process

assert hasattr(sys.modules["shibokensupport.feature"], "_mod_uses_pyside"), "PySide6 does it otherwise now"
tune_process()
import optparse  # read by nobody so far
assert not any("optparse" in name for name in linecache.cache)
parent = QObject()
child = QObject(parent)
child.setObjectName("child")
assert child.objectName() == "child" and parent.children() == [child]
"""


def test_sources_of_what_is_imported_are_not_read() -> None:
    subprocess.run([sys.executable, "-c", _IMPORTS], check=True, timeout=60)
