"""Jobs of all kinds: what is submitted, and what is done to them afterwards."""

from dataclasses import dataclass

ODD_NAMES = (
    "a|b",
    "a||b|c|",
    'say "hi"',
    "it's",
    "line\nbreak",
    "two\n\nlines|and bars",
    "tab\there",
    "žluťoučký kůň 🐎",
    "1|COMPLETED|0:0",
    "  blanks  ",
    "back\\slash \\n",
    "semi;colon,comma",
    "a^|^b",
    "-dash",
    "ends with a line\n",
    "carriage\r\nreturn",
    "50% $HOME `x`",
    "x[1-3]=*",
    "NULL",
    "None",
    "Unknown",
    "batch",
    "12.0",
    "n" * 300,
    '"quoted"',
    '"open',
    "JobID|JobName|State",
    "{}",
    "ünïcödé|\n|ünd",
    "<b>&amp;</b>",
)

STEPS = "srun -n1 sleep 1\nsrun -n2 --cpus-per-task=1 sh -c 'echo $SLURM_PROCID'\nsleep 1\n"
USES = (
    "python3 -c 'import time\nx = b\"x\" * (60 << 20)\nend = time.time() + 4\nwhile time.time() < end: x'\n"
)


@dataclass(frozen=True)
class Job:
    """A job that is submitted: by whom, with which options of sbatch, and what it runs."""

    key: str
    user: str
    options: tuple[str, ...]
    script: str = "sleep 2"
    wrapped: bool = False
    where: str = ""


def job(key: str, user: str, options: str, script: str = "sleep 2", **more: object) -> Job:
    """A job whose options hold no blanks."""
    return Job(key, user, tuple(options.split()), script, **more)  # type: ignore[arg-type]


FEW = (
    job("plain", "u1", "-n1"),
    job("steps", "u1", "-n2 -t 3", STEPS),
    job("uses", "u2", "-n1 --mem=300 -t 3", USES),
    job("array", "u2", "-n1 -a 0-3%2 -t 2"),
    job("array_left", "u3", "-n2 -a 1-9:2%1 -t 2", "sleep 30"),
    Job("het", "u1", ("-n2", "-t2", ":", "-n4", "--mem-per-cpu=200", "-t3", "-p", "smt"), "sleep 3"),
    job("exclusive", "u1", "-n1 --exclusive -t 2"),
    job("whole", "u3", "-p whole -n3"),
    job("uneven", "u4", "-n 20 -t 2", "sleep 3"),
    job("uneven_nodes", "u4", "-N 3 -n 10 -t 2"),
    job("gpu", "u2", "-p gpu --gres=gpu:a100:2 -n 2"),
    job("gpus", "u2", "-p gpu --gpus=3 -N 2 -n 4"),
    job("gpu_task", "u1", "-p gpu -n 2 --gpus-per-task=1"),
    job("smt", "u1", "-p smt -n 3"),
    job("smt_one", "u1", "-p smt -n 3 --hint=nomultithread"),
    job("per_cpu", "u3", "-n4 --mem-per-cpu=1500"),
    job("all_ram", "u3", "-n1 --mem=0"),
    job("endless", "u3", "-p long -n1"),
    job("days", "u1", "-t 0-20:00:00 -n1 --nice=50"),
    job("feature", "u1", "-C thin&ib -n2"),
    job("high", "u1", "--qos=high -n1"),
    job("fails", "u2", "-n1", "exit 7"),
    job("signal", "u2", "-n1", "kill -9 $$"),
    job("timeout", "u4", "-n1 -t 1", "sleep 200"),
    job("running_cancelled", "u1", "-n1 -t 3", "sleep 100"),
    job("held_cancelled", "u1", "-n1 -H"),
    job("first", "u1", "-n1", "sleep 3"),
    job("requeued", "u1", "-n1 -t 4", '[ -n "$SLURM_RESTART_COUNT" ] || sleep 100; sleep 2'),
    job("requeued_cancelled", "u1", "-n2 -t 4", "sleep 100"),
    job("suspended", "u1", "-n1 -t 4", "sleep 12"),
    job("node_fails", "u1", "-p old -n1 -t 4 --no-requeue", "sleep 100"),
    job("node_fails_again", "u1", "-p old -n2 -t 4 --requeue", "sleep 100"),
    job("begin", "u2", "-n1 --begin=now+15"),
    *(Job(f"odd{k}", "u2", ("-n1", f"--job-name={name}")) for k, name in enumerate(ODD_NAMES[:8])),
    Job("odd_comment", "u3", ("-n1", '--comment=a|b\n"c"|;,'), "echo 'a|b'\nsleep 1", wrapped=True),
    Job("odd_folder", "u3", ("-n1",), "sleep 1", where="odd | dir\nof two lines"),
)
"""Some forty jobs."""

