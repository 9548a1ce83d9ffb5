"""The engine: traces, clusters, policies, schedules and their metrics. No Qt, no drawing."""
