"""Two runs against each other: what moved, by how much, and for whom."""
