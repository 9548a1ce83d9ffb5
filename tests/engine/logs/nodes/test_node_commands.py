"""`pbsnodes -a` and `qhost` as the machine of a log."""

from pathlib import Path

import pytest

from engine.api import read
from engine.errors import InputError
from engine.logs.nodes.node_commands import read_printed
from engine.reading.read import machine_named
from tests.engine.logs.nodes import prints


def _read(folder: Path, text: str) -> tuple[str, list[str], tuple[str, ...]]:
    """The machine's spelling, its host names, and the notes."""
    path = folder / "nodes.txt"
    path.write_text(text)
    printed = read_printed(path)
    assert printed is not None
    return printed.machine.spelling, printed.machine.node_names(), printed.notes


@pytest.mark.parametrize(
    ("text", "machine", "names"),
    [
        (prints.TORQUE, "16c64400m1gpu+16c1gpu", ["n1.site.org", "n2.site.org"]),
        (prints.PBS_JSON, "2x64c515305m4gpu", ["n1", "n2"]),
        (prints.QHOST, "2x40c193126m", ["n1", "n2"]),
        (prints.QHOST_OLD, "48c128102m+4c512m", ["n1", "n2"]),
        (prints.QHOST_XML, "2x40c193126m", ["n1.site.org", "n2.site.org"]),
    ],
)
def test_nodes_are_read_from_every_form(tmp_path: Path, text: str, machine: str, names: list[str]) -> None:
    spelling, found, _ = _read(tmp_path, text)
    assert (spelling, found) == (machine, names)


def test_virtual_nodes_of_a_host_are_one_node_and_states_are_told(tmp_path: Path) -> None:
    spelling, names, notes = _read(tmp_path, prints.PBS)
    assert spelling == "64c256g+2x8c64g2gpu+8c65535m2gpu"
    assert names == ["big", "n2", "n10", "n1"]
    assert notes == (
        "1 node without CPUs, or not answering: left out (gate)",
        "1 node on which no job starts now, by their state: they count as up (n10)",
    )


def test_what_qhost_does_not_tell_is_said(tmp_path: Path) -> None:
    assert _read(tmp_path, prints.QHOST)[2] == (
        "1 node without CPUs, or not answering: left out (gone)",
        "qhost prints no GPUs: no node has any here",
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("n1\n     state = free\n     np = none\n", "no node of this file says how many CPUs it has"),
        ('{"pbs_version": "1", "nodes": {"n1": {', "the text is no valid JSON or XML"),
        ("<?xml version='1.0'?>\n<qhost><host", "the text is no valid JSON or XML"),
        ("<?xml version='1.0'?>\n<qhost>\n<!ENTITY a 'b'></qhost>", "XML with declarations is not read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_name(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "nodes.txt"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        machine_named(str(path))
    assert str(raised.value) == f"{path}: {what}"


def test_other_files_are_none_of_these(tmp_path: Path) -> None:
    path = tmp_path / "log.machines"
    path.write_text("1 zewura 20 80 1.0 529530880\n")
    assert read_printed(path) is None
    assert machine_named(str(path)).own is not None


def test_jobs_lie_on_the_printed_nodes_with_and_without_their_domain(tmp_path: Path) -> None:
    log = tmp_path / "20260101"
    record = (
        "01/01/2026 10:00:0{k};E;{k}.s;user=u group=g queue=q ctime=176726160{k} qtime=176726160{k} "
        "start=176726170{k} exec_host=n{k}.site.org/0*4 Resource_List.ncpus=4 end=176726180{k} Exit_status=0 "
        "Resource_List.walltime=01:00:00 resources_used.walltime=00:01:40\n"
    )
    log.write_text("".join(record.format(k=k) for k in (1, 2)))
    nodes = tmp_path / "nodes.txt"
    nodes.write_text(prints.PBS)
    found = read(log, machine=str(nodes))
    recorded = found.trace.recorded_nodes
    assert recorded is not None
    assert [found.cluster.node_name(int(node)) for node in recorded["node"]] == ["n1", "n2"]
    assert any(note.text.startswith("nodes.txt: 1 node without CPUs") for note in found.trace.notes)
