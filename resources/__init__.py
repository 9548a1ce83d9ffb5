"""What the program brings along."""

from __future__ import annotations

from pathlib import Path


def example_path() -> Path:
    """The bundled example: a trace with its machines file beside it."""
    return Path(__file__).parent / "example.swf.gz"


def studies() -> dict[str, Path]:
    """The ready-made studies by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "studies").glob("*.toml"))}


def template_path(kind: str) -> Path:
    """The file that a user begins own code of a kind with; there is `policy`."""
    return Path(__file__).parent / "templates" / f"{kind}.py"


def template_package_path() -> Path:
    """The folder of the package that a user begins a package of own code with."""
    return Path(__file__).parent / "templates" / "package"


def example_code_path(name: str) -> Path:
    """An example of own code, such as `wfp3` or `knn`."""
    return Path(__file__).parent / "examples" / f"{name}.py"


def references_path() -> Path:
    """The BibTeX entries of this program and of the papers that it implements."""
    return Path(__file__).parent / "references.bib"


def papers() -> dict[str, Path]:
    """The folders of the papers that this program implements, by name."""
    return {
        path.parent.name: path.parent
        for path in sorted((Path(__file__).parent / "papers").glob("*/paper.toml"))
    }


def guide_path() -> Path:
    """The user guide, in Markdown, with its pictures beside it."""
    return Path(__file__).parent / "guide" / "guide.md"


def icon_path() -> Path:
    """The icon of windows, 128 pixels wide."""
    return Path(__file__).parent / "desktop" / "batchscope-128.png"
