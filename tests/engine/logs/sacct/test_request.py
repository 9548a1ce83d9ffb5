import numpy as np
import pytest

from engine.logs.sacct.layout import requests_of
from engine.logs.sacct.request import NOTHING, CommandRequest, request_of
from engine.trace.records import text_names


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sbatch -n 24 -t 1 run.sh", CommandRequest(tasks=24)),
        ("sbatch -n24 run.sh", CommandRequest(tasks=24)),
        ("/opt/slurm/bin/sbatch --ntasks=2k run.sh", CommandRequest(tasks=2048)),
        (
            "sbatch --ntasks 24 --ntasks-per-node=12 -C CPU-M --wrap exec sleep 9",
            CommandRequest(24, tasks_per_node=12, features="CPU-M"),
        ),
        ("srun -N 2-4 -c 3 --exclusive hostname", CommandRequest(cpus=3, nodes=2, most_nodes=4, whole=True)),
        (
            "salloc -N1 --cpus-per-task=6 --mem=4G",
            CommandRequest(cpus=6, nodes=1, most_nodes=1, by_node=True),
        ),
        ("sbatch --exclusive=user -n 2 run.sh", CommandRequest(tasks=2)),
        ("sbatch --mem-per-cpu=100 -n 2 run.sh", CommandRequest(tasks=2)),
        ('sbatch -C "A&B" --nodes=3 run.sh', CommandRequest(nodes=3, most_nodes=3, features="A&B")),
        ("sbatch --constraint=[a|b] run.sh", CommandRequest(features="[a|b]")),
        ("sbatch --array=0-99%4 -n 1 run.sh", CommandRequest(tasks=1, at_once=4)),
        ("sbatch -a 1,3,7%2 run.sh", CommandRequest(at_once=2)),
        ("sbatch --array=0-99 run.sh", NOTHING),
        # Options of the script, of the wrapped command, and values that look like options are not the job's.
        ("sbatch run.sh -n 5 -N 3", NOTHING),
        ("sbatch --wrap srun -n 5 hostname", NOTHING),
        ("sbatch -J -n run.sh", NOTHING),
        ("sbatch -o log -W -n 3 run.sh", CommandRequest(tasks=3)),
        ("srun -W 60 -n 3 run.sh", CommandRequest(tasks=3)),
        ("sbatch --parsable --hold --nice -n 3 run.sh", CommandRequest(tasks=3)),
        ("sbatch --comment -n 3 run.sh", NOTHING),
        ("sbatch -n many -c -1 -N x run.sh", NOTHING),
        ("sbatch -n", NOTHING),
        ("", NOTHING),
        ("python submit.py -n 5", NOTHING),
    ],
)
def test_what_a_command_line_asks_for(line, expected):
    assert request_of(line) == expected


def test_parts_of_a_heterogeneous_job_have_their_own_options():
    line = "sbatch -n 1 -c 8 : -n 16 --exclusive : -C big -n 2 run.sh"
    assert request_of(line, 0) == CommandRequest(tasks=1, cpus=8)
    assert request_of(line, 1) == CommandRequest(tasks=16, whole=True)
    assert request_of(line, 2) == CommandRequest(tasks=2, features="big")
    assert request_of(line, 3) == NOTHING


def test_a_column_of_lines():
    lines = text_names(
        ["sbatch -n 2 a", "", "sbatch -n 2 a", "sbatch -n 1 : -n 3 -C x b", "sbatch -n 1 : -n 3 -C x b"]
    )
    asked = requests_of(lines, np.array([0, 0, 0, 0, 1]))
    assert asked.tasks.tolist() == [2, 0, 2, 1, 3]
    assert [asked.features.names[code] for code in asked.features.codes] == ["", "", "", "", "x"]
    assert len(requests_of(text_names([]), np.zeros(0, np.int64)).tasks) == 0


def test_long_lines_are_read_in_time():
    assert request_of("sbatch -J " + "x" * 1_000_000 + " -n 3 a").tasks == 3
    assert request_of("sbatch " + "-A b " * 100_000 + "-n 3 a") == NOTHING
