"""Sessions, settings and layouts as data: JSON that people may have broken, and its earlier versions."""
