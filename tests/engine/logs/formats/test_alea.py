import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.logs.formats.alea import NodeSpec, parse_node_spec
from engine.logs.nodes.places import map_nodes
from engine.machine.cluster import parse_cluster
from engine.trace import Trace
from tests.engine.logs.lines import counts, line, read_lines, text_of, where

MACHINES = "0 big 2 8 1 8388608\n1 small 3 4 1 4194304\n"


def spec_line(spec: str, procs: int, ram: int = 1048576, nodes: str = "-1", **values: object) -> str:
    return line(f"{nodes} q_1d {spec}", procs=procs, allocated=procs, ram=ram, **values)


def read(folder, *lines: str) -> Trace:
    (folder / "log.swf.machines").write_text(MACHINES)
    return read_lines(folder, *lines)


def groups(trace: Trace, job: int) -> list[tuple[int, ...]]:
    rows = slice(trace.tasks.offset[job], trace.tasks.offset[job + 1])
    return list(zip(*(trace.tasks[name][rows].tolist() for name in ("count", "cpus", "ram")), strict=True))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("1:ppn=4", NodeSpec(((1, 4),), 1)),
        ("3", NodeSpec(((3, 1),), 3)),
        ("1:ppn=1+2:ppn=2", NodeSpec(((1, 1), (2, 2)), 3)),
        ("1:ppn=4:cl_x:^cl_y#excl+2:ppn=2", NodeSpec(((1, 4), (2, 2)), 3, ("cl_x:^cl_y#excl", "#excl"))),
        ("1:x86_64:ppn=8", NodeSpec(((1, 8),), 1, ("x86_64",))),
        ("node7.site.org:ppn=12:brno", NodeSpec(((1, 12),), 1, ("node7.site.org:brno",))),
        ("ppn=2", NodeSpec(((1, 2),), 1)),
        ("1:ppn=2#excl", NodeSpec(((1, 2),), 1, ("#excl",))),
        ("1:ppn=2:a+1#shared#excl", NodeSpec(((1, 2), (1, 1)), 2, ("a#shared#excl", "#shared#excl"))),
        ("1::ppn=2#", NodeSpec(((1, 2),), 1)),
        ("1:ppn=1.5:brno", NodeSpec((), 1, ("brno",))),
        ("2:ppn=x+1", NodeSpec((), 3)),
        ("2:ppn=", NodeSpec((), 2)),
        ("2:ppn=0", NodeSpec((), 2)),
        ("1:ppn=99999999999999999999", NodeSpec((), 1)),
    ],
)
def test_node_specifications(text, spec):
    assert parse_node_spec(text) == spec


def test_a_specification_that_is_longer_than_any_is_not_read(tmp_path):
    long = "+".join(["1:ppn=1#excl"] * 20_000)
    assert parse_node_spec(long) == NodeSpec((), 1)
    trace = read(tmp_path, spec_line(long, 3), spec_line("1:ppn=1", 1))
    assert groups(trace, 0) == [(3, 1, 342)]
    assert where(trace, "node_spec") == (1, (1,))


@given(st.text(alphabet="0123456789:+=#pn^.x", max_size=30))
def test_any_text_is_some_node_specification(text):
    spec = parse_node_spec(text)
    assert spec.nodes >= 1
    assert all(count >= 1 and cpus >= 1 for count, cpus in spec.groups)


def test_tasks_follow_the_node_specification_and_ram_is_a_node_s(tmp_path):
    trace = read(tmp_path, spec_line("1:ppn=1+2:ppn=2", 5, ram=1_048_577), spec_line("2:ppn=4", 8, ram=-1))
    assert groups(trace, 0) == [(1, 1, 1025), (2, 2, 1025)]
    assert groups(trace, 1) == [(2, 4, 0)]
    assert trace.ram.tolist() == [3 * 1025, -1]
    assert trace.queue.names == ("q_1d",)


