"""A child process that starts Qt and prints what it finds: `python -m app.work.screen_probe`.

Qt ends the process where it finds no platform or a library is missing, which therefore is not the caller's.
"""

from __future__ import annotations

import json


def main() -> None:
    """Print the platform, the screens and the number of families of fonts as JSON."""
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication([])
    screens = [
        {
            "width": screen.size().width(),
            "height": screen.size().height(),
            "scale": screen.devicePixelRatio(),
            "dpi": round(screen.logicalDotsPerInch()),
        }
        for screen in application.screens()
    ]
    families = len(QFontDatabase.families())
    print(json.dumps({"platform": application.platformName(), "screens": screens, "fonts": families}))


if __name__ == "__main__":
    main()
