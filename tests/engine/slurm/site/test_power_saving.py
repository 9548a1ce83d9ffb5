"""The power saving of a site: read, told, and not taken for nodes that are down."""

from pathlib import Path

import pytest

from engine.slurm.conf.scontrol_output import down_nodes
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import lines_left_out
from engine.slurm.site.power_saving import PowerSaving, power_saving
from engine.slurm.site.site import Site

NODES = """NodeName=n[1-8] CPUs=4 State=CLOUD
PartitionName=batch Nodes=n[1-8] Default=YES
PartitionName=gpu Nodes=n[7-8]
"""
PROGRAMS = "SuspendProgram=/opt/off\nResumeProgram=/opt/on\n"


def site_of(folder: Path, settings: str) -> Site:
    (folder / "slurm.conf").write_text(NODES + settings)
    return read_site_at(folder / "slurm.conf")


def told(site: Site) -> list[str]:
    return [line for line in lines_left_out(site) if "Suspend" in line or "Resume" in line]


def test_one_sentence_tells_what_is_read_and_how_to_ask_what_it_costs(tmp_path: Path) -> None:
    text = f"SuspendTime=1800\nResumeTimeout=600\nSuspendTimeout=90\nSuspendExcNodes=n[1-2]\n{PROGRAMS}"
    site = site_of(tmp_path, text)
    assert power_saving(site.conf) == PowerSaving(1800, 600, 8, 2, ())
    assert told(site) == [
        "SuspendTime=1800: 6 nodes of 8 would be switched off when idle for 30m, and take up to "
        "ResumeTimeout, 10m, to be on again; here all nodes are always powered up. What that costs and "
        "saves: -p easy -p easy:power_off=30m with --power FILE"
    ]


@pytest.mark.parametrize(
    ("text", "kept", "ignored"),
    [
        ("SuspendExcNodes=n[1-4]:2,n8", 3, ()),
        ("SuspendExcNodes=n[1-2]:9", 2, ()),
        ("SuspendExcNodes=other1,n3", 1, ()),
        ("SuspendExcParts=gpu\nSuspendExcNodes=n7,n1", 3, ()),
        ("SuspendExcParts=none_such,gpu", 2, ("SuspendExcParts=none_such",)),
        ("SuspendExcNodes=n[1-", 0, ("SuspendExcNodes=n[1-",)),
        ("SuspendExcNodes=n[1,3]:x,n8", 1, ("SuspendExcNodes=n[1,3]:x",)),
        ("SuspendExcNodes=n[1,3]:1", 1, ()),
        ("SuspendExcNodes=n[x],n1", 1, ("SuspendExcNodes=n[x]",)),
        ("SuspendExcStates=PLANNED", 0, ("SuspendExcStates=PLANNED",)),
        ("SuspendExcNodes=(null)", 0, ()),
    ],
)
def test_nodes_that_stay_on(tmp_path: Path, text: str, kept: int, ignored: tuple[str, ...]) -> None:
    saving = power_saving(site_of(tmp_path, f"SuspendTime=60\n{text}\n{PROGRAMS}").conf)
    assert saving == PowerSaving(60, 60, 8, kept, ignored)


@pytest.mark.parametrize(
    "text", ["SuspendTime=-1", "SuspendTime=INFINITE", "ResumeTimeout=600", "SuspendTime=x"]
)
def test_without_a_time_no_node_is_switched_off(tmp_path: Path, text: str) -> None:
    site = site_of(tmp_path, f"{text}\n{PROGRAMS}")
    assert power_saving(site.conf) is None
    assert told(site) == []


def test_without_programs_slurm_switches_no_node_off(tmp_path: Path) -> None:
    site = site_of(tmp_path, "SuspendTime=900\nSuspendProgram=/opt/off\n")
    assert power_saving(site.conf) is None
    assert told(site) == ["SuspendTime=900: without ResumeProgram slurmctld switches no node off"]


def test_the_time_of_a_partition_is_told(tmp_path: Path) -> None:
    site = site_of(tmp_path, f"PartitionName=cloud Nodes=n1 SuspendTime=300\n{PROGRAMS}")
    assert told(site) == [
        "SuspendTime=300 of partition cloud: idle nodes are switched off there, here all nodes are always "
        "powered up"
    ]


def test_settings_as_they_are_printed(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text(
        "NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUTot=4 State=IDLE+CLOUD+POWERED_DOWN\n"
    )
    (tmp_path / "config").write_text(
        "Configuration data as of 2024-01-01T00:00:00\nSuspendTime             = 1800 sec\n"
        "SuspendProgram          = /opt/off\nResumeProgram           = /opt/on\n"
        "ResumeTimeout           = 300 sec\nSuspendExcNodes         = (null)\n"
        "SLURM_CONF              = /etc/slurm/slurm.conf\nSLURM_VERSION           = 23.11.4\n"
    )
    site = read_site_at(tmp_path)
    assert power_saving(site.conf) == PowerSaving(1800, 300, 1, 0, ())
    assert site.conf.down == ()


STATES = {
    "IDLE~": False,
    "IDLE#": False,
    "IDLE%": False,
    "IDLE!": False,
    "IDLE+CLOUD+POWERED_DOWN": False,
    "IDLE+POWERING_DOWN": False,
    "IDLE+POWER_DOWN": False,
    "MIXED+POWERING_UP": False,
    "ALLOCATED#": False,
    "IDLE+POWER": False,
    "DOWN~": True,
    "DOWN+CLOUD+POWERED_DOWN": True,
    "IDLE+DRAIN+POWERED_DOWN": True,
}


def test_nodes_that_are_powered_down_are_not_down() -> None:
    text = "\n".join(f"NodeName=n{k} CPUTot=4 State={state}\n" for k, state in enumerate(STATES))
    assert down_nodes(text) == tuple(f"n{k}" for k, down in enumerate(STATES.values()) if down)
