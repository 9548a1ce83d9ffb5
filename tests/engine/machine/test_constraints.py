import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.constraints import NodeNames, read_constraint

FAT, THIN = NodeGroup(2, 8, name="fat"), NodeGroup(3, 4, name="thin")
CLUSTER = Cluster((FAT, THIN, NodeGroup(1, 4)))


def nodes(text: str, cluster: Cluster = CLUSTER) -> list[int]:
    return read_constraint(text, cluster).nodes.nonzero()[0].tolist()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ("fat", [0, 1]),
        ("cl_thin", [2, 3, 4]),
        ("^cl_thin", [0, 1, 5]),
        ("^cl_thin:^fat", [5]),
        ("cl_fat:cl_fat:x86_64", [0, 1]),
        ("cl_fat:cl_thin", []),
        ("thin1", [2]),
        ("thin3.site.org", [4]),
        ("host=thin2.site.org", [3]),
        ("cl_thin:^thin2", [2, 4]),
        ("cl_fat#excl", [0, 1]),
    ],
)
def test_words_that_name_nodes_are_met_by_all_that_are_left(text, left):
    assert nodes(text) == left
    assert read_constraint(text, CLUSTER).ignored is ("x86_64" in text)


@pytest.mark.parametrize(
    "word", ["thin0", "thin4", "fat", "1", "cl_", "thin1x", "thin\u0661", "mem=3gb", "^brno"]
)
def test_words_that_name_nothing_are_ignored(word):
    cluster = Cluster((THIN, NodeGroup(3, 4)))
    constraint = read_constraint(word, cluster)
    assert constraint.nodes.all()
    assert constraint.ignored


def test_a_group_comes_before_a_node_of_the_same_name():
    cluster = Cluster((NodeGroup(3, 4, name="a"), NodeGroup(2, 4, name="a2")))
    assert nodes("a2", cluster) == [3, 4]
    assert nodes("a21", cluster) == [3]
    assert nodes("a3", cluster) == [2]


def test_what_words_mean_is_known_without_a_look_at_all_nodes():
    names = NodeNames(Cluster((NodeGroup(999_999, 4, name="a"), NodeGroup(1, 4, name="b"))))
    assert not any(names.ignores(f"a{k}:^b1") for k in range(1, 100_000))
    assert names.ignores("a1000000")
    assert not names.ignores("a999999#excl")
    assert names.ignores("a1#shared")


def test_only_excl_of_the_modifiers_says_anything():
    assert read_constraint("fat#excl", CLUSTER).exclusive
    assert not read_constraint("fat#excl", CLUSTER).ignored
    assert read_constraint("#shared#excl", CLUSTER)[1:] == (True, True)
    assert read_constraint("excl", CLUSTER)[1:] == (False, True)


@given(st.sampled_from(["fat", "^fat", "fat1", "#excl", "x86_64"]))
def test_a_pool_has_no_nodes_to_tell_apart(text):
    constraint = read_constraint(text, Cluster((NodeGroup(1, 8, name="fat"),)))
    assert constraint.nodes.tolist() == [True]
    assert constraint[1:] == (False, True)
    assert not read_constraint("", Cluster.pool(4)).ignored
