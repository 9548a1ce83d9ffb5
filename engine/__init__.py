"""What is computed: traces, clusters, policies, schedules and their metrics. No Qt, no drawing."""
