import json

import numpy as np
import pytest

from engine.logs.read import read_trace
from tests.engine.logs.formats.condor import NOON, ad, as_json, as_lines, read, spelled
from tests.engine.logs.lines import counts
from tests.paths import SHARED, needs

CASE = SHARED / "cases" / "files" / "j01-condor.json"
FORMS = pytest.mark.parametrize("form", [as_lines, as_json], ids=["lines", "json"])


def names(column):
    return [column.names[code] for code in column.codes]


@needs(CASE)
def test_the_case_from_the_field():
    trace = read_trace(CASE)
    assert trace.job_id.tolist() == ["12.0", "12.1"]
    assert (trace.submit.tolist(), trace.wait.tolist()) == ([1704103200, 1704103200], [300, 400])
    assert (trace.runtime.tolist(), trace.procs.tolist()) == ([3600, 3600], [4, 4])
    assert (trace.ram.tolist(), trace.status.tolist()) == ([2048, 2048], [1, 1])
    assert names(trace.user) == ["u1", "u1"]


@FORMS
def test_an_ad(tmp_path, form):
    trace = read(tmp_path, form(ad(AcctGroup="phys", RequestGPUs=2, MaxWallTimeMins=10), ad(1)))
    assert trace.job_id.tolist() == ["12.0", "12.1"]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0]) == (NOON, 10, 60)
    assert (trace.procs[0], trace.ram[0], trace.gpus[0], trace.status[0]) == (4, 2048, 2, 1)
    assert trace.walltime.tolist() == [600, 60]
    assert [names(column)[0] for column in (trace.user, trace.group, trace.executable)] == [
        *("ann", "phys", "/home/ann/run")
    ]


@FORMS
@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({}, 1),
        ({"ExitCode": 2}, 0),
        ({"ExitCode": -1}, 0),
        ({"ExitBySignal": True, "ExitSignal": 9, "ExitCode": None}, 0),
        ({"ExitCode": None, "ExitStatus": 1}, 0),
        ({"ExitCode": None, "ExitBySignal": None}, 1),
        ({"JobStatus": 3, "CompletionDate": 0}, 5),
    ],
)
def test_statuses(tmp_path, form, values, status):
    assert read(tmp_path, form(ad(**values))).status.tolist() == [status]


@FORMS
@pytest.mark.parametrize(
    ("values", "start", "runtime"),
    [
        # two starts: the last one counts
        ({"JobCurrentStartDate": NOON + 40, "NumJobStarts": 2, "RemoteWallClockTime": 55}, 40, 30),
        # only the first start is known, and machines were held for less than until the end
        ({"JobCurrentStartDate": None, "NumJobStarts": None, "CompletionDate": NOON + 1010}, 950, 60),
        ({"JobCurrentStartDate": None, "NumJobStarts": None}, 10, 60),
        # removed while it ran
        ({"JobStatus": 3, "CompletionDate": 0}, 10, 60),
        (
            {"JobStatus": 3, "CompletionDate": 0, "LastRemoteWallClockTime": 20.2, "NumJobStarts": 3},
            10,
            21,
        ),
        (
            {
                **{"JobStatus": 3, "CompletionDate": 0, "RemoteWallClockTime": 0, "LastJobStatus": 2},
                "EnteredCurrentStatus": NOON + 50,
            },
            10,
            40,
        ),
    ],
)
def test_the_last_run_counts(tmp_path, form, values, start, runtime):
    trace = read(tmp_path, form(ad(**values)))
    assert (trace.wait.tolist(), trace.recorded_runtime.tolist()) == ([start], [runtime])


@FORMS
def test_runs_before_the_last_are_counted(tmp_path, form):
    trace = read(tmp_path, form(ad(), ad(1, NumJobStarts=2), ad(2, JobStartDate=NOON + 5)))
    assert counts(trace)["requeued"] == 2


@FORMS
def test_jobs_that_never_ran_or_have_not_ended(tmp_path, form):
    never = {"JobStartDate": None, "JobCurrentStartDate": None, "RemoteWallClockTime": 0, "CompletionDate": 0}
    trace = read(
        tmp_path,
        form(
            ad(),
            ad(1, JobStatus=3, **never),
            ad(2, JobStatus=1, **never),
            ad(3, JobStatus=2, CompletionDate=0),
            ad(4, JobStatus=3, CompletionDate=0, RemoteWallClockTime=0),
        ),
    )
    assert trace.job_id.tolist() == ["12.0"]
    assert counts(trace)["drop_no_runtime"] == 4


EXPRESSION = "=ifthenelse(MemoryUsage =!= undefined,MemoryUsage,1)"


