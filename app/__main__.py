"""`python -m app` is the `batchscope` command."""

from app.cli.main import run_process

run_process()
