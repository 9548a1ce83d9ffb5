"""Billing units by hand, as Slurm's manual has them for TRESBillingWeights and PriorityFlags."""

from pathlib import Path

import numpy as np
import pytest

from engine.slurm.scheduler.billing import billing_of
from engine.slurm.site.folder import read_site_at

RESOURCES = ("cpus", "ram", "gpu")
TOTAL = np.array([[2, 8 * 1024, 1]])


@pytest.mark.parametrize(
    ("flags", "units"),
    [
        ("", 2 * 1.0 + 8 * 0.25 + 1 * 4 + 3 * 0.5),
        ("PriorityFlags=MAX_TRES,SMALL_RELATIVE_TO_TIME", 4.0),
        ("PriorityFlags=max_tres_gres", 2.0 + 4.0),
    ],
)
def test_units_of_a_partition_with_weights(tmp_path: Path, flags: str, units: float) -> None:
    """A job of two CPUs, 8 GiB and a GPU on three nodes; in a partition without weights its CPUs count."""
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-4] CPUs=4\n"
        "PartitionName=paid Nodes=a[1-4] TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=4,Node=0.5\n"
        f"PartitionName=free Nodes=a[1-4]\n{flags}\n"
    )
    site = read_site_at(tmp_path)
    total, nodes = np.repeat(TOTAL, 3, axis=0), np.full(3, 3)
    found = billing_of(site, ["paid", "free", "gone,paid"], RESOURCES, total, nodes)
    assert found.tolist() == pytest.approx([units, 2.0, 2.0])
    assert billing_of(site, [], RESOURCES, total[:0], nodes[:0]).tolist() == []
