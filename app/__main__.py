"""`python -m app` is the `batchscope` command."""

import sys

from app.cli import main

sys.exit(main())
