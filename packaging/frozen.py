"""The entry point of a self-contained folder: the `batchscope` command, and its child processes.

Those are started as `PROGRAM -P -m MODULE WORDS`, as Python itself would be.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    inside = Path(sys._MEIPASS)  # PyInstaller's name for the folder with all that was packed
    os.environ["QT_PLUGIN_PATH"] = str(inside / "PySide6" / "Qt" / "plugins")
    if sys.argv[1:3] == ["-P", "-m"]:
        import runpy

        del sys.argv[:3]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        from batchscope.app.cli.entry import run_process

        run_process()
