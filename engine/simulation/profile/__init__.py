"""The profile: what will be free in time, where a job fits into it, and the drafts of reservations."""