@pytest.mark.parametrize("spec", ["1:ppn=4", "1:ppn=1.5"])
def test_where_it_disagrees_with_the_processor_count_the_count_wins(tmp_path, spec):
    trace = read(tmp_path, spec_line("1:ppn=1", 1), spec_line(spec, 3))
    assert groups(trace, 1) == [(3, 1, 342)]
    assert trace.ram.tolist() == [1024, 1024]
    assert where(trace, "node_spec") == (1, (2,))


def test_without_a_node_specification_each_processor_is_a_task(tmp_path):
    trace = read(tmp_path, spec_line("1:ppn=1", 1), spec_line("-1", 3), line("-1 q_1d", procs=2), line())
    assert groups(trace, 1) == [(3, 1, 1024)]
    assert trace.ram.tolist() == [1024, 3072, -1, -1]
    assert trace.queue.names == ("q_1d", "-1")
    assert "node_spec" not in counts(trace)


def test_a_job_cut_to_the_machine_loses_its_node_specification(tmp_path):
    trace = read(tmp_path, spec_line("5:ppn=8", 40, ram=4_194_304), spec_line("1:ppn=8", 8))
    assert groups(trace, 0) == [(28, 1, 512)]
    assert trace.ram[0] == 28 * 512


def test_properties_are_ignored_and_counted(tmp_path):
    trace = read(
        tmp_path, spec_line("1:ppn=2:brno", 2), spec_line("1:ppn=2", 2), spec_line("1:ppn=2#excl", 2)
    )
    assert where(trace, "constraints") == (2, (1, 3))
    assert where(trace, "unknown_properties") == (1, (1,))


def test_what_is_reported_nodes_follows_the_task_groups(tmp_path):
    trace = read(
        tmp_path,
        spec_line("1:ppn=2", 2, submit=9),
        spec_line("1:ppn=1:cl_big+2:ppn=2:^small1.site.org", 5, submit=5),
        spec_line("1:ppn=1:cl_big", 2, submit=4),
        spec_line("1:ppn=1:cl_big", 1, submit=3, runtime=0),
        spec_line("5:ppn=8:cl_big", 40, submit=2),
        spec_line("1:ppn=2:cl_big", 2, submit=1),
    )
    lines = [trace.constraints[number] for number in trace.tasks["constraint"]]
    # The third disagrees with its processors, the fifth is cut to the machine: both lose their groups.
    assert lines == ["cl_big", "", "", "cl_big", "^small1.site.org", ""]
    assert trace.tasks.offset.tolist() == [0, 1, 2, 3, 5, 6]
    assert where(trace, "constraints") == (5, (2, 3, 4, 5, 6))
    assert "unknown_properties" not in counts(trace)


def test_a_log_that_says_nothing_of_nodes_has_no_constraints(tmp_path):
    trace = read(tmp_path, spec_line("1:ppn=2", 2))
    assert trace.constraints == ()
    assert set(trace.tasks.columns) == {"count", "cpus", "ram"}


def test_without_a_machine_every_property_is_unknown(tmp_path):
    trace = read_lines(tmp_path, spec_line("1:ppn=2:cl_big", 2), spec_line("1", 1))
    assert where(trace, "unknown_properties") == (1, (1,))


def test_ram_is_in_bytes_where_the_median_is_more_kilobytes_than_a_node_holds(tmp_path):
    small = read(tmp_path, *[spec_line("1", 1, ram=8 << 20)] * 3)
    assert small.ram.tolist() == [8 << 10] * 3
    large = read(tmp_path, *[spec_line("1", 1, ram=(8 << 20) + 1)] * 3)
    assert large.ram.tolist() == [9] * 3
    assert "in KB" in text_of(small, "ram_unit")
    assert "in bytes" in text_of(large, "ram_unit")


def test_the_log_s_own_machine_tells_the_unit_even_under_another(tmp_path):
    (tmp_path / "log.swf.machines").write_text(MACHINES)
    trace = read_lines(tmp_path, spec_line("1", 1, ram=1 << 30), cluster=parse_cluster("4x8c2t"))
    assert trace.ram.tolist() == [1024]
    assert trace.cluster == parse_cluster("4x8c2t")


