"""What adds runs to the window: sites, schedules, twins, changes, searches, studies and sweeps."""
