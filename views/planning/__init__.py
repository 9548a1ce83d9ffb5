"""What local search does to plans: gains, moves, time, and what a larger budget would buy."""
