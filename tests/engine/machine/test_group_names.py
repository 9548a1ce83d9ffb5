import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.group_names import group_names
from engine.slurm.values.host_list import expand_hosts


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        ([("c[001-096]", "short"), ("fat[01-04]", ""), ("g[01-12]", "gpu")], ["c", "fat", "g"]),
        ([("c[001-080]", "short/long"), ("c[081-096]", "short")], ["c[001-080]", "c[081-096]"]),
        ([("c1,c5,c9", "short/long"), ("c2,c7", "short")], ["c/short/long", "c/short"]),
        ([("c1,c5,c9", "short"), ("c2,c7", "short")], ["c#1", "c#2"]),
        ([("n1", ""), ("n2", ""), ("g1", "gpu")], ["n1", "n2", "g1"]),
        ([("10", ""), ("001-x", "")], ["nodes#1", "001-x"]),  # a group is called by its number, too
        ([("a1,b1", ""), ("a2,b2", "")], ["nodes#1", "nodes#2"]),
    ],
)
def test_each_group_has_a_name_of_its_own(groups, names):
    hosts = [expand_hosts(text) for text, _ in groups]
    assert group_names(hosts, [list(filter(None, text.split("/"))) for _, text in groups]) == names


@given(
    st.lists(
        st.tuples(
            st.lists(st.from_regex(r"[a-c#]{0,2}[0-9]{0,2}[a-c]?", fullmatch=True), min_size=1, max_size=4),
            st.lists(st.sampled_from(["p", "q"]), unique=True),
        ),
        max_size=8,
    )
)
def test_names_differ_and_are_no_numbers(groups):
    names = group_names([hosts for hosts, _ in groups], [partitions for _, partitions in groups])
    assert len(set(names)) == len(groups)
    assert all(name and not name.isdigit() for name in names)
