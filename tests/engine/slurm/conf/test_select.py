import pytest

from engine.slurm.conf.select import SHARED, NodeUse, node_use
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.options.releases import NEW_DEFAULTS


@pytest.mark.parametrize(
    ("plugin", "parameters", "consumed", "whole"),
    [
        ("", "", True, False),
        ("select/cons_tres", "", True, False),  # CR_Core_Memory is what nothing means
        ("select/cons_tres", "CR_Core", False, False),
        ("select/cons_res", "CR_CPU", False, False),
        ("select/cons_tres", "CR_Socket,CR_LLN", False, False),
        ("select/cons_tres", "cr_core_memory,CR_CORE_DEFAULT_DIST_BLOCK", True, False),
        ("select/cons_tres", "CR_ONE_TASK_PER_CORE, CR_CPU_Memory", True, False),
        ("select/cons_tres", "CR_ONE_TASK_PER_CORE", True, False),
        ("", "CR_Core", False, False),
        ("select/linear", "", False, True),
        ("select/linear", "CR_Memory", True, True),
        ("select/cray_aries", "", False, True),
        ("select/cray_aries", "OTHER_CONS_TRES,CR_Core", False, False),
    ],
)
def test_plugins_and_parameters(plugin, parameters, consumed, whole):
    options = {"selecttype": plugin, "selecttypeparameters": parameters}
    found = node_use({name: text for name, text in options.items() if text}, {})
    assert (found.consumes_ram, found.all_whole) == (consumed, whole)
    assert bool(found.because) != consumed


@pytest.mark.parametrize(
    ("options", "version", "whole", "guessed"),
    [
        ({}, (22, 5), True, False),
        ({}, (23, 11), False, False),
        ({}, None, False, True),
        ({"selecttypeparameters": "CR_Core"}, (22, 5), False, False),  # which linear does not take
        ({"selecttypeparameters": "CR_Memory"}, (22, 5), True, False),
        ({"selecttype": "select/cons_tres"}, (22, 5), False, False),
        ({"selecttype": "select/cons_tres"}, None, False, False),
    ],
)
def test_the_version_tells_what_a_file_does_not_say(options, version, whole, guessed):
    found = node_use(options, {}, version)
    assert (found.all_whole, found.guessed) == (whole, guessed)


def test_partitions_of_whole_nodes():
    partitions = {
        "a": {"oversubscribe": "EXCLUSIVE"},
        "b": {"oversubscribe": "exclusive"},
        "c": {"shared": "EXCLUSIVE"},  # as it was called before 17.11
        "d": {"oversubscribe": "FORCE:4"},
        "e": {},
    }
    assert node_use({}, partitions, NEW_DEFAULTS) == NodeUse(whole=frozenset("abc"))
    assert node_use({}, {}, NEW_DEFAULTS) == SHARED


def test_a_file_tells_how_jobs_take_nodes(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
        "NodeName=n[1-2] CPUs=12 RealMemory=48000\n"
        "PartitionName=DEFAULT OverSubscribe=EXCLUSIVE\nPartitionName=a Nodes=ALL\n"
        "PartitionName=b Nodes=n1 OverSubscribe=NO\n"
    )
    conf = read_slurm_conf(path)
    assert conf.use == NodeUse(False, whole=frozenset("a"), because="SelectTypeParameters=CR_Core")
    assert conf.machine.spelling == "12c+12c"
    path.write_text(path.read_text().replace("CR_Core", "CR_Core_Memory"))
    assert read_slurm_conf(path).machine.spelling == "12c48000m+12c48000m"
