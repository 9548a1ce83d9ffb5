import os
import subprocess
import time
from pathlib import Path
from threading import Thread

import pytest

from engine.errors import InputError
from engine.logs.files.other_files import not_a_log
from engine.logs.read import read_records, read_trace
from engine.slurm.conf.slurm_conf import read_slurm_conf
from tests.engine.logs.formats.pbs import ended
from tests.engine.logs.lines import counts, line, where
from tests.engine.logs.sacct import dumps as sacct
from tests.engine.logs.sacct.documents import document, job
from tests.paths import SHARED, needs

CASES = SHARED / "cases" / "files"

SQUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
   2653343_[3-4%2]      defq    array   yhu310 PD       0:00      1 (JobArrayTaskLimit)
           2651316      proq pretrain   mda420  R 7-16:35:19      1 node078
"""
SQUEUE_LONG = """\
Wed Nov 25 13:47:00 2026
             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)
                 7     batch     wrap      ann  RUNNING       0:05   1:00:00      1 c1
"""
SCONTROL = """\
JobId=7 JobName=wrap
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   Priority=1 Nice=0 Account=phys QOS=normal
   SubmitTime=2024-01-01T10:00:00 EligibleTime=2024-01-01T10:00:00
"""
SQUEUE_ALL = (
    "ACCOUNT|GROUP|JOBID|NAME|COMMENT|TIME_LIMIT|REASON||ST|USER|END_TIME|CPUS|NODES|GROUP|PARTITION|STATE\n"
    "phys|ann|7|run|(null)|1:00:00|None||R|ann|2024-01-01T11:00:00|4|1|1000|batch|RUNNING\n"
)
NODES = """\
NodeName=c1 Arch=x86_64 CoresPerSocket=8 
   CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.10
   RealMemory=16000 AllocMem=0 FreeMem=9000 Sockets=1 Boards=1
"""  # noqa: W291
PARTITIONS = """\
PartitionName=batch
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   Nodes=c[1-4]
   State=UP TotalCPUs=32 TotalNodes=4 SelectTypeParameters=NONE
