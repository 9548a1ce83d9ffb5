"""What jobs are worth, what of it delay leaves, and what each run delivers."""
