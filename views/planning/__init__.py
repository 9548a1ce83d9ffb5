"""The effect of local search on plans: gains, moves, time, and the gain from a larger budget."""
