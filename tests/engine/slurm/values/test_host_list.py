import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.slurm.values.host_list import compress_hosts, expand_hosts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("c1", ["c1"]),
        ("c[098-101]", ["c098", "c099", "c100", "c101"]),
        ("d13n[03,05,07-08,16],k1", ["d13n03", "d13n05", "d13n07", "d13n08", "d13n16", "k1"]),
        ("r[0-1]n[1,3]x", ["r0n1x", "r0n3x", "r1n1x", "r1n3x"]),
        (" a , b,,c ", ["a", "b", "c"]),
    ],
)
def test_lists_are_expanded_in_their_order(text, names):
    assert expand_hosts(text) == names


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("c[1-999999999]", "too many"),
        ("c[1-1000000][1-1000000]", "too many"),
        ("c[1-1000],d[1-1000000]", "too many"),
        ("c[9-1]", "too many"),
        ("c[1", "a bracket is left open"),
        ("c1]", "a bracket is left open"),
        ("c[[1]]", "a bracket is left open"),
        ("c[a-b]", "'a-b' is not a range"),
        ("c[]", "is not a range"),
        ("n[1]" * 20, "too many brackets"),
        ("x" * 300, "a name is too long"),
    ],
)
def test_what_cannot_be_a_list_is_refused_before_it_is_made(text, says):
    with pytest.raises(InputError, match="node list") as caught:
        expand_hosts(text)
    assert says in str(caught.value)


def test_the_bound_is_of_the_whole_list():
    assert len(expand_hosts("a[1-3],b", 4)) == 4
    with pytest.raises(InputError, match="over 3 nodes"):
        expand_hosts("a[1-3],b", 3)


@given(st.lists(st.integers(0, 10**9 - 1), min_size=1, max_size=20), st.sampled_from(["", "x", "-a.b"]))
def test_numbers_keep_their_width(numbers, suffix):
    text = f"n[{','.join(f'{k:04}' for k in numbers)}]{suffix}"
    assert expand_hosts(text) == [f"n{k:04}{suffix}" for k in numbers]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["c1"], "c1"),
        (["c001", "c002", "c003", "c017", "fat01"], "c[001-003,017],fat01"),
        (["c8", "c9", "c10", "c011"], "c[8-10,011]"),
        (["r1n01.s", "r1n02.s", "r2n01.s"], "r1n[01-02].s,r2n01.s"),
        (["login", "x"], "login,x"),
        (["c2", "c1"], "c[2,1]"),
        (["9", "10"], "[9-10]"),
    ],
)
def test_names_as_a_list(names, text):
    assert compress_hosts(names) == text


@given(st.lists(st.from_regex(r"[a-z]{0,2}[0-9]{1,4}([.-][a-z0-9]{1,3})?", fullmatch=True), max_size=20))
def test_a_list_of_names_is_read_back(names):
    assert expand_hosts(compress_hosts(names)) == names
