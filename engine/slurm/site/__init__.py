"""A site: its associations, qualities of service, partitions and reservations, from its files."""
