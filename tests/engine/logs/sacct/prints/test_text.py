"""Lines of sacct in the ways in which people print them: delimiters, quotes, widths, anything in names."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_records
from engine.logs.sacct.prints import dump as slurm
from engine.trace.records import Records
from tests.engine.logs.sacct.dumps import FIELDS, HEADER, NOON, clock, job

MORE = ("JobID", "User", "Partition", "Submit", "Start", "End", "NCPUS", "State", "SubmitLine", "Account")
MORE += ("NodeList", "NNodes", "Timelimit", "JobName")


def write(folder: Path, text: str, name: str = "dump.txt") -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def texts(records: Records, name: str) -> list[str]:
    names = getattr(records, name)
    return [names.names[code] for code in names.codes]


def rules(records: Records) -> dict[str, int]:
    return {note.rule: note.count for note in records.notes if note.count}


def row(number: object, line: str = "sbatch x.sh", name: str = "run", **values: str) -> list[str]:
    """A job of MORE: of ann in the partition batch, 4 CPUs of n1 from 12:00:10 on for 60 s."""
    cells = [str(number), "ann", "batch", clock(0), clock(10), clock(70), "4", "COMPLETED", line, "phys"]
    cells += ["n1", "1", "00:10:00", name]
    for field, value in values.items():
        cells[MORE.index(field)] = value
    return cells


def dump(rows: list[list[str]], delimiter: str = "|", fields: tuple[str, ...] = MORE) -> str:
    return "".join(f"{delimiter.join(cells)}\n" for cells in (fields, *rows))


def check(records: Records, count: int) -> None:
    """All jobs are there, with every value in its place."""
    assert records.job_id.tolist() == list(range(1, count + 1))
    assert records.submit.tolist() == [NOON] * count
    assert records.wait.tolist() == [10] * count
    assert records.runtime.tolist() == [60] * count
    assert records.walltime.tolist() == [600] * count
    assert records.procs.tolist() == [4] * count
    assert set(texts(records, "user")) == {"ann"}
    assert set(texts(records, "group")) == {"phys"}
    assert set(texts(records, "queue")) == {"batch"}


@pytest.mark.parametrize("delimiter", ["|", ",", ";", "\t", "^", "^|^", "!", "~~", ":", " ", "#", "::", "@"])
@pytest.mark.parametrize("ended", [False, True])
def test_any_delimiter(tmp_path: Path, delimiter: str, ended: bool) -> None:
    text = dump([row(1), row("1.batch"), row(2, "sbatch -n 4 -t 10 y.sh"), row(3, name="x1")], delimiter)
    if ended:
        text = text.replace("\n", f"{delimiter}\n")
    records = read_records(write(tmp_path, text))
    check(records, 3)
    assert texts(records, "executable") == ["run", "run", "x1"]
    assert rules(records)["steps"] == 1
    assert "unreadable_line" not in rules(records)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_quotes(tmp_path: Path, delimiter: str, quoting: int, line_end: str) -> None:
    names = ["run", 'a,"b";c|d', "two\nlines", '"', "x"]
    rows = [row(k, f"sbatch {name}", name) for k, name in enumerate(names, 1)]
    out = io.StringIO(newline="")
    table = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=line_end)  # type: ignore[arg-type]
    table.writerows([MORE, *rows, row("2.0")])
    records = read_records(write(tmp_path, out.getvalue(), "jobs.csv"))
    check(records, 5)
    assert texts(records, "executable") == names
    assert rules(records)["steps"] == 1


QUOTES = ['"a|b"', '"foo', 'a"b', '"', '5" pipe', '""', '"x" y', 'end"', "plain"]


@pytest.mark.parametrize("first", QUOTES)
def test_quotes_in_names_that_sacct_wrote_as_they_are(tmp_path: Path, first: str) -> None:
    """No job is lost or joined to another, whichever name is the one by which the file is judged."""
    names = [first, *["x"] * 60, *QUOTES, *reversed(QUOTES), "x"]
    records = read_records(write(tmp_path, dump([row(k, name=name) for k, name in enumerate(names, 1)])))
    check(records, len(names))
    assert [name.strip('"') for name in texts(records, "executable")] == [name.strip('"') for name in names]


def test_command_lines_with_quoted_bars_are_no_csv(tmp_path: Path) -> None:
    lines = ['sbatch --wrap="a | b"', "x", 'sbatch --wrap="', '"y"', '"c|d"']
    records = read_records(write(tmp_path, dump([row(k, line, name="n") for k, line in enumerate(lines, 1)])))
    check(records, len(lines))
    assert texts(records, "executable") == ["n"] * len(lines)


def test_the_index_that_pandas_writes_is_passed_over(tmp_path: Path) -> None:
    text = "," + ",".join(MORE) + "\n" + "".join(f"{k},{','.join(row(k + 1))}\n" for k in range(3))
    check(read_records(write(tmp_path, text)), 3)


def test_columns_of_fixed_width(tmp_path: Path) -> None:
    widths = [12, 9, 9, 19, 19, 19, -10, 10, 20, 7, 10, 6, 10, 8]
    lines = [MORE, tuple("-" * abs(width) for width in widths), *(row(k, "sbatch a b") for k in (1, 2, 3))]
    text = "".join(
        "".join(
            f"{cell[: abs(w)]:{'<' if w < 0 else '>'}{abs(w)}} " for cell, w in zip(line, widths, strict=True)
        )
        + "\n"
        for line in lines
    )
    records = read_records(write(tmp_path, text + "\n"))
    check(records, 3)
    assert rules(records)["sacct"] == 1
    assert "unreadable_line" not in rules(records)


def test_ids_that_are_cut_are_refused(tmp_path: Path) -> None:
    wide = "-" * 19
    head = f"JobID {'Submit':>19} {'Start':>19} {'End':>19} NCPUS\n----- {wide} {wide} {wide} -----\n"
    line = f"1234+ {clock(0)} {clock(1)} {clock(2)}     4\n"
    with pytest.raises(InputError, match=r"dump.txt:3: the id '1234\+' is cut at the width of its column"):
        read_records(write(tmp_path, head + line))
    steps = line.replace("1234+", "12.b+")
    whole = line.replace("1234+", "12345")
    assert rules(read_records(write(tmp_path, head + whole + steps)))["cut_value"] == 1


@pytest.mark.parametrize(
    "name",
    [
        "a|b",
        "|",
        "||",
        "a|",
        "|a",
        "a\nb",
        "\n",
        "a\n|b\n|",
        '"',
        'a"b|"',
        "sbatch|x",
        "1|2|3",
        "COMPLETED|phys|n1|1",
    ],
)
@pytest.mark.parametrize("where", ["name", "line", "both"])
def test_delimiters_and_line_breaks_in_names_and_commands(tmp_path: Path, name: str, where: str) -> None:
    line = f"sbatch --wrap {name}" if where != "name" else "sbatch x.sh"
    own = name if where != "line" else "run"
    records = read_records(write(tmp_path, dump([row(1), row(2, line, own), row(3)])))
    check(records, 3)
    assert texts(records, "executable")[::2] == ["run", "run"]
    assert texts(records, "executable")[1] in (own, own.rstrip("\n"), "")
    assert "unreadable_line" not in rules(records)


@pytest.mark.parametrize("delimiter", ["^|^", ";", "|"])
def test_names_hold_what_parts_fields_as_it_is(tmp_path: Path, delimiter: str) -> None:
    name = f"a{delimiter}b"
    fields = (*MORE[:7], "JobName", *MORE[7:-1])
    rows = [[*cells[:7], cells[-1], *cells[7:-1]] for cells in (row(1), row(2, name=name), row(3))]
    records = read_records(write(tmp_path, dump(rows, delimiter, fields)))
    check(records, 3)
    assert texts(records, "executable") == ["run", name, "run"]


def test_what_is_ambiguous_is_counted_and_never_shifted(tmp_path: Path) -> None:
    fields = ("JobID", "Submit", "Start", "End", "NCPUS", "Comment", "User", "JobName")
    rows = [[str(k), clock(0), clock(10), clock(70), "4", "", "ann", "run"] for k in (1, 2, 3)]
    rows[1][5:] = ["x", "ann", "y|ann|z"]
    rows[2][5:] = ["ann|bob", "ann", "y"]
    records = read_records(write(tmp_path, dump(rows, fields=fields)))
    assert records.procs.tolist() == [4, 4, 4]
    assert texts(records, "user") == ["ann", "ann", "ann"]
    assert texts(records, "executable")[:2] == ["run", ""]
    notes = [note for note in records.notes if note.rule == "ambiguous_name"]
    assert [(note.count, note.lines) for note in notes] == [(1, (3,))]


def test_a_line_is_left_out_where_numbers_are_ambiguous(tmp_path: Path) -> None:
    fields = ("JobID", "Submit", "Start", "End", "Comment", "NCPUS", "JobName")
    rows = [[str(k), clock(0), clock(10), clock(70), "", "4", "run"] for k in (1, 2, 3)]
    rows[1][4:] = ["1", "4", "2|7"]
    records = read_records(write(tmp_path, dump(rows, fields=fields)))
    assert records.job_id.tolist() == [1, 3]
    notes = [note for note in records.notes if note.rule == "ambiguous_line"]
    assert [(note.count, note.lines) for note in notes] == [(1, (3,))]


def test_a_job_is_read_without_what_no_value_of_it_follows_from(tmp_path: Path) -> None:
    fields = ("JobID", "Submit", "Start", "End", "NCPUS", "Comment", "Suspended", "JobName")
    rows = [[str(k), clock(0), clock(10), clock(70), "4", "", "00:00:00", "run"] for k in (1, 2, 3)]
    rows[1][5:7] = ["00:00:01|00:00:02", "00:00:00"]
    records = read_records(write(tmp_path, dump(rows, fields=fields)))
    assert records.job_id.tolist() == [1, 2, 3]
    assert records.runtime.tolist() == [60, 60, 60]
    assert "ambiguous_line" not in rules(records)


def test_commands_that_end_with_a_bar_end_before_how_long_a_job_was_suspended(tmp_path: Path) -> None:
    fields = (*MORE[:7], "JobName", "State", "SubmitLine", "Suspended", "SystemComment", "SystemCPU")
    fields += ("Timelimit", "TotalCPU", "Account")
    ends = ["run", "COMPLETED", "sbatch x.sh", "00:00:00", "", "00:00:00", "00:10:00", "00:00.003", "phys"]
    cells = [row(k)[:7] + ends for k in (1, 2)]
    cells[1][7:10] = ["a||b|c|", "COMPLETED", "sbatch -n1 --job-name=a||b|c|"]
    records = read_records(write(tmp_path, dump(cells, fields=fields)))
    check(records, 2)
    assert texts(records, "executable") == ["run", "a||b|c|"]
    assert not {"ambiguous_name", "ambiguous_line"} & set(rules(records))


def test_a_torn_line_is_no_part_of_the_job_before(tmp_path: Path) -> None:
    lines = dump([row(1), row(2), row(3)]).split("\n")
    lines[2] = lines[2][:40]
    records = read_records(write(tmp_path, "\n".join(lines)))
    assert records.job_id.tolist() == [1, 3]
    assert texts(records, "executable") == ["run", "run"]
    notes = [note for note in records.notes if note.rule == "unreadable_line"]
    assert [(note.count, note.lines) for note in notes] == [(1, (3,))]


def test_each_header_names_the_fields_behind_it(tmp_path: Path) -> None:
    swapped = HEADER.replace("Submit|Eligible|Start|End", "End|Start|Eligible|Submit")
    turned = job(JobID=2).replace(
        "|".join((clock(0), clock(0), clock(10), clock(70))),
        "|".join((clock(70), clock(10), clock(0), clock(0))),
    )
    fewer = f"NCPUS;JobID;Submit;Start;End;User\n7;3;{clock(0)};{clock(5)};{clock(9)};bob"
    text = "\n".join((HEADER, job(), swapped, turned, fewer, HEADER, job(JobID=4), ""))
    records = read_records(write(tmp_path, text))
    assert records.job_id.tolist() == [1, 2, 3, 4]
    assert records.submit.tolist() == [NOON] * 4
    assert records.wait.tolist() == [10, 10, 5, 10]
    assert records.runtime.tolist() == [60, 60, 4, 60]
    assert records.procs.tolist() == [4, 4, 7, 4]
    assert texts(records, "user") == ["ann", "ann", "bob", "ann"]
    assert texts(records, "queue") == ["batch", "batch", "", "batch"]


def test_a_further_file_without_a_header_goes_on_or_is_refused(tmp_path: Path) -> None:
    first = write(tmp_path, f"{HEADER}\n{job()}\n", "a.txt")
    second = write(tmp_path, f"{job(JobID=2)}\n", "b.txt")
    assert read_records(first, further=[second]).job_id.tolist() == [1, 2]
    other = write(tmp_path, f"ann|2|{clock(0)}|{clock(1)}\n", "c.txt")
    with pytest.raises(InputError) as caught:
        read_records(first, further=[second, other])
    assert str(caught.value).startswith(f"{other}:1: ")


def test_a_further_file_that_lacks_fields_is_named(tmp_path: Path) -> None:
    first = write(tmp_path, f"{HEADER}\n{job()}\n", "a.txt")
    second = write(tmp_path, f"JobID|User|State\n2|ann|COMPLETED\n{HEADER}\n", "b.txt")
    with pytest.raises(InputError, match=r"b.txt:1: these fields of sacct do not contain Submit"):
        read_records(first, further=[second])


@pytest.mark.parametrize(
    "header",
    [
        "job_id,submit,start,end,procs,user",
        "jobid,submit,start,end,ncpus,user",
        "JobID,Submitted,Started,Ended,NCPUS,User",
        "id;submit;start;end;procs;state",
    ],
)
def test_ordinary_tables_stay_tables(tmp_path: Path, header: str) -> None:
    parted = "," if "," in header else ";"
    text = header + "\n" + parted.join(("1", "5", "10", "70", "4", "ann")) + "\n"
    records = read_records(write(tmp_path, text, "jobs.csv"))
    assert "columns" in rules(records)
    assert (records.wait.tolist(), records.runtime.tolist()) == ([5], [60])


NASTY = st.text(st.sampled_from('ab|,;"\n \t1:-='), max_size=12)


@settings(max_examples=100)
@example([('||||"', '"|')], 1000, False)  # a quote to a quote would hide the fields in between
@example([('|||||"', '"')], 1000, False)
@example([('|||||"', '"')], 1000, True)
@example([('||||"', ""), ("", '"|')], 1000, True)  # as far as the next line
@example([("", '"|'), ("\n", '"')], 1000, False)  # which a line break cuts in two
@example([('||||"', "|\n"), ('||""|||\n', '\n"""|""'), ('\n|\n""|\n|"', "run")], 2524, False)
@example([('"', '||"|'), ("|", '""\n\n"'), ("", '"||\n""|"\n"')], 1000, False)
@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=8), st.integers(1000, 4000), st.booleans())
def test_no_value_is_ever_shifted(
    tmp_path_factory, names: list[tuple[str, str]], block: int, ended: bool
) -> None:
    rows = [row(k, f"sbatch {line}", name) for k, (line, name) in enumerate(names, 1)]
    text = dump([row(100), *rows, row(101)])
    fields = MORE
    if ended:
        fields = (*MORE, "NTasks")
        text = dump([[*cells, "1"] for cells in (row(100), *rows, row(101))], fields=fields)
    path = write(tmp_path_factory.mktemp("dump"), text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slurm, "BLOCK", block)
        records = read_records(path)
    count = len(records)
    left_out = sum(rules(records).get(rule, 0) for rule in ("unreadable_line", "ambiguous_line"))
    assert count == len(rows) + 2 or left_out
    assert set(texts(records, "user")) == {"ann"}
    assert set(texts(records, "group")) == {"phys"}
    assert records.submit.tolist() == [NOON] * count
    assert records.procs.tolist() == [4] * count
    assert records.walltime.tolist() == [600] * count
    assert records.runtime.tolist() == [60] * count
    if ended:
        assert left_out == 0
        truth = {100: "run", 101: "run"} | {k: name for k, (_, name) in enumerate(names, 1)}
        found = dict(zip(records.job_id.tolist(), texts(records, "executable"), strict=True))
        shown = {number: name.replace('"', "") for number, name in found.items()}  # of CSV or of the name
        wrong = {number: name for number, name in shown.items() if name != truth[number].replace('"', "")}
        assert len([name for name in wrong.values() if name]) == 0
        assert len(wrong) <= rules(records).get("ambiguous_name", 0)


def test_fields_of_tests_are_those_of_sacct() -> None:
    assert len(MORE) == len(row(1))
    assert len(FIELDS) == len(job().split("|"))
