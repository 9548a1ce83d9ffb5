import pytest

from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.machine.features import NEARLY, NOT, OBEYED, read_features

MACHINE = Cluster(
    (
        NodeGroup(2, 8, features=("intel", "ib")),
        NodeGroup(2, 8, features=("amd", "ib")),
        NodeGroup(1, 8, features=("amd", "CPU-G", "big.mem")),
        NodeGroup(1, 8),
    )
)


@pytest.mark.parametrize(
    ("text", "groups", "obeyed"),
    [
        ("", "yyyy", OBEYED),
        ("intel", "y...", OBEYED),
        ("amd", ".yy.", OBEYED),
        ("amd&ib", ".y..", OBEYED),
        ("amd,ib", ".y..", OBEYED),
        ("intel|amd", "yyy.", OBEYED),
        ("intel|amd&ib", "yy..", OBEYED),  # from left to right
        ("intel|(amd&ib)", "yy..", OBEYED),
        ("amd&(CPU-G|ib)", ".yy.", OBEYED),
        (" amd & big.mem ", "..y.", OBEYED),
        ('"amd&ib"', ".y..", OBEYED),
        ("[intel|amd]", "yyy.", NEARLY),
        ("[intel*2&amd*1]", "yyy.", NEARLY),
        ("[(amd&ib)*1&intel*2]", "yy..", NEARLY),
        ("ib&[intel|amd]", "yy..", NEARLY),
        ("ib*2&[intel|amd]", "yyyy", NOT),
        ("CPU-G*1", "yyyy", NEARLY),
        # Features that no node has, and unreadable ones, are ignored.
        ("Intel", "yyyy", NOT),
        ("intel&amd", "yyyy", NOT),
        ("amd&", "yyyy", NOT),
        ("(amd", "yyyy", NOT),
        ("amd)", "yyyy", NOT),
        ("[amd", "yyyy", NOT),
        ("|", "yyyy", NOT),
        ("a b", "yyyy", NOT),
        ("(" * 1000 + "amd", "yyyy", NOT),
    ],
)
def test_constraints(text, groups, obeyed):
    meant = read_features(text, MACHINE)
    words = "yyyy" if groups == "yyyy" else groups
    assert "".join("y" if group else "." for group in meant.groups) == words
    assert meant.obeyed == obeyed


def test_a_machine_without_features_obeys_nothing():
    assert read_features("amd", parse_cluster("4x8c")).obeyed == NOT
    pool = Cluster((NodeGroup(1, 8, features=("amd",)),))
    assert read_features("intel", pool).obeyed == NOT  # a pool has no nodes to choose from
    assert read_features("", pool).obeyed == OBEYED


def test_a_spelled_machine_has_the_features_of_groups_that_it_is_like():
    again = parse_cluster(MACHINE.spelling, MACHINE)
    assert again == MACHINE
    assert not parse_cluster("4x8c", MACHINE).has_features
