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
        """The address on a server."""
        return f"{base.rstrip('/')}/{self.folder}/{self.file}"


_TEXTS = {
    "CEA-Curie": "b732a04aea71e2f154c8feee580be549d0bba1462bc91ec581944cb3dd6d442d",
    "CTC-SP2": "8e33a9b597e1ddda2d2164347bac08c9444e1a2620a7947df52f0a1622ec4cde",
    "HPC2N": "77b8993c73ae438385f6c0015708251f52dc316267b03ac19a406fbea2802afa",
    "KTH-SP2": "fba36494c4e4257f72182e8b629ebb0bcb054b3b82851ef957445bd627adcc87",
}
"""SHA-256 of unpacked texts, by name, where they are known."""

LOGS = tuple(
    ArchiveLog(*fields, _TEXTS.get(fields[0], ""))
    for fields in (
        ("ANL-Intrepid", "l_anl_int", "ANL-Intrepid-2009-1", "Blue Gene/P at Argonne, 2009"),
        ("CEA-Curie", "l_cea_curie", "CEA-Curie-2011-2.1-cln", "Curie at CEA, 2011 to 2012"),
        ("CIEMAT-Euler", "l_ciemat_euler", "CIEMAT-Euler-2008-1", "Euler at CIEMAT in Madrid, 2008 to 2017"),
        ("CTC-SP2", "l_ctc_sp2", "CTC-SP2-1996-3.1-cln", "IBM SP2 at Cornell, 1996 to 1997"),
        ("DAS2-fs0", "l_das2", "DAS2-fs0-2003-1", "DAS-2 at the Vrije Universiteit, 2003"),
        ("DAS2-fs1", "l_das2", "DAS2-fs1-2003-1", "DAS-2 at Leiden, 2003"),
        ("DAS2-fs2", "l_das2", "DAS2-fs2-2003-1", "DAS-2 at the University of Amsterdam, 2003"),
        ("DAS2-fs3", "l_das2", "DAS2-fs3-2003-1", "DAS-2 at Delft, 2003"),
        ("DAS2-fs4", "l_das2", "DAS2-fs4-2003-1", "DAS-2 at Utrecht, 2003"),
        ("HPC2N", "l_hpc2n", "HPC2N-2002-2.2-cln", "Seth, a Linux cluster in Umea, 2002 to 2006"),
        ("Intel-NetbatchA", "l_intel_netbatch", "Intel-NetbatchA-2012-1", "pool A of Intel's Netbatch, 2012"),
        ("Intel-NetbatchB", "l_intel_netbatch", "Intel-NetbatchB-2012-1", "pool B of Intel's Netbatch, 2012"),
        ("Intel-NetbatchC", "l_intel_netbatch", "Intel-NetbatchC-2012-1", "pool C of Intel's Netbatch, 2012"),
        ("Intel-NetbatchD", "l_intel_netbatch", "Intel-NetbatchD-2012-1", "pool D of Intel's Netbatch, 2012"),
        ("KIT-FH2", "l_kit_fh2", "KIT-FH2-2016-1", "ForHLR II at Karlsruhe, 2016 to 2018"),
        ("KTH-SP2", "l_kth_sp2", "KTH-SP2-1996-2.1-cln", "IBM SP2 at Stockholm, 1996 to 1997"),
        ("LANL-CM5", "l_lanl_cm5", "LANL-CM5-1994-4.1-cln", "CM-5 at Los Alamos, 1994 to 1996"),
        ("LANL-O2K", "l_lanl_o2k", "LANL-O2K-1999-2", "Origin 2000 at Los Alamos, 1999 to 2000"),
        ("LCG", "l_lcg", "LCG-2005-1", "the LHC computing grid, 2005"),
        (
            "LLNL-Atlas",
            "l_llnl_atlas",
            "LLNL-Atlas-2006-2.1-cln",
            "Atlas, a Linux cluster at Livermore, 2006 to 2007",
        ),
        ("LLNL-T3D", "l_llnl_t3d", "LLNL-T3D-1996-2", "Cray T3D at Livermore, 1996"),
        (
            "LLNL-Thunder",
            "l_llnl_thunder",
            "LLNL-Thunder-2007-1.1-cln",
            "Thunder, a Linux cluster at Livermore, 2007",
        ),
        ("LLNL-uBGL", "l_llnl_ubgl", "LLNL-uBGL-2006-2", "a small Blue Gene/L at Livermore, 2006 to 2007"),
        ("LPC-EGEE", "l_lpc", "LPC-EGEE-2004-1.2-cln", "a Linux cluster of a grid, 2004 to 2005"),
        (
            "METACENTRUM-2009",
            "l_metacentrum",
            "METACENTRUM-2009-2",
            "the Czech grid MetaCentrum, 2008 to 2009",
        ),
        (
            "METACENTRUM-2013",
            "l_metacentrum2",
            "METACENTRUM-2013-3",
            "the Czech grid MetaCentrum, 2013 to 2015",
        ),
        ("NASA-iPSC", "l_nasa_ipsc", "NASA-iPSC-1993-3.1-cln", "iPSC/860 at NASA Ames, 1993"),
        ("OSC-Clust", "l_osc", "OSC-Clust-2000-3.1-cln", "a Linux cluster in Ohio, 2000 to 2001"),
        ("PIK-IPLEX", "l_pik_iplex", "PIK-IPLEX-2009-1", "IBM iDataPlex at Potsdam, 2009 to 2012"),
        ("RICC", "l_ricc", "RICC-2010-2", "a Linux cluster at RIKEN, 2010"),
        ("SDSC-BLUE", "l_sdsc_blue", "SDSC-BLUE-2000-4.2-cln", "Blue Horizon at San Diego, 2000 to 2003"),
        ("SDSC-DS", "l_sdsc_ds", "SDSC-DS-2004-2.1-cln", "DataStar at San Diego, 2004 to 2005"),
        ("SDSC-Par-1995", "l_sdsc_par", "SDSC-Par-1995-3.1-cln", "Intel Paragon at San Diego, 1995"),
        ("SDSC-Par-1996", "l_sdsc_par", "SDSC-Par-1996-3.1-cln", "Intel Paragon at San Diego, 1996"),
        ("SDSC-SP2", "l_sdsc_sp2", "SDSC-SP2-1998-4.2-cln", "IBM SP2 at San Diego, 1998 to 2000"),
        ("SHARCNET", "l_sharcnet", "SHARCNET-2005-2", "ten clusters in Ontario, 2005 to 2007"),
        (
            "Sandia-Ross",
            "l_sandia_ross",
            "Sandia-Ross-2001-1.1-cln",
            "the cluster Ross at Sandia, 2001 to 2005",
        ),
        ("UniLu-Gaia", "l_unilu_gaia", "UniLu-Gaia-2014-2", "Gaia in Luxembourg, 2014"),
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
