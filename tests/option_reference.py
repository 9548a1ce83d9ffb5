"""Writes the page about Slurm's options, `resources/guide/slurm-options.md`, from their table."""

from engine.slurm.options.page import reference
from tests.paths import ROOT

PAGE = ROOT / "resources" / "guide" / "slurm-options.md"

if __name__ == "__main__":
    PAGE.write_text("\n".join(reference()) + "\n", encoding="utf-8")