"""
HTML = '<!-- saved -->\n<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML">\n<html><body>Log in'
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:1234\nsize 123456\n"
EVENTS = "-dt 0 -e submit_batch_job | -jid 1001 -sim-walltime 15 --uid=ann -t 00:07:00 -n 12 pseudo.job\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SQUEUE, ("squeue", "sacct --allusers --parsable2")),
        ("[2024-01-01T10:00:00.123] sched: Allocate JobId=1 NodeList=c1\n", ("daemons", "sacct")),
        ("-- MySQL dump 10.13\nINSERT INTO `c_job_table` VALUES (1);\n", ("dump of a database", "CSV")),
        ("#!/bin/bash\n#SBATCH -n 4\nsrun x\n", ("a script",)),
        ("../../.git/annex/objects/x/y/MD5E-s9--a.csv/MD5E-s9--a.csv\n", ("git-annex", "annex get")),
        ("/annex/objects/MD5E-s9--a.csv\n", ("git-annex",)),
        (SQUEUE_LONG, ("squeue", "sacct")),
        ("".join(SQUEUE.splitlines(keepends=True)[1:]), ("squeue", "sacct")),
        ("squeue: warning: slow\n" + SQUEUE, ("squeue", "sacct")),
        (SCONTROL, ("scontrol show job", "sacct")),
        (SCONTROL.replace("\n  ", ""), ("scontrol show job", "sacct")),
        ("JobId=9 ArrayJobId=7 ArrayTaskId=2 JobName=a\n", ("scontrol show job", "sacct")),
        (SQUEUE_ALL, ("squeue", "sacct --allusers --parsable2")),
        (NODES, ("scontrol show node", "slurm.conf")),
        (NODES.replace("\n  ", ""), ("scontrol show node", "slurm.conf")),
        (PARTITIONS, ("scontrol show partition", "slurm.conf")),
        (PARTITIONS.replace("\n  ", ""), ("scontrol show partition", "slurm.conf")),
        (
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nbatch* up 1:00 8 idle n[1-8]\n",
            ("sinfo", "sacct"),
        ),
        ("   Cluster     ControlHost  ControlPort\n---------- ----\n", ("sacctmgr", "sacct")),
        ("-----\nCluster Utilization\nUsage reported in CPU Minutes\n-----\n", ("sreport", "sacct")),
        ("Job ID: 12\nCluster: c\nUser/Group: ann/g\n", ("seff", "sacct")),
        ("Summary of time in seconds spent in various states:\nJOBID   USER\n", ("bhist", "lsb.acct")),
        (HTML, ("HTML", "download the file itself")),
        ("\n\n  <HTML>\n<head>", ("HTML", "download the file itself")),
        ('<?xml version="1.0"?>\n<classads>\n', ("XML", "condor_history -json")),
        (LFS, ("Git LFS", "123,456 bytes", "git lfs pull")),
        (EVENTS, ("simulator", "submit_batch_job"[:6])),
        ("qname        all.q\nhostname     c1\n" + "=" * 30 + "\n", ("qacct -j", "accounting")),
        ("=" * 62 + "\nqname        all.q\nhostname     c1\n", ("qacct -j", "accounting")),
        ("job-ID  prior   name       user         state submit/start at\n---\n", ("qstat", "accounting")),
        ("Job id            Name             User   Time Use S Queue\n---\n", ("qstat", "PBS")),
        ("\nserver:\n   Req'd\nJob ID  Username Queue\n", ("qstat", "PBS")),
        ("Job Id: 12.server\n    Job_Name = a\n", ("qstat", "PBS")),
        ("JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST\n1 ann RUN\n", ("bjobs", "lsb.acct")),
        (" ID     OWNER          SUBMITTED   RUN_TIME     ST COMPLETED   CMD\n", ("condor_history -json",)),
        ("-- Schedd: a : <1.2.3.4:9618>\nOWNER BATCH_NAME  SUBMITTED  DONE\n", ("condor_history -json",)),
        ("  JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n", ("flux jobs -A -c",)),
        (
            "  JOBID QUEUE    USER     NAME  ST NTASKS NNODES     TIME INFO\n",
            ("flux jobs -A -c",),
        ),
    ],
)
def test_a_file_that_is_no_log_is_named_with_what_to_open_instead(tmp_path, text, says):
    path = tmp_path / "log.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert str(caught.value).startswith((f"{path}: this is", f"{path}: these are"))
    assert all(word in str(caught.value) for word in says), str(caught.value)


def test_what_scontrol_prints_of_partitions_alone_is_no_machine(tmp_path):
    for k, text in enumerate((PARTITIONS, PARTITIONS.replace("\n  ", ""))):
        path = tmp_path / f"{k}.txt"
        path.write_text(text)
        with pytest.raises(InputError, match=r"scontrol show partition.*give the slurm.conf"):
            read_slurm_conf(path)


def test_what_scontrol_prints_of_nodes_is_a_machine(tmp_path):
    for k, text in enumerate((NODES, NODES.replace("\n  ", ""))):
        path = tmp_path / f"{k}.txt"
        path.write_text(text)
        assert read_slurm_conf(path).machine.spelling.startswith("8c")


@needs(CASES)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("s21-squeue.txt", "squeue"),
        ("s22-scontrol.txt", "scontrol show job"),
        ("ubccr-jobs500.events", "events for a simulator"),
    ],
)
def test_cases_from_the_field(name, says):
    with pytest.raises(InputError, match=f"^{CASES / name}: th[a-z]+ (is|are) (what )?{says}"):
        read_trace(CASES / name)


def test_of_several_files_the_one_that_is_no_log_is_named(tmp_path):
    (tmp_path / "a.txt").write_text(f"{sacct.HEADER}\n{sacct.job()}\n")
    (tmp_path / "b.txt").write_text(SQUEUE)
    with pytest.raises(InputError, match=r"/b\.txt: this is what squeue prints"):
        read_trace(tmp_path)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"%PDF-1.7\n\0", "this is a PDF, not the text of a log"),
        (
            b"SQLite format 3\0\0\0",
            "this is a SQLite database; write the table of jobs to a CSV, not the text",
        ),
        (b"\x80\x04\x95\0\0", "this is a Python pickle, which is never read"),
        (b"ab\0c", "this is a binary file, not the text of a log"),
    ],
)
def test_binary_files_are_named(tmp_path, data, says):
    path = tmp_path / "log"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert str(caught.value).startswith(f"{path}: {says}")


@pytest.mark.parametrize(
    "text",
    ["<!---->" * 600, "<?xml" * 800, "1 " + " " * 4090, "1 " * 2000, "a " * 2048 + "PD", "-dt " * 1000],
)
def test_no_text_takes_long(text):
    begun = time.thread_time()
    not_a_log(text.encode() + b"\n")
    assert time.thread_time() - begun < 1


SACCT = f"{sacct.HEADER}\n{sacct.job()}\n{sacct.job(JobID=2)}\n"


@pytest.mark.parametrize(
    ("before", "log", "lines"),
    [
        ("sacct: warning: something\n", SACCT, (1,)),
        ("[ann@login1 ~]$ sacct -P --format=...\n", SACCT, (1,)),
        ("ann@login:~/logs$ sacct -a -P\n", SACCT, (1,)),
        ("sacct: error: slurm_persist_conn_open: a, b, c\n\nsacct: error: again\n", SACCT, (1, 3)),
        ("Warning: Permanently added 'login' (ED25519) to the list of known hosts.\n", SACCT, (1,)),
        ("** WARNING: connection is not using post-quantum **\nWelcome to login7\n", SACCT, (1, 2)),
        ("slurm_load error: timed out\n", document(job(), job(job_id=2)), (1,)),
        ("Jobs of 2024\nmade by hand\n\n", "id,submit,runtime,procs\n1,0,5,1\n2,0,5,1\n", (1, 2)),
        ("sacct: info: x\n", f"{line()}\n{line(job=2)}\n", (1,)),
    ],
)
def test_messages_before_a_log_are_left_out_and_counted(tmp_path, before, log, lines):
    path = tmp_path / "log.txt"
    path.write_text(before + log)
    trace = read_trace(path)
    assert trace.job_id.tolist() == [1, 2]
    assert where(trace, "messages") == (len(lines), lines)


def test_messages_stand_before_each_file(tmp_path):
    for k in (1, 2):
        (tmp_path / f"{k}.txt").write_text(f"sacct: error: a\n{sacct.HEADER}\n{sacct.job(JobID=k)}\n")
    trace = read_trace(tmp_path)
    assert trace.job_id.tolist() == [1, 2]
    assert where(trace, "messages") == (2, (1, 4))


@pytest.mark.parametrize(
    "text",
    [
        f"{line()}\n{line(job=2)}\n",
        f"; Note: we submit, then wait\n{line()}\n",
        f"{ended()}\n",
    ],
)
def test_logs_without_messages_are_read_whole(tmp_path, text):
    path = tmp_path / "log.txt"
    path.write_text(text)
    assert "messages" not in counts(read_trace(path))


def test_a_row_of_a_table_is_no_header(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("when,how long,state\n1,2,submitted\n")
    with pytest.raises(
        InputError, match="no column holds submit, procs, runtime of jobs; there are: when, how"
    ):
        read_trace(path)


@needs(CASES / "x12b-warn-first.txt")
def test_a_warning_in_the_first_line():
    trace = read_trace(CASES / "x12b-warn-first.txt")
    assert trace.job_id.tolist() == [1, 2]
    assert trace.wait.tolist() == [300, 300]
    assert where(trace, "messages") == (1, (1,))


def test_columns_of_sacct_without_their_dashes_are_named(tmp_path):
    (tmp_path / "dump.txt").write_text(
        "JobID           JobName      User      State              Submit\n"
        "1             my job       ann  COMPLETED 2024-01-01T10:00:00\n"
    )
    with pytest.raises(InputError, match=r"columns, but the line of dashes .* sacct --allusers"):
        read_trace(tmp_path / "dump.txt")


@pytest.mark.skipif(os.name == "nt", reason="the line is for a shell of POSIX")
@pytest.mark.parametrize(
    "text",
    [
        "1,1700000000,1700000100,1700000900,4,anna\n2,1700000050,1700000200,1700000300,8,ben\n",
        "1\t2024-01-31T10:00:00\t2024-01-31 10:05\t2024-01-31 11:05\t4\tanna\n",
        "1;31/01/2024 10:00;31/01/2024 10:05;31/01/2024 11:05;4;anna\n",
        "1|2024-01-31T10:00:00|2024-01-31 10:05|2024-01-31 11:05|4|anna\n",
        "anna-1,2024-01-31 10:00,2024-01-31 10:05,2024-01-31 11:05,4,anna\n",
        "1 2024-01-31T10:00:00  2024-01-31T10:05:00 2024-01-31T11:05:00 4 anna\n",
    ],
)
def test_a_table_without_a_header_is_read_by_the_line_that_the_message_gives(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "a b.csv"
    path.write_text(text * 3, "utf-8")
    with pytest.raises(InputError, match="without a line that names them") as caught:
        read_records(path)
    line = str(caught.value).rpartition("none of these: ")[2]
    command, _, reading = line.rpartition(" | ")
    assert reading == "batchscope info -"
    again = tmp_path / "again.csv"
    again.write_bytes(subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout)
    assert len(read_records(again)) == 3 * text.count("\n")


def test_parquet_from_a_pipe_is_refused_with_what_to_do(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(b"PAR1" + bytes(100) + b"PAR1",))
    writer.start()
    with pytest.raises(InputError, match=r"a Parquet file in a pipe, .*; write it to a file and give that"):
        read_trace(pipe)
    writer.join(60)


def test_a_named_pipe_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that closes it and opens it again loses what the writer wrote meanwhile."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    opened = []

    def note_open(path: Path, flags: int) -> int:
        opened.append(Path(path))
        return real_open(path, flags)

    real_open = os.open
    monkeypatch.setattr("engine.input.os.open", note_open)
    writer = Thread(target=pipe.write_bytes, args=(b"1 0 0 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n" * 3,))
    writer.start()
    assert len(read_trace(pipe)) == 3
    writer.join(60)
    assert opened.count(pipe) == 1
