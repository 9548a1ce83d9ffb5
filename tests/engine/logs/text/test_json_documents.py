import gzip
import json

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.formats.pbs import ended
from tests.engine.logs.lines import counts, line, where
from tests.engine.logs.sacct.documents import document, job


def workload(*jobs, size=8, delays=None):
    """A workload of Batsim: jobs are (id, subtime, res, profile)."""
    names = ("id", "subtime", "res", "profile")
    profiles = {name: {"type": "delay", "delay": delay} for name, delay in (delays or {"a": 60}).items()}
    rows = [dict(zip(names, values, strict=True)) for values in jobs]
    return json.dumps({"nb_res": size, "jobs": rows, "profiles": profiles})


@pytest.fixture
def read(tmp_path):
    """Read texts as the files of one log, `0.json` first."""

    def read(*texts, **options):
        paths = [tmp_path / f"{k}.json" for k in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8")
        return read_trace(paths[0], further=paths[1:], **options)

    return read


def problem(read, tmp_path, *texts, **options):
    with pytest.raises(InputError) as caught:
        read(*texts, **options)
    return str(caught.value).removeprefix(f"{tmp_path}/")


def test_files_of_sacct_are_one_log(read):
    trace = read(document(job()), document(job(job_id=2), job(job_id=3)))
    assert trace.job_id.tolist() == [1, 2, 3]
    assert counts(trace)["steps"] == 3


@pytest.mark.parametrize("between", ["", "\n", "\n\n  \r\n"])
def test_documents_of_one_file_are_one_log(read, between):
    trace = read(between.join(document(job(job_id=k)) for k in (4, 5, 6)) + between)
    assert trace.job_id.tolist() == [4, 5, 6]


def test_a_folder_of_documents_is_one_log(tmp_path):
    (tmp_path / "2024-01.json").write_text(document(job()))
    (tmp_path / "2024-02.json").write_text('{"jobs": []}')
    (tmp_path / "2024-10.json.gz").write_bytes(gzip.compress(document(job(job_id=2)).encode()))
    assert read_trace(tmp_path).job_id.tolist() == [1, 2]


def test_dumps_that_overlap_have_each_job_once(read):
    trace = read(document(job(), job(job_id=2)), document(job(job_id=2), job(job_id=3)))
    assert trace.job_id.tolist() == [1, 2, 3]
    assert counts(trace)["requeued"] == 1


def test_lines_are_counted_through_all_files(read):
    first, odd = document(job()), document(job(job_id=2, state={"current": ["FOO"]}))
    trace = read(first, odd)
    (number,) = where(trace, "unknown_state")[1]
    both = [*first.split("\n"), *odd.split("\n")]
    assert '"job_id": 2' in both[number]


def test_workloads_are_one_log_each_with_its_own_profiles(read):
    trace = read(
        workload(("a", 0, 2, "p"), delays={"p": 10}),
        workload(("b", 5, 3, "p"), delays={"p": 20}),
        workload(("c", 7, 4, "p"), delays={"q": 20}),
    )
    assert trace.job_id.tolist() == ["a", "b"]
    assert trace.recorded_runtime.tolist() == [10, 20]
    assert trace.cluster.spelling == "8c"
    assert counts(trace)["unknown_profile"] == 1


def test_a_job_that_two_workloads_have_counts_once(read):
    trace = read(workload((1, 0, 2, "a"), (2, 5, 2, "a")), workload((2, 5, 2, "a"), (3, 9, 1, "a")))
    assert trace.job_id.tolist() == [1, 2, 3]
    assert where(trace, "repeated") == (1, (2,))


def test_different_jobs_of_one_id_are_named_by_their_workload(read):
    trace = read(workload((1, 0, 2, "a"), ("w7!2", 5, 2, "a")), workload((1, 6, 2, "a"), ("w7!2", 8, 1, "a")))
    assert trace.job_id.tolist() == ["w0!1", "w7!2", "w1!1", "w7!2"]
    assert where(trace, "renamed") == (2, (1, 2))


def test_workloads_of_machines_of_different_sizes(read, tmp_path):
    texts = workload((1, 0, 2, "a")), workload((2, 0, 2, "a"), size=16)
    assert problem(read, tmp_path, *texts) == (
        "1.json:1: this workload is for 16 processors, one before for 8: together they are not one log, "
        "unless --cluster names a machine for both"
    )


SACCT = document(job())


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (
            SACCT,
            workload((1, 0, 1, "a")),
            "1.json:1: this is a job of Batsim, and those before are jobs of Slurm",
        ),
        (
            workload((1, 0, 1, "a")),
            SACCT,
            "1.json:8: this is a job of Slurm, and those before are jobs of Batsim",
        ),
        (SACCT, '\n\n{"a": 1}', "1.json:3: this is not a job: it has a, and those before are jobs of Slurm"),
        (SACCT, "7", "1.json:1: this JSON is broken: Expecting an object or a list"),
        (SACCT, SACCT[:-9], "1.json:"),
        (SACCT, ended(), "1.json: this is an accounting log of PBS, and the log begins as JSON: together"),
        (ended(), SACCT, "1.json: this is JSON, and the log begins as an accounting log of PBS: together"),
        (
            line(),
            SACCT,
            "1.json: this is JSON, and the log begins as another format: together they are not one log",
        ),
    ],
)
def test_what_cannot_be_joined_is_an_error_that_names_the_file(read, tmp_path, first, second, says):
    assert problem(read, tmp_path, first, second).startswith(says)


def test_errors_name_the_line_in_their_own_file(tmp_path):
    (tmp_path / "a.json").write_text(SACCT)
    (tmp_path / "b.json").write_text('{"jobs": [\n\n{"job_id": 1,\n "time": x}]}')
    with pytest.raises(InputError, match=r"/b\.json:4: this JSON is broken: Expecting value$"):
        read_trace(tmp_path)


def test_a_list_of_jobs_of_no_document_is_text(read):
    """What looks like the list of jobs inside of a text is none."""
    trace = read('{"note": "\\"jobs\\": [ ] ", ' + workload((1, 0, 1, "a"))[1:])
    assert trace.job_id.tolist() == [1]


@pytest.mark.parametrize(
    "text",
    [
        '{"jobs": [{"subtime": 1} {"subtime": 2}]}',
        '{"jobs": [{"subtime": 1}], "a" 1}',
        '{"jobs": [{"subtime": 1}] "a": 1}',
        '{"jobs": [{"subtime": 1}], 7: 1}',
        '{"jobs": [{"subtime": 1}]',
        '{"jobs": [{"subtime": 1}]}]',
        '{"jobs": [{"subtime": 1}]}, {"jobs": []}',
    ],
)
def test_broken_documents(read, tmp_path, text):
    assert problem(read, tmp_path, text).startswith("0.json:1: this JSON is broken: Expecting ")


def test_half_a_surrogate_pair_in_a_name_is_written_as_its_escape(read):
    names = ("half\ud800", "\udce9t\udce9", "whole\U0001f600")
    trace = read(document(*(job(job_id=k + 1, user=name) for k, name in enumerate(names))))
    assert trace.user.names == ("half\\ud800", "\\udce9t\\udce9", "whole\U0001f600")
