"""The tuning of a process, each in one of its own: it holds for all that comes after."""

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
print(json.dumps([sys.getswitchinterval(), gc.isenabled(), held - before, held - freed]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others have allocators of their own")
def test_threads_hand_over_soon_arrays_go_back_and_nothing_is_collected_in_any_thread() -> None:
    script = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(script, capture_output=True, text=True, check=True, timeout=60)
    interval, collects, held, given_back = json.loads(done.stdout)
    assert interval <= 0.001
    assert not collects
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


_HOUSEKEEPER = """
import gc
from PySide6.QtCore import QCoreApplication, QTimer
from app.work.housekeeper import Housekeeper
from app.work.process import tune_process

class Node:
    pass

tune_process()
app = QCoreApplication([])
keeper = Housekeeper((), app)
"""

_YOUNG = """
import threading, weakref

threads = []
gc.callbacks.append(lambda phase, info: threads.append(threading.current_thread()))

def make():
    for _ in range(10_000):
        node = Node()
        node.itself = node
    nodes.append(weakref.ref(node))

nodes = []
worker = threading.Thread(target=make)
worker.start()
worker.join()
assert nodes[0]() is not None and not threads, "collected in a thread"
QTimer.singleShot(700, app.quit)
app.exec()
assert nodes[0]() is None, "not collected"
assert set(threads) == {threading.main_thread()}
keeper.shutdown()
"""


def test_young_garbage_is_collected_in_the_thread_of_the_window_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HOUSEKEEPER + _YOUNG], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


_FLOOD = """
looks = []
gc.callbacks.append(lambda phase, info: looks.append(info))
kept = [[Node()] for _ in range(50_000)]
assert len(gc.get_objects(generation=0)) > 50_000
QTimer.singleShot(700, app.quit)
app.exec()
assert not looks, looks
assert len(gc.get_objects(generation=0)) < 1_000 and len(gc.get_objects(generation=2)) > 50_000
keeper.shutdown()
"""


def test_a_flood_of_objects_becomes_old_without_a_look_that_would_hold_the_window() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HOUSEKEEPER + _FLOOD], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
