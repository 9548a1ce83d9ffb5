from pathlib import Path

import pytest

from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.simulation.quality_notes import by_effect
from engine.trace.trace import Note
from tests.engine.logs.lines import counts, line, text_of, write_log


def test_what_a_note_quotes_is_shown_in_one_line():
    note = Note("rule", "nodes \x1b[31mred\x07, a\nb, \u202eevil, 1\u202f000", 1, (3,))
    assert note.text == "nodes \\x1b[31mred\\x07, a\\nb, \\u202eevil, 1\u202f000"
    assert len(Note("rule", "x" * 5000, 1).text) < 1100


@pytest.mark.parametrize(("per_cpu_kib", "noted"), [(1 << 20, 0), (300 << 20, 0), (1 << 33, 3)])
def test_ram_that_no_machine_has_is_said_before_all_else(
    tmp_path: Path, per_cpu_kib: int, noted: int
) -> None:
    """Half of the jobs may have 300 GiB a processor; in bytes where the format has KiB all have too much."""
    large = [line(job=k, submit=k, ram=per_cpu_kib) for k in range(1, 4)]
    small = [line(job=k, submit=k, ram=1 << 20) for k in range(4, 8)] if noted == 0 else []
    trace = read_log_as(write_log(tmp_path / "log.swf", *large, *small), Reading(units="ram=kb")).trace
    assert counts(trace).get("most_ram", 0) == noted
    if noted:
        assert by_effect(trace.notes)[0].text.startswith("jobs have more than 256 GiB of RAM a processor")


def test_notes_on_a_chosen_cluster_say_where_they_were_counted(tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    times = "2024-01-01T10:00:00|2024-01-01T09:00:00|2024-01-01T11:00:00"
    rows = [f"{k}|{'ab'[k % 2]}|ann|{times}|4|COMPLETED" for k in range(1, 5)]
    path.write_text("\n".join(["JobID|Cluster|User|Submit|Start|End|NCPUS|State", *rows, ""]))
    of_all = "(counted in the whole log, of all clusters)"
    one = read_log_as(path, Reading(clusters="a")).trace
    assert (len(one), counts(one)["early_start"]) == (2, 4)
    assert text_of(one, "early_start").endswith(of_all)
    both = read_log_as(path, Reading(clusters="a,b")).trace
    assert not any(note.text.endswith(of_all) for note in both.notes)
