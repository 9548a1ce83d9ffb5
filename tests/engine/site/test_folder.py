"""A site's folder: files known by what stands in them, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.site.associations import Association, read_dump
from engine.site.folder import read_site_at

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nPriorityType=priority/multifactor\n"
SSHARE = """Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root|||0.000000|10|1.000000|
 root|root|1|0.003|0|0.0|1.0
 physics||60|0.6|5|0.5|
  physics|ann|parent|0.5|5|0.5|0.5
  optics||2|0.5|0|0.0|
   optics|bob|3|1.0|0|0.0|1.0
"""
DUMP = """# To edit this file start with a cluster line for the new cluster
Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'physics':Description='x':Organization='y':Fairshare=60
Parent - 'physics'
User - 'ann':DefaultAccount='physics':Fairshare=parent
noise
"""


def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(CONF)
    (tmp_path / "two").write_text(SSHARE)
    (tmp_path / "three").write_text("Name|Priority|GraceTime\nnormal|0|0\nhigh|100|0\n")
    (tmp_path / "four").write_text(
        "Configuration data as of 2026\nBOOT_TIME          = 2026-01-02T03:04:05\n"
    )
    (tmp_path / "five.bin").write_bytes(b"\x00\xff\x00")
    site = read_site_at(tmp_path)
    assert site.associations == (
        Association("root", "root", "root", 1.0),
        Association("physics", "", "root", 60.0),
        Association("physics", "ann", "physics", None),
        Association("optics", "", "physics", 2.0),
        Association("optics", "bob", "optics", 3.0),
    )
    assert site.qos == (("normal", 0.0), ("high", 100.0))
    assert site.boot == "2026-01-02T03:04:05"
    assert site.multifactor
    assert site.fair_tree


def test_a_dump_counts_what_it_cannot_read_and_a_second_file_is_named(tmp_path: Path) -> None:
    notes: list[str] = []
    found = read_dump(DUMP, notes)
    assert found[1:] == (
        Association("physics", "", "root", 60.0),
        Association("physics", "ann", "physics", None),
    )
    assert notes == ["sacctmgr dump: 1 line could not be read"]
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "a").write_text(DUMP)
    (tmp_path / "a.old").write_text(DUMP)
    assert "a.old: not read; a says the same" in read_site_at(tmp_path).notes


def test_a_folder_without_a_slurm_conf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "two").write_text(SSHARE)
    with pytest.raises(InputError, match=r"there is no slurm.conf in this folder"):
        read_site_at(tmp_path)