def test_without_any_machine_a_tebibyte_a_node_is_too_much(tmp_path):
    assert read_lines(tmp_path, spec_line("1", 1, ram=4 << 30)).ram.tolist() == [4096]
    assert read_lines(tmp_path, spec_line("1", 1, ram=4 << 20)).ram.tolist() == [4096]


def test_eighteen_columns_beside_a_machines_file_are_kilobytes_a_task(tmp_path):
    trace = read(tmp_path, line(procs=4, ram=1 << 20), line())
    assert trace.cluster.spelling == "2x8c8g+3x4c4g"
    assert groups(trace, 0) == [(4, 1, 1024)]
    assert trace.ram.tolist() == [4096, -1]
    assert counts(trace)["ram_unit"] == 1


def test_recorded_nodes(tmp_path):
    trace = read(
        tmp_path,
        spec_line("1:ppn=6", 6, nodes="{30,30,30,30,30,30}"),
        spec_line("2:ppn=2", 4, nodes="{9,40,9,40}"),
        spec_line("1:ppn=8", 8, nodes="{10,10,10,10,10,10,10,10}"),
        spec_line("1", 1),
        spec_line("1", 1, nodes="{}"),
        spec_line("1", 1, nodes="{40}"),
    )
    used = trace.recorded_nodes
    assert used is not None
    assert used.offset.tolist() == [0, 1, 3, 4, 4, 4, 5]
    assert used["node"].tolist() == [1, 2, 3, 0, 3]
    assert used["cpus"].tolist() == [6, 2, 2, 8, 1]
    assert "(4 of 4 ids)" in text_of(trace, "nodes")
    assert "unknown_nodes" not in counts(trace)


def test_jobs_on_nodes_that_the_machine_lacks_have_no_recorded_nodes(tmp_path):
    trace = read(
        tmp_path,
        *(spec_line("1", 1, nodes=f"{{{node}}}") for node in (1, 2, 3, 4)),
        spec_line("2", 2, nodes="{1,4}"),
        spec_line("1:ppn=9", 9, nodes="{7,7,7,7,7,7,7,7,7}"),
        spec_line("1", 1, nodes="{zewura1}"),
    )
    assert np.diff(trace.recorded_nodes.offset).tolist() == [1, 1, 1, 0, 0, 0, 0]
    assert trace.recorded_nodes["node"].tolist() == [2, 3, 4]
    assert where(trace, "unknown_nodes") == (4, (4, 5, 6, 7))


def test_a_pool_has_no_recorded_nodes(tmp_path):
    trace = read_lines(tmp_path, "; MaxProcs: 10", spec_line("1", 1, nodes="{1}"))
    assert trace.recorded_nodes is None


def test_recorded_nodes_follow_the_jobs_into_order(tmp_path):
    trace = read(
        tmp_path,
        spec_line("1", 1, nodes="{1}", submit=9),
        spec_line("1", 1, nodes="{2}", submit=5, runtime=0),
        spec_line("2", 2, nodes="{2,1}", submit=1),
    )
    assert trace.recorded_nodes["node"].tolist() == [2, 3, 2]
    assert groups(trace, 0) == [(2, 1, 1024)]


def test_node_ids_go_to_the_smallest_nodes_that_hold_them():
    cluster = parse_cluster("2x8c+1x4c+1x8c")
    ids = np.array([5, 6, 7, 8, 9, 10])
    assert map_nodes(ids, np.array([8, 1, 5, 4, 6, 9]), cluster).tolist() == [0, 2, 1, -1, 3, -1]


def test_an_alea_log_without_any_readable_record(tmp_path):
    with pytest.raises(ValueError, match="no usable job"):
        read(tmp_path, spec_line("1", 1, submit=10**14))
