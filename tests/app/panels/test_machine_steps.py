"""The buttons of a machine's nodes undo one another."""

import pytest

from app.panels.policies.machine_field import fewer_nodes, more_nodes
from engine.machine.cluster import NodeGroup


@pytest.mark.parametrize("count", [*range(2, 120), 999, 1000, 20_000])
def test_fewer_takes_back_what_more_added(count: int) -> None:
    for group in (NodeGroup(count, 8), NodeGroup(1, count)):
        more = more_nodes(group)
        assert more != group
        assert fewer_nodes(more) == group
