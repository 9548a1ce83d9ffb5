"""The construction of a simulation: its state, orders, rules and hours, from trace, machine and policy."""
