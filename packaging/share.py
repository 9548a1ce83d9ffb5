"""The files below `share` of an installed program's prefix, for desktop and shell."""

from __future__ import annotations

from arguments import read_commands
from completions import completions
from environment import ROOT
from manual import man_pages

ID = "org.batchscope.Batchscope"
_DESKTOP = ROOT / "resources" / "desktop"
_PLACES = {
    "bash": "bash-completion/completions/batchscope",
    "zsh": "zsh/site-functions/_batchscope",
    "fish": "fish/vendor_completions.d/batchscope.fish",
}


def share_files(version: str, epoch: int) -> dict[str, bytes]:
    """The contents of the files, by their path below `share`."""
    from app.cli.main import make_parser

    commands = read_commands(make_parser())
    files = {f"man/man1/{name}": text.encode() for name, text in man_pages(commands, version, epoch).items()}
    files |= {_PLACES[shell]: text.encode() for shell, text in completions(commands).items()}
    files[f"applications/{ID}.desktop"] = (_DESKTOP / f"{ID}.desktop").read_bytes()
    files[f"metainfo/{ID}.metainfo.xml"] = (_DESKTOP / f"{ID}.metainfo.xml").read_bytes()
    files[f"mime/packages/{ID}.xml"] = (_DESKTOP / f"{ID}.xml").read_bytes()
    files["systemd/user/batchscope-queue.service"] = (_DESKTOP / "batchscope-queue.service").read_bytes()
    for path in sorted((ROOT / "resources" / "guide").glob("*.schema.json")):
        files[f"batchscope/{path.name}"] = path.read_bytes()
    files["icons/hicolor/scalable/apps/batchscope.svg"] = (_DESKTOP / "batchscope.svg").read_bytes()
    for path in sorted(_DESKTOP.glob("batchscope-*.png")):
        size = path.stem.rpartition("-")[2]
        files[f"icons/hicolor/{size}x{size}/apps/batchscope.png"] = path.read_bytes()
    return files
