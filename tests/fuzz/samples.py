"""Small valid samples of everything that is read, and words that mean something in each."""

from engine.metrics.catalog import METRICS
from engine.policy.examples import EXAMPLES
from engine.policy.keys import KEYS
from engine.policy.policy import PRESETS
from tests.engine.logs.formats import condor, flux, lsf, pbs, sge
from tests.engine.logs.lines import line
from tests.engine.logs.nodes import prints
from tests.engine.logs.sacct import documents as sacct_json
from tests.engine.logs.sacct import dumps as sacct
from tests.engine.logs.sacct.prints import jobcomps as jobcomp

_HEADER = (
    "; Version: 2.2\n; UnixStartTime: 843000000\n; TimeZoneString: Europe/Prague\n; MaxNodes: 8\n"
    "; MaxProcs: 64\n; Queue: 1 short\n; Note: made\n; Note: by hand\n\n"
)


def _lines(extra: str = "", submit: int = 0) -> str:
    return "".join(
        line(extra, submit=submit + 60 * k, runtime=30 * k % 97, walltime=30, **of_job) + "\n"
        for k in range(1, 12)
        for of_job in [{"job": k, "procs": 1 + k % 9, "user": k % 4, "ram": 1024}]
    )


SWF = (_HEADER + _lines()).encode()
ALEA = (
    _lines("{3,3,4} q_2h 1:ppn=2:cl_big:^cl_small#excl", 1_356_996_147)
    + line("{3} normal 1:ppn=1+1:ppn=1:big1.site.org", job=70, submit=1_356_996_147)
    + "\n"
).encode()
SACCT = "".join(
    f"{text}\n"
    for text in (
        sacct.HEADER,
        *(sacct.job(JobID=k, ReqMem=f"{k}Gn", NodeList=f"c[{k}-{k + 1}]", NNodes=2) for k in range(1, 7)),
        sacct.job(JobID="7.batch", User=""),
        sacct.job(JobID="8_[1-3]", ReqTRES="cpu=4,mem=2G,gres/gpu:a100=2", Timelimit="UNLIMITED"),
        sacct.job(JobID="9+0", State="CANCELLED by 7", Eligible="Unknown"),
        sacct.job(JobID="9+1", State="RUNNING", End="Unknown", NodeList="None assigned"),
        sacct.job(JobID=3, Start=sacct.clock(900), End=sacct.clock(950), NodeList="c1,d[01-03,07]"),
    )
).encode()
SACCT_LINES = "".join(
    f"{text}|{line}\n"
    for text, line in (
        (sacct.HEADER, "SubmitLine"),
        *((sacct.job(JobID=k), f"sbatch -d afterok:{k - 1}:{k // 2} j") for k in range(1, 6)),
        (sacct.job(JobID="7_2"), 'sbatch --dependency="afterany:3?afterany:4" j'),
        (sacct.job(JobID="8_2"), "sbatch -d aftercorr:7,singleton,after:1+5 j"),
    )
).encode()
SACCT_BARE = "".join(
    f"{k}|{k}|k|batch|normal|phys|g|1|ann|1|{sacct.clock(k)}|{sacct.clock(k)}|{sacct.clock(2 * k)}|"
    f"{sacct.clock(99)}|00:01:00|0:0|COMPLETED|1|4|4|{1000 * k}Mc|cpu=4|cpu=4,mem=1G|1-00:00:00|n[{k}]|"
    f"{'a|b' if k % 2 else 'a'}\n"
    for k in range(1, 9)
).encode()
SACCT_USED = "".join(
    f"{text}|{used}\n"
    for text, used in (
        (
            sacct.HEADER,
            "NTasks|TotalCPU|UserCPU|SystemCPU|MaxRSS|AveRSS|TRESUsageInTot|TRESUsageInMax|ConsumedEnergyRaw",
        ),
        *((sacct.job(JobID=k), f"|0{k}:15.057|00:01|00:02.5|||||{k}000") for k in range(1, 5)),
        (sacct.job(JobID="1.batch"), "1|1-00:00:07|||4408K|1.5M|cpu=00:00:07,mem=4408K,vmem=9G||7"),
        (sacct.job(JobID="2.0", NCPUS=8), "4|00:00:09|||10M||||"),
        (sacct.job(JobID="2.extern"), "1||||0|0|energy=0,mem=0||888"),
        (sacct.job(JobID="3.0"), "2||||9M||gres/gpumem=3G,gres/gpuutil=150,mem=1.25G|gres/gpuutil=99|"),
        (sacct.job(JobID="9_1.0"), "|||||||mem=3M|18446744073709551614"),
        (sacct.job(JobID=1, Start=sacct.clock(900), End=sacct.clock(950)), "||||||||"),
    )
).encode()
PBS = "\n".join(
    (
        *pbs.LIFE,
        *(pbs.ended(job=k, nodes=1 + k % 3, resources_used__cput=f"00:0{k}:00") for k in range(2, 9)),
        pbs.ended(9, resources_used__mem="512000kb"),
        "; comment",
        "",
    )
).encode()
SGE = "\n".join(
    (
        *(sge.record(job=k, slots=k, task=k % 3) for k in range(1, 9)),
        sge.record(job=9, part="1.c2"),
        sge.record(job=9, more=":NONE:NONE:700000000:6:host"),
        "# end",
        "",
    )
).encode()
LSF = "\n".join(
    (*(lsf.record(job=k, hosts=("4*c1", "c2")[: k % 3], used=k * 3000) for k in range(1, 9)), "")
).encode()
_FLUX = (
    *(flux.job(k, nodelist=f"c[1-{k}]", nnodes=k, ncores=k) for k in range(1, 5)),
    flux.job(6, result=4, state=64, t_run=0.0, expiration=1577880090.5),
    flux.job(7, ncores=None, result="", success="", state="RUN", t_cleanup=None),
    flux.job("\u01923ETxsR9H", annotations={"sched": {"resource_summary": "rank[0-1]/core[0-3],gpu0"}}),
)
FLUX = (flux.document(*_FLUX).encode(), flux.lines(*_FLUX).encode())
_ADS = (
    *(condor.ad(k, NumJobStarts=k, LastRemoteHost=f"slot1@c{k % 3}") for k in range(5)),
    condor.ad(5, JobStatus=3, CompletionDate=0, RequestMemory="=ceiling(ImageSize / 1024)", RequestGPUs=1),
    condor.ad(6, JobUniverse=11, MaxHosts=2, AllRemoteHosts="slot1@c1,slot2@c2", MaxWallTimeMins=5),
    condor.ad(5, ExitBySignal=True, GlobalJobId="b#12.5#1"),
)
CONDOR = (condor.as_lines(*_ADS).encode(), condor.as_json(*_ADS).encode())
GWF = (
    "# Grid workload\n# UnixStartTime: 1074297600\n"
    + "".join(
        f"{k}\t{60 * k}\t5\t{30 * k}.5\t4\t-1\t2048\t{k}\t1800\t-1\t{k % 6}\tU{k % 3}\tG2\tX3\tQ0"
        f"\t-1\tS{k % 2}\tS1\tUNITARY" + "\t-1" * 10 + "\n"
        for k in range(9)
    )
    + "9 700 -60 9 1 -1 -1 1 900 -1 1 U1 G2 X4 Q1 P1 O1 L1"
    + " -1" * 11
    + "\n"
).encode()
JOBCOMP = "\n".join(
    (
        *(jobcomp.record(k, NodeList=f"c[1-{k}]", NodeCnt=k, ProcCnt=k) for k in range(1, 6)),
        jobcomp.record(6, JobState="RESIZING"),
        jobcomp.record(6, JobState="TIMEOUT", Name="a JobState=b", WorkDir="/x y"),
        jobcomp.record(8, ArrayJobId=7, ArrayTaskId=1, StartTime="Unknown", NodeCnt=0),
        jobcomp.record(10, HetJobId=9, HetJobOffset=1, TimeLimit="UNLIMITED"),
        "",
    )
).encode()
GRIDWARE = "".join(
    f'{{"job_number":{k},"task_number":{k % 3},"start_time":{1_720_000_000 + k}000000,'
    f'"end_time":{1_720_000_900 + k}000000,"submission_time":1720000000000000,"owner":"u{k % 2}","group":"g",'
    f'"qname":"all.q","hostname":"exec{k % 3}","slots":{k},"job_name":"a","granted_pe":"mpi",'
    f'"category":"-l h_rt=7200,h_vmem={k}G -pe mpi {k}","failed":0,"exit_status":{k % 2},'
    f'"usage":{{"rusage":{{"ru_wallclock":900}},"usage":{{"cpu":{k}.5,"maxvmem":1000000}}}}}}\n'
    for k in range(1, 7)
).encode()
ELASTIC = "".join(
    f'{{"jobid":{k},"username":"u{k % 2}","groupname":"g","@start":"2024-01-01T10:05:0{k}","@end":'
    f'"2024-01-01T11:05:0{k}","elapsed":3600,"partition":"cpu","nodes":"n0[1-{k}]","total_cpus":{k},'
    f'"total_nodes":{k},"exit_code":"0:0","state":"COMPLETED","@submit":"2024-01-01T10:00:00",'
    f'"account":"a","time_limit":7200,"qos":"normal","tres_alloc":"1={k},2=4000,4={k}"}}\n'
    for k in range(1, 7)
).encode()
RESIZED = "".join(
    f"{text}\n"
    for text in (
        sacct.HEADER,
        *(
            sacct.job(
                JobID=k, State="RESIZING", NCPUS=8, NodeList=f"c[1-{k}]", NNodes=k, End=sacct.clock(30 + k)
            )
            for k in range(1, 5)
        ),
        *(sacct.job(JobID=k, Start=sacct.clock(30 + k), NCPUS=4) for k in range(1, 5)),
        sacct.job(JobID="7+0", State="RESIZING", Cluster="a"),
        sacct.job(JobID="7+1", State="RESIZING", Cluster="b", Partition="gpu"),
        sacct.job(JobID="7+0", State="REVOKED", Cluster="b"),
        sacct.job(JobID=8, Cluster="a", NodeList="c1"),
    )
).encode()
PBS_PIECES = "\n".join(
    (
        pbs.record("S", user="ann", ctime=pbs.NOON, start=pbs.NOON + 2, exec_host="c1/0*4+c2/0*4"),
        pbs.record("u", user="ann", ctime=pbs.NOON, start=pbs.NOON + 2, exec_host="c1/0*4+c2/0*4"),
        pbs.record("c", user="ann", ctime=pbs.NOON, start=pbs.NOON + 9, exec_host="c1/0*4"),
        *(pbs.ended(job=k, exec_host=f"c[1-{k}]/0-3", Resource_List__place="excl") for k in range(1, 4)),
        "",
    )
).encode()
SACCT_JSON = sacct_json.document(
    *(sacct_json.job(job_id=k, nodes=f"c[1-{k}]", allocation_nodes=k) for k in range(1, 5)),
    sacct_json.job(job_id=11, steps=[sacct_json.step("batch", seconds=3), sacct_json.step("0", energy=70)]),
    sacct_json.job(job_id=6, array={"job_id": 5, "task_id": {"set": True, "number": 2}}),
    sacct_json.job(job_id=8, het={"job_id": 7, "job_offset": 0}, state={"current": ["RUNNING"]}),
).encode()
BATSIM = (
    b'{"nb_res": 8, "jobs": [{"id": 1, "subtime": 0.5, "res": 2, "walltime": 99.5, "profile": "a"},'
    b'\n {"id": "w!2", "subtime": 10, "res": 8, "walltime": -1, "profile": "b"}],'
    b'\n "profiles": {"a": {"type": "delay", "delay": 60.25}, "b": {"delay": 5, "ret": 1}}}\n'
)
PRINTED_NODES = tuple(text.encode() for text in prints.ALL)
MACHINES = b"0\tbig\t4\t8\t1\t52942643\n1\tsmall\t8\t2\t1.5\t9403596\n# none\n"
SLURM_CONF = b"""# a site
SchedulerParameters=bf_window=10080,bf_interval=60,\\
bf_max_job_test=500
PriorityType=priority/multifactor
PriorityDecayHalfLife=7-00:00:00
PriorityMaxAge=14-0
PriorityWeightAge=1000
PriorityWeightFairshare=100000   # dominates
PriorityWeightPartition=10000
NodeName=DEFAULT CPUs=64 RealMemory=515000
NodeName=c[001-096]
NodeName=g[01-12] Sockets=2 CoresPerSocket=8 Gres=gpu:a100:4
PartitionName=DEFAULT State=UP
PartitionName=short Nodes=c[001-096] MaxTime=04:00:00 PriorityJobFactor=100
PartitionName=long Nodes=c[001-080],g01 MaxTime=7-00:00:00 PriorityJobFactor=10
PartitionName=all Nodes=ALL
NodeSet=some Nodes=c001 Feature=fast
Include more.conf
"""
SLURM_MORE = b"""# more
NodeName=m[1-2] CPUs=8 CoreSpecCount=1 Feature=fast,new Weight=3 \\
RealMemory=1000 MemSpecLimit=100
PartitionName=more Nodes=some,m1 PriorityTier=2 PriorityJobFactor=7
"""
GRES_CONF = b"AutoDetect=nvml\nNodeName=g[01-12] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"
TABLE = (
    b"# jobs\njob_id,user,submit,start,end,requested_time,procs,ram,gpus,success\n"
    b"1,ann,0.5,10,70.25,600,4,1024,0,1\n2,bob,2020-01-01T12:00:00,,,1-00:00:00,2,,1,0\n"
    b'"3","a, b",5,10,20,90,1,5,,1\n'
)
MAPPING = b'submit = "submit"\nruntime = "end"\nprocs = "procs"\nuser = "user"\n[units]\nruntime = "min"\n'
FAILURES = b"1356996200 big 600 0 3\n1356996300 small 60\n; more\n1356997000 big 86400 1\n"
POWER = (
    b"energy = 'above-idle'\n[[nodes]]\nidle_w = 120\ncore_w = 6.5\ngpu_w = 250\noff_w = 8\n"
    b"[[nodes]]\ngroup = 'big'\nidle_w = 1e2\nboot_s = 60\nboot_w = 90\n"
    b"[price]\nper_kwh = 'rates.csv'\n[carbon]\ng_per_kwh = 2.5\n"
)
RATES = b"time,value\n0,0.2\n2013-01-01T02:00,\n2013-01-02,-0.05\n"
SHARES = b"user,share\r\n1,2\r\n2,0.5\r\n3,1/10\r\nfour,16c64g\r\nfive,fair\r\n"
SCHEDULE = b"# made by hand\njob_id;start;end;procs\n1;60;100;2\n2;130;140.5;3\n5;1e2;;\n"

