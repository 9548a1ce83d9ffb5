"""Files that other programs wrote stay: no command replaces them without `--force`."""

import gzip
from pathlib import Path

import pytest

from tests.app.cli.commands import Commands

WORDS = b"the only copy of somebody's thesis\n"

WRITERS = {
    "simulate": ("{log}", "-o", "{out}.csv"),
    "simulate as a log": ("{log}", "-o", "{out}.swf"),
    "eet": ("{log}", "-o", "{out}.parquet"),
    "waits": ("{log}", "-o", "{out}.csv"),
    "compare": ("{log}", "-p", "easy", "-o", "{out}.csv"),
    "compare as json": ("{log}", "-p", "easy", "-o", "{out}.json"),
    "compare by user": ("{log}", "-p", "easy", "--by", "user", "-o", "{out}.json"),
    "compare as markdown": ("{log}", "-p", "easy", "-o", "{out}.md"),
    "compare as latex": ("{log}", "-p", "easy", "-o", "{out}.tex"),
    "queue": ("{log}", "--at", "500", "-o", "{out}.html"),
    "convert": ("{log}", "{out}.csv"),
    "convert to a log": ("{log}", "{out}.swf.gz"),
    "convert for Batsim": ("{log}", "{out}.json"),
    "generate": ("{out}.swf", "--jobs", "5"),
    "generate a table": ("{out}.csv", "--jobs", "5"),
    "generate compressed": ("{out}.swf.gz", "--jobs", "5"),
    "policies": ("--slurm", "easy", "-o", "{out}.conf"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_only_what_the_command_wrote_is_replaced(
    cli: Commands, small: Path, tmp_path: Path, name: str
) -> None:
    command = name.split()[0]
    words = [word.format(log=small, out=tmp_path / "out") for word in WRITERS[name]]
    (path,) = (Path(word) for word in words if "/out." in word)
    path.write_bytes(WORDS)
    refused = cli(command, *words)
    assert refused.status == 2
    assert f"{path}: this file was not written by this command" in refused.complaint
    assert path.read_bytes() == WORDS
    cli.done(command, *words, "--force")
    made = path.read_bytes()
    cli.done(command, *words)  # its own file needs no force
    again = path.read_bytes()
    if path.suffix == ".gz":
        made, again = gzip.decompress(made), gzip.decompress(again)
    if ".json" not in path.name:  # the JSON of a comparison says how long it took
        assert made == again
    assert made != WORDS


def test_generate_keeps_a_machines_file_that_is_not_its_own(cli: Commands, tmp_path: Path) -> None:
    path, machines = tmp_path / "x.swf", tmp_path / "x.swf.machines"
    site = "0\tnode\t2\t16\t1\t1048576\n"  # a site's own looks like those that are written here
    machines.write_text(site)
    generate = ("generate", path, "--jobs", "5")
    assert f"{machines}: this file was not written by this command" in cli(*generate).complaint
    assert (path.exists(), machines.read_text()) == (False, site)
    cli.done(*generate, "--force")
    assert machines.read_text() != site
    cli.done(*generate)  # both files are its own now
    machines.write_bytes(WORDS)
    assert f"{machines}: " in cli(*generate).complaint
    assert machines.read_bytes() == WORDS


def test_a_sweep_keeps_results_that_are_not_its_own(cli: Commands, small: Path, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text('title = "One run"\npolicies = ["fcfs"]\nmetrics = ["wait_mean"]\n', "utf-8")
    out.mkdir()
    path = out / "results.parquet"
    path.write_bytes(WORDS)
    sweep = ("sweep", study, small, "-o", out)
    assert f"{path}: this file was not written by this command" in cli(*sweep).complaint
    assert [file.read_bytes() for file in out.iterdir()] == [WORDS]
    cli.done(*sweep, "--force")
    assert path.read_bytes().startswith(b"PAR1")
    cli.done(*sweep)


def test_an_empty_file_is_filled(cli: Commands, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.touch()
    cli.done("eet", small, "-o", path)
    assert path.read_text().startswith("job_id,user,eet,")
