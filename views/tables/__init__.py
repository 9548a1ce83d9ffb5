"""Tables: metrics by run; runs, users, queues and jobs."""
