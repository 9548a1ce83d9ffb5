from engine.logs.text.delimited import join_names, parse_cells


def test_cells_become_columns_of_bytes():
    found = parse_cells(b'a|"b|c\n\n4|\xff|\n', 3, [0], [2], "|")
    assert found is not None
    assert found[0].to_pylist() == [b"a", b"4"]
    assert [value.as_py() for value in found[2]] == [b"c", b""]
    assert set(found) == {0, 2}


def test_lines_with_another_number_of_cells_are_not_read():
    assert parse_cells(b"a|b\nc\n", 2, [0], [1], "|") is None
    assert parse_cells(b"a|b|c\n", 2, [0], [1], "|") is None
    empty = parse_cells(b"\n", 2, [0], [1], "|")
    assert empty is not None
    assert len(empty[0]) == len(empty[1]) == 0


def test_cells_in_quotes():
    found = parse_cells(b'1,"a,""b"""\n2,"c\nd"\n', 2, [0], [1], ",", quoted=True)
    assert found is not None
    names = join_names([found[1]])
    assert [names.names[code] for code in names.codes] == ['a,"b"', "c\nd"]


def test_blocks_of_names_are_joined():
    blocks = [parse_cells(text, 1, [], [0], "|") for text in (b"a\nb\n", b"b\nc\n")]
    names = join_names([block[0] for block in blocks if block is not None])
    assert [names.names[code] for code in names.codes] == ["a", "b", "b", "c"]
