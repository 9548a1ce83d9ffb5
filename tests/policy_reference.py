"""Writes the reference of policies, `resources/guide/policies.md`, from the table of keys."""

from app.cli.grammar import reference
from tests.paths import ROOT

PAGE = ROOT / "resources" / "guide" / "policies.md"

if __name__ == "__main__":
    PAGE.write_text("\n".join(reference()) + "\n", encoding="utf-8")
