"""All fuzzers, by the names that `python -m tests.fuzz` knows them by."""

from tests.fuzz import anonymous, commands, documents, kills, queues, simulations, spellings, tables, traces
from tests.fuzz.fuzzer import Fuzzer

FUZZERS: dict[str, Fuzzer] = {
    "swf": Fuzzer("logs in the Standard Workload Format", traces.try_swf, prepare=traces.prepare),
    "alea": Fuzzer(
        "logs in Alea's format, with a machines file beside them", traces.try_alea, prepare=traces.prepare
    ),
    "slurm": Fuzzer(
        "dumps of Slurm's sacct, with and without a header", traces.try_slurm, prepare=traces.prepare
    ),
    "condor": Fuzzer(
        "histories of HTCondor, as lines and as JSON", traces.try_condor, prepare=traces.prepare
    ),
    "flux": Fuzzer("jobs of Flux, as a document and as lines", traces.try_flux, prepare=traces.prepare),
    "gwf": Fuzzer("logs in the Grid Workload Format", traces.try_gwf, prepare=traces.prepare),
    "jobcomp": Fuzzer("logs of completed jobs of Slurm", traces.try_jobcomp, prepare=traces.prepare),
    "pbs": Fuzzer("accounting logs of PBS", traces.try_pbs, prepare=traces.prepare),
    "pieces": Fuzzer(
        "jobs of PBS that gave back nodes, and ranges of hosts", traces.try_pieces, prepare=traces.prepare
    ),
    "gridware": Fuzzer("Gridware's accounting.jsonl", traces.try_gridware, prepare=traces.prepare),
    "elastic": Fuzzer("jobs of Slurm from Elasticsearch", traces.try_elastic, prepare=traces.prepare),
    "resized": Fuzzer(
        "dumps of sacct with changed sizes and several clusters", traces.try_resized, prepare=traces.prepare
    ),
    "sge": Fuzzer("accounting files of Grid Engine", traces.try_sge, prepare=traces.prepare),
    "lsf": Fuzzer("accounting files of LSF", traces.try_lsf, prepare=traces.prepare),
    "sacct_json": Fuzzer("what sacct --json prints", traces.try_sacct_json, prepare=traces.prepare),
    "anonymous": Fuzzer(
        "logs of batch systems under other names", anonymous.try_anonymous, prepare=anonymous.prepare
    ),
    "batsim": Fuzzer("workloads of Batsim", traces.try_batsim, prepare=traces.prepare),
    "table": Fuzzer(
        "tables of jobs, as CSV and Parquet, by name and by a mapping",
        tables.try_table,
        prepare=traces.prepare,
    ),
    "fields": Fuzzer("dumps of sacct whose fields someone names", traces.try_fields, prepare=traces.prepare),
    "sample": Fuzzer(
        "first rows of tables of jobs, and what their columns may mean",
        tables.try_sample,
        prepare=traces.prepare,
    ),
    "folder": Fuzzer("folders of rotated logs", traces.try_folder, prepare=traces.prepare),
    "packed": Fuzzer(
        "logs packed by gzip, bzip2, xz and Zstandard", traces.try_packed, prepare=traces.prepare
    ),
    "archive": Fuzzer("logs in zip and tar archives", traces.try_archive, prepare=traces.prepare),
    "machines": Fuzzer("machines files", traces.try_machines),
    "printed_nodes": Fuzzer("machines that pbsnodes -a and qhost print", traces.try_printed_nodes),
    "slurm_conf": Fuzzer("slurm.conf as a machine and as a policy", traces.try_slurm_conf),
    "failures": Fuzzer("files of failures", traces.try_failures, prepare=traces.prepare),
    "power": Fuzzer(
        "files of the power of a machine, and of prices", traces.try_power, prepare=traces.prepare
    ),
    "schedule": Fuzzer("schedules of other programs", traces.try_schedule, prepare=traces.prepare),
    "cluster": Fuzzer("machines as they are spelled", spellings.try_cluster),
    "policy": Fuzzer("policies", spellings.try_policy),
    "tunings": Fuzzer("tunings of policies", spellings.try_tunings),
    "shares": Fuzzer("shares, and files of users' shares", spellings.try_share),
    "filter": Fuzzer("filters", spellings.try_filter),
    "formula": Fuzzer("formulas of orders", spellings.try_formula),
    "scale": Fuzzer("how traces are scaled", spellings.try_scale),
    "study": Fuzzer("study files", spellings.try_study),
    "metric": Fuzzer("names of metrics", spellings.try_metric),
    "time": Fuzzer("times of the command line", spellings.try_time),
    "queue": Fuzzer("printed queues: squeue, its JSON, scontrol, sacct, qstat -f", queues.try_queue),
    "settings": Fuzzer("settings files", documents.try_settings),
    "session": Fuzzer("session files", documents.try_session),
    "simulations": Fuzzer(
        "simulations: any policy on any machine", simulations.try_simulation, 30.0, 1024, simulations.prepare
    ),
    "kills": Fuzzer("commands that are killed while they write", kills.try_kill, 300.0, 1024, kills.prepare),
    "commands": Fuzzer("the command line", commands.try_command, 30.0, 1024, commands.prepare),
}