MORE = (
    job("per_node", "u1", "-N2 --ntasks-per-node=3 -c 2"),
    job("range", "u1", "-N1-3 -n 12"),
    job("spread", "u1", "-n5 --spread-job"),
    job("user_exclusive", "u2", "-n2 --exclusive=user"),
    job("overcommit", "u2", "-n9 -O -N1"),
    job("cores", "u2", "-p smt -n2 -c 3"),
    job("cores_one", "u2", "-p smt -n1 --ntasks-per-core=1 -c 1"),
    job("mem_node", "u2", "-N2 -n6 --mem=2G"),
    job("mem_gpu", "u2", "-p gpu --gpus=2 --mem-per-gpu=1500"),
    job("gpu_node", "u2", "-p gpu -N2 --gpus-per-node=a100:1 -n3"),
    job("gpu_cpus", "u2", "-p gpu -N1 --gpus=1 --cpus-per-gpu=3"),
    job("gpu_whole", "u2", "-p gpu -n1 --exclusive --gres=gpu:1"),
    job("whole_two", "u1", "-p whole -N2 -n3 --mem=1000"),
    job("time_min", "u1", "-n1 -t 5 --time-min=1"),
    job("tmp", "u1", "-n1 --tmp=0", "sleep 1"),
    job("no_time", "u1", "-p long -n2 --mem-per-cpu=1"),
    job("partitions", "u1", "-p smt,long -n1 -t 2"),
    job("constraint_or", "u1", "-C thin|smt -n1"),
    job("constraint_count", "u1", "-N2 -C [thin*1&smt*1] -n2"),
    job("never", "u1", "-n1 -p low --begin=now+3600"),
    job("node_list", "u1", "-n1 -w c002"),
    job("exclude", "u1", "-n4 -x c001,c002"),
    job("scavenge", "u3", "--qos=scavenge -n2"),
    job("low", "u3", "-p low -n8 -a 0-3 -t 10", "sleep 60"),
    job("cheap", "u3", "-p cheap -n4 -a 0-3 -t 10", "sleep 60"),
    job("wide_array", "u4", "-n1 -a 1-20%6 -t 2", "sleep 1"),
    job("array_fails", "u4", "-n1 -a 0-3 -t 2", "[ $SLURM_ARRAY_TASK_ID -gt 1 ] && exit 3; sleep 1"),
    job("array_of_names", "u4", "-n1 -a 3,7,11-12 -t 2 --job-name=a|%a", "sleep 1"),
    job("array_timeout", "u4", "-n1 -a 0-1 -t 1", "sleep 200"),
    Job(
        "het_three",
        "u2",
        ("-n1", ":", "-n2", "-p", "gpu", "--gres=gpu:1", ":", "-n3", "-C", "smt"),
        "sleep 2",
    ),
    Job("het_steps", "u2", ("-n1", ":", "-n1"), "srun --het-group=0,1 sleep 1"),
    Job("het_cancelled", "u2", ("-n1", "-H", ":", "-n1"), "sleep 2"),
    Job("het_running_cancelled", "u2", ("-n1", "-t3", ":", "-n2"), "sleep 100"),
    job("memory_kill", "u1", "-n1 --mem=30 -t 3", USES),
    job("busy", "u1", "-n4 -t 3", "srun -n4 sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'\n"),
    job(
        "many_steps",
        "u1",
        "-n2 -t 3",
        'for k in 1 2 3 4 5 6; do srun -n1 --job-name="s|$k" sleep 0.1; done\n',
    ),
    job("failing_step", "u1", "-n2 -t 3", "srun -n2 sh -c 'exit $SLURM_PROCID'\n"),
    job("no_shell", "u1", "-n1 --open-mode=append", "true"),
    job("term", "u1", "-n1 -t 3 --signal=B:TERM@60", "sleep 100"),
    job("self_cancelled", "u2", "-n1", "scancel $SLURM_JOB_ID; sleep 5"),
    job(
        "self_requeued",
        "u2",
        "-n1",
        '[ -n "$SLURM_RESTART_COUNT" ] || scontrol requeue $SLURM_JOB_ID; sleep 2',
    ),
    job("held_requeued", "u2", "-n1 -t 4", "sleep 100"),
    job("resized", "u2", "-N3 -n6 -t 4", "sleep 70"),
    job("limit_changed", "u2", "-n1 -t 1", "sleep 75"),
    job("suspended_cancelled", "u2", "-n1 -t 4", "sleep 100"),
    job("deadline", "u2", "-n1 -t 1 -H --deadline=now+62"),
    job("admin_comment", "u2", "-n1 -t 2", "sleep 70"),
    job("nice", "u2", "-n1 --nice=10000"),
    job("reserved", "u2", "--reservation=noon -n2"),
    job("bad_folder", "u1", "-n1 -D /nowhere"),
    job("bad_output", "u1", "-n1 -o /nowhere/x"),
    job("empty_limit", "u1", "-p long -n1 -t UNLIMITED"),
    job("zero_limit", "u1", "-p long -n1 -t 0"),
    *(job(f"lone{k}", "u4", "-n2 --dependency=singleton --job-name=lone -t 2") for k in range(4)),
    *(Job(f"more_odd{k}", "u2", ("-n1", f"--job-name={name}")) for k, name in enumerate(ODD_NAMES[8:])),
    *(
        Job(f"wrap{k}", f"u{k % 4 + 1}", ("-n1", "-t2", "--wrap", f"sleep 1 # {name}"))
        for k, name in enumerate(ODD_NAMES)
    ),
    *(
        Job(f"comment{k}", "u4", ("-n1", "-t2", f"--comment={name}"), "sleep 1")
        for k, name in enumerate(ODD_NAMES[:12])
    ),
    *(
        job(
            f"size{k}",
            f"u{k % 4 + 1}",
            f"-n{1 + 3 * k % 17} -t {1 + k % 5} --mem-per-cpu={100 + 37 * k}",
            f"sleep {2 + k % 9}",
        )
        for k in range(30)
    ),
    *(
        job(f"nodes{k}", f"u{k % 4 + 1}", f"-N{2 + k % 2} -n{3 + k} -t 3", f"sleep {1 + k % 4}")
        for k in range(10)
    ),
)
"""Together with FEW over two hundred, tasks of arrays counted."""
