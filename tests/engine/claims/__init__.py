"""Claims against judges that decide from schedules alone."""
