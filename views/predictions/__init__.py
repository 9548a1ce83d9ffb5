"""How predicted starts came true: how many early, on time and late, and by how much."""
