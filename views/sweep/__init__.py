"""A metric over two keys of a policy."""
