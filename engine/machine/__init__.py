"""The machine: groups of nodes, what they hold, which of them a task may use, and when they are down."""