CLUSTERS = (
    *("338c", "20x80c505g+48x12c90g", "4x64c512g8gpu2fpga", "bluegene", "2x4c1t+1x8c2048k+64c"),
    *("20x80c~30d/4h", "4x8c~90/30m/7", "2x8c16g+2x4c~1d/1h/3/0.7", "8x4c~log"),
)
POLICIES = (*PRESETS, *(text for text, _ in EXAMPLES))
POLICY_WORDS = (
    *(f",{key.name}=" for key in KEYS),
    *(word for key in KEYS for word in key.words),
    *(
        " ",
        "\n:",
        " :",
        "none",
        "on",
        "off",
        "any",
        "30m",
        "0",
        "1+2+4",
        "short@1",
        "a@b;c@d+e",
        "users.csv",
        "~/users.csv",
    ),
)
TUNINGS = (
    "bf:-0.5:0..1:queue_depth>=400:30m",
    "bf;window",
    "2d",
    "window:+1:1..8:utilization_1h<=mean_1d:1h",
    "bf:+0.25:0..1:bounded_slowdown_50<2:10m;window",
)
SHARE_SPELLINGS = (
    "fair",
    "1/10",
    "64c",
    "64c256g",
    "fair:share_decay=3d,batches=10m",
    "users.csv",
    "1/3:batches=1",
)
FILTERS = (
    "user in (12, 62) and procs >= 64 and wait > 2h and not queue ~ test*",
    "(submit >= 2013-02-28 or submit < 2013-02-28T14:30:01) and ram < 4g",
    'user = "a ""b"" c" or user != \'x\' and late = 1',
    "slowdown > 1.5 and area <= 100h and not (job = 7 or group ~ ?x)",
)
FILTER_WORDS = (
    "and",
    " or ",
    " not ",
    " in (",
    "user",
    "procs",
    "wait",
    "late",
    "<=",
    "~",
    "~*",
    "**?*",
    '""',
)
METRIC_NAMES = (*METRICS, "psf:alpha=1.5", "response_l:p=3")
TIMES = (
    "0",
    "86400",
    "2013-02-28",
    "2013-02-28T14:30",
    "2013-02-28T14:30:00+01:00",
    "0:100",
    "2013-01-01:2013-02-01",
)
SETTINGS = (
    b'{"theme": "dark", "divided": [300, 200], "layouts": {"mine": {"view": "all", "docks": '
    b'{"Runs": {"size": 3}}}}, "policies": ["easy", "fcfs"], "gain_weights": [50, 25, 25], '
    b'"hidden_columns": {"Jobs": ["wait"]}, "filters": {"wide": "procs > 2"}, '
    b'"administrators": {"log": ["1"]}, "recent": ["/a"], "share": "fair",'
    b' "columns": 2, "show_down": true, "timeline_averages": ["now"], "step": "row"}'
)
SESSION = (
    b'{"format": 1, "program": "0.1", "source": {"path": "/logs/a.swf", "size": 12}, "cluster": "4x8c", '
    b'"share": "1/10", "fair_starts": true, "left_out": ["1"], "runs": [{"id": 1, "policy": "easy"}, '
    b'{"id": 4, "policy": "fcfs:estimate=actual", "cluster": "2x8c"}]}'
)
VIEW = (
    b'{"window": [0.5, 100.0], "part": [0.25, 0.5], "baseline": 4, "compared": [4, 1], "picked": '
    b'{"span": [3, 4.0], "jobs": [7, "a7"], "users": ["ann"]}, "filter": "procs > 2", "layout": '
    b'{"columns": 1, "docks": {"Runs": {"area": "left", "floating": [1, 2, 3, 4]}}, '
    b'"charts": {"gantt": true}}}'
)

FORMULAS = (
    "(wait / walltime)^3 * procs",
    "-(log10(estimate) * procs + 870 * log10(submit))",
    "if(hour >= 8 and hour < 18, -area, wait) + max(queued, user_queued, 1) - slack / 2e3",
    "not usage == 0 or sqrt(ram) <= .5",
)
FORMULA_WORDS = (
    "(",
    ")",
    ",",
    "^",
    "-",
    "--",
    "<",
    "and",
    "not",
    "log",
    "min(",
    "1e308",
    "0",
    "/ 0",
    "((((",
    "wait",
)

STUDY = b"""title = "One or two?"
policies = ["queues:n=1", "auction"]
metrics = ["value:delta=5", "wait_mean"]
theta = [1, 0.5]
against = "auction"
[keys]
seed = [0, 1]
[[findings]]
text = "one is enough"
policy = "queues:n=1"
least = 90
"""
