"""`python -m app` is the `batchscope` command."""

from app.cli import run_process

run_process()