@FORMS
@pytest.mark.parametrize(
    ("values", "procs", "ram"),
    [
        ({"RequestCpus": EXPRESSION, "CpusProvisioned": 8}, 8, 2048),
        ({"RequestCpus": None}, 1, 2048),
        ({"RequestMemory": EXPRESSION, "MemoryProvisioned": 4096}, 4, 4096),
        ({"RequestMemory": EXPRESSION, "ResidentSetSize": 1025}, 4, 2),
        ({"RequestMemory": None}, 4, -1),
        ({"RequestMemory": 0.5}, 4, 1),
    ],
)
def test_what_is_asked_for_may_be_an_expression(tmp_path, form, values, procs, ram):
    trace = read(tmp_path, form(ad(**values)))
    assert (trace.procs.tolist(), trace.ram.tolist()) == ([procs], [ram])


@FORMS
@pytest.mark.parametrize(
    ("values", "walltime"),
    [
        ({"AllowedJobDuration": 900, "MaxWallTimeMins": 1}, 900),
        ({"AllowedExecuteDuration": 800}, 800),
        ({"MaxRuntime": 700}, 700),
        ({"AllowedJobDuration": 1e18}, 60),
        ({"AllowedJobDuration": 0, "MaxRuntime": "=3600 * 2"}, 60),
    ],
)
def test_limits(tmp_path, form, values, walltime):
    assert read(tmp_path, form(ad(**values))).walltime.tolist() == [walltime]


@FORMS
def test_the_machine_is_derived_from_hosts(tmp_path, form):
    trace = read(
        tmp_path,
        form(
            ad(),
            ad(1, LastRemoteHost="slot2@glidein_1_2@c1.site.org", JobCurrentStartDate=NOON + 20),
            ad(2, LastRemoteHost="c2", RequestCpus=1),
        ),
    )
    assert trace.cluster.spelling == "8c+1c"


@FORMS
def test_a_job_of_the_parallel_universe(tmp_path, form):
    hosts = "slot1@c1,slot1@c2,slot2@c2,slot1@c3"
    trace = read(
        tmp_path, form(ad(JobUniverse=11, MaxHosts=3, AllRemoteHosts=hosts, RequestMemory=100, RequestCpus=2))
    )
    assert (trace.procs.tolist(), trace.ram.tolist()) == ([6], [300])
    assert np.diff(trace.recorded_nodes.offset).tolist() == [3]


@FORMS
def test_jobs_that_did_not_run_in_the_pool(tmp_path, form):
    trace = read(tmp_path, form(ad(), *(ad(k, JobUniverse=k) for k in (7, 9, 12))))
    assert trace.job_id.tolist() == ["12.0"]
    assert counts(trace)["elsewhere"] == 3


@FORMS
def test_groups(tmp_path, form):
    trace = read(
        tmp_path,
        form(
            ad(AccountingGroup="group_a.b.ann"),
            ad(1, AccountingGroup="group_a.bob"),
            ad(2, AcctGroup="x", AccountingGroup="x.ann"),
            ad(3, Owner=None, User="ann@site.org"),
        ),
    )
    assert names(trace.group) == ["group_a.b", "group_a.bob", "x", ""]
    assert names(trace.user) == ["ann"] * 4


@FORMS
def test_an_ad_that_comes_again(tmp_path, form):
    running = ad(JobStatus=2, CompletionDate=0)
    trace = read(tmp_path, form(running, ad(), running, ad(RequestCpus=1)))
    assert trace.procs.tolist() == [1]
    assert counts(trace)["repeated"] == 3


@FORMS
def test_jobs_of_several_hosts_have_ids_of_their_own(tmp_path, form):
    trace = read(
        tmp_path, form(ad(), ad(GlobalJobId=f"b#12.0#{NOON}"), ad(1), ad(GlobalJobId=None, QDate=NOON + 1))
    )
    assert trace.job_id.tolist() == ["login.site.org#12.0", "b#12.0", "12.1", "12.0"]


@FORMS
def test_names_of_attributes_are_of_any_case(tmp_path, form):
    trace = read(tmp_path, form({n.lower() if n != "ClusterId" else n: value for n, value in ad().items()}))
    assert (trace.procs[0], trace.ram[0]) == (4, 2048)


def test_a_history_file_of_the_program(tmp_path):
    banner = '*** Offset = 0 ClusterId = 12 ProcId = 0 Owner = "ann" CompletionDate = 1577880070\n'
    trace = read(tmp_path, "".join(spelled(ad(k)) + banner for k in range(3)))
    assert trace.job_id.tolist() == ["12.0", "12.1", "12.2"]
    assert counts(trace).get("unreadable_line", 0) == 0


def test_lines_of_json(tmp_path):
    trace = read(tmp_path, "".join(json.dumps(ad(k)) + "\n" for k in range(3)))
    assert trace.job_id.tolist() == ["12.0", "12.1", "12.2"]


def test_headings_and_other_lines(tmp_path):
    text = "-- Schedd: login : <1.2.3.4:9618>\n" + as_lines(ad(), ad(1, Iwd="a = b", Args='"x" = y'), ad(2))
    trace = read(tmp_path, text + "nonsense\n\nClusterIds = 1\n")
    assert trace.job_id.tolist() == ["12.0", "12.1", "12.2"]
    assert counts(trace)["unreadable_line"] == 2  # the ad without a cluster is the second
