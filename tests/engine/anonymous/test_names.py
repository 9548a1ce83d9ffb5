"""New names: in the order of the old ones, and none of them."""

from hypothesis import given
from hypothesis import strategies as st

from engine.anonymous.names import KEPT, NewNames
from engine.slurm.values.host_list import expand_hosts

WORDS = st.text("abcz019_.-", min_size=1, max_size=6)


@given(st.sets(WORDS, min_size=1, max_size=12))
def test_new_names_keep_the_order(words: set[str]) -> None:
    names = NewNames()
    names.see("user", words)
    order = sorted(word for word in words if word.lower() not in KEPT)
    new = [names.new("user", word) for word in order]
    assert new == sorted(set(new))
    assert not set(new) & words


@given(st.sets(st.tuples(st.sampled_from(["n", "gpu", "r1n"]), st.integers(0, 30)), min_size=1, max_size=9))
def test_nodes_keep_their_order_and_their_neighbours(nodes: set[tuple[str, int]]) -> None:
    old = [f"{prefix}{number:02}" for prefix, number in sorted(nodes)]
    names = NewNames()
    names.see_hosts(",".join(old))
    new = [names.new_host(name) for name in old]
    assert new == sorted(new)
    assert [name[-2:] for name in new] == [name[-2:] for name in old]
    assert expand_hosts(names.new_hosts(",".join(old))) == new


def test_prefixes_are_in_the_order_of_their_numbers_and_domains_are_told_apart() -> None:
    names = NewNames()
    names.see_hosts("r10n1,r2n1,r2n1.site.org")
    assert [names.new_host(name) for name in ("r2n1", "r10n1", "r2n1.site.org")] == [
        "h001n1",
        "h002n1",
        "h001n1.d001d",
    ]


def test_no_new_name_is_an_old_one() -> None:
    names = NewNames()
    names.see("user", ["user002", "ann"])
    assert [names.new("user", name) for name in ("ann", "user002")] == ["userx001", "userx002"]


def test_words_of_the_formats_stay() -> None:
    names = NewNames()
    names.see("account", ["root", "physics", ""])
    assert [names.new("account", name) for name in ("root", "", "physics")] == ["root", "", "acct001"]
    assert names.new_hosts("None assigned") == "None assigned"
    assert names.rows() == [("account", "physics", "acct001")]
