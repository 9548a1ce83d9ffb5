"""The job table of a session's database in files as other programs write them."""

import json
from pathlib import Path
from typing import Any


def write_tables(folder: Path) -> None:
    """Write `job_table.parquet` and `job_table.csv`, as pandas writes what it reads from a database."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = json.loads((folder / "loop_job_table.json").read_text())
    columns: dict[str, Any] = {}
    for k, (name, kind) in enumerate(table["types"].items()):
        cells = [row[k] for row in table["rows"]]
        # Integers that do not fit into 63 bits are unsigned; without a number the cell is null.
        if kind.endswith("int"):
            numbers = [None if cell is None else int(cell) for cell in cells]
            large = max((number or 0 for number in numbers), default=0) >= 1 << 63
            columns[name] = pa.array(numbers, pa.uint64() if large else pa.int64())
        else:
            columns[name] = pa.array(cells, pa.string())
    pq.write_table(pa.table(columns), folder / "job_table.parquet")
    texts = {name: [row[k] for row in table["rows"]] for k, name in enumerate(table["types"])}
    pd.DataFrame(texts).to_csv(folder / "job_table.csv", index=False)
