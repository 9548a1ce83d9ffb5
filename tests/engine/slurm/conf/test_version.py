"""The release of a file: by a comment, by what is printed beside it, by options that only some have."""

from pathlib import Path

import pytest

from engine.slurm.conf.slurm_conf import SlurmConf, read_slurm_conf
from engine.slurm.options.releases import ASSUMED, OLD


def _read(folder: Path, text: str) -> SlurmConf:
    (folder / "slurm.conf").write_text(f"NodeName=a[1-4] CPUs=2\n{text}\n")
    return read_slurm_conf(folder / "slurm.conf")


@pytest.mark.parametrize(
    ("text", "version", "says"),
    [
        ("", None, ""),
        ("# Slurm 22.05 here", (22, 5), "a comment names Slurm 22.05"),
        ("# for slurm version 24.05.2", (24, 5), "a comment names Slurm 24.05"),
        ("SelectType=select/cons_res", (23, 2), "select/cons_res is not known from Slurm 23.11 on"),
        ("RoutePlugin=route/default", (23, 2), "routeplugin is not known after Slurm 23.02"),
        ("HashPlugin=hash/k12", (24, 5), "hashplugin is known from Slurm 24.05"),
        ("FastSchedule=1", OLD, "FastSchedule is of Slurm 19.05 and older"),
        ("ControlMachine=h\n# slurm 21.08", (21, 8), "a comment names Slurm 21.08"),
    ],
)
def test_the_release_of_a_file_and_where_it_is_from(
    tmp_path: Path, text: str, version: tuple[int, int] | None, says: str
) -> None:
    conf = _read(tmp_path, text)
    assert (conf.version, conf.version_from) == (version, says)
    assert conf.release == (version or ASSUMED)
    new = conf.release >= (23, 11)
    assert conf.word("PriorityType") == ("priority/multifactor" if new else "priority/basic")


def test_a_printed_configuration_beside_counts_first(tmp_path: Path) -> None:
    (tmp_path / "config.txt").write_text(
        "Configuration data as of 2026-01-01T00:00:00\nSLURM_VERSION           = 23.11.4\n"
    )
    conf = _read(tmp_path, "PriorityWeightAge=1000 # slurm 20.11")
    assert (conf.version, conf.version_from) == ((23, 11), "config.txt beside it is of Slurm 23.11")
