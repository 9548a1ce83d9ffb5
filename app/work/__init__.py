"""The process: its tuning, memory given back, and the kernels, compiled by a child where they are not yet."""
