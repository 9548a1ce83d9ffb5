"""The logs of the Parallel Workloads Archive that can be fetched by name."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InputError
from engine.spelling import nearest

BASE = "https://www.cs.huji.ac.il/labs/parallel/workload/"
"""Where the archive lies; another server may have the same folders."""

_SUFFIX = ".swf.gz"


@dataclass(frozen=True)
class ArchiveLog:
    """A log: its short name, the folder and file of its newest cleaned version, and what machine it is of."""

    name: str
    folder: str
    stem: str
    about: str
    text_sha256: str = ""  # of the unpacked text, where it is known

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.stem + _SUFFIX

    def url(self, base: str = BASE) -> str:
        """Where it lies on a server."""
        return f"{base.rstrip('/')}/{self.folder}/{self.file}"


LOGS = tuple(
    ArchiveLog(*fields)
    for fields in (
        ("ANL-Intrepid", "l_anl_int", "ANL-Intrepid-2009-1", "Blue Gene/P at Argonne, 2009"),
        (
            *("CEA-Curie", "l_cea_curie", "CEA-Curie-2011-2.1-cln", "Curie at CEA, 2011 to 2012"),
            "b732a04aea71e2f154c8feee580be549d0bba1462bc91ec581944cb3dd6d442d",
        ),
        (
            *("CTC-SP2", "l_ctc_sp2", "CTC-SP2-1996-3.1-cln", "IBM SP2 at Cornell, 1996 to 1997"),
            "8e33a9b597e1ddda2d2164347bac08c9444e1a2620a7947df52f0a1622ec4cde",
        ),
        (
            *("HPC2N", "l_hpc2n", "HPC2N-2002-2.2-cln", "Seth, a Linux cluster in Umea, 2002 to 2006"),
            "77b8993c73ae438385f6c0015708251f52dc316267b03ac19a406fbea2802afa",
        ),
        ("KIT-FH2", "l_kit_fh2", "KIT-FH2-2016-1", "ForHLR II at Karlsruhe, 2016 to 2018"),
        (
            *("KTH-SP2", "l_kth_sp2", "KTH-SP2-1996-2.1-cln", "IBM SP2 at Stockholm, 1996 to 1997"),
            "fba36494c4e4257f72182e8b629ebb0bcb054b3b82851ef957445bd627adcc87",
        ),
        ("LPC-EGEE", "l_lpc", "LPC-EGEE-2004-1.2-cln", "a Linux cluster of a grid, 2004 to 2005"),
        ("NASA-iPSC", "l_nasa_ipsc", "NASA-iPSC-1993-3.1-cln", "iPSC/860 at NASA Ames, 1993"),
        ("SDSC-Par", "l_sdsc_par", "SDSC-Par-1996-3.1-cln", "Intel Paragon at San Diego, 1996"),
        ("SDSC-SP2", "l_sdsc_sp2", "SDSC-SP2-1998-4.2-cln", "IBM SP2 at San Diego, 1998 to 2000"),
        ("SDSC-BLUE", "l_sdsc_blue", "SDSC-BLUE-2000-4.2-cln", "Blue Horizon at San Diego, 2000 to 2003"),
    )
)
"""The logs, by name."""


def log_named(name: str) -> ArchiveLog:
    """The log of this name, in any case; its file name does too. Raises InputError."""
    plain = name.strip().lower().removesuffix(_SUFFIX)
    for log in LOGS:
        if plain in (log.name.lower(), log.stem.lower()):
            return log
    raise InputError(f"the list has no log {name!r}{nearest(name, [log.name for log in LOGS])}")
