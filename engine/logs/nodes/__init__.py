"""What logs tell of machines: their nodes, how large they are, and where jobs ran."""
