"""Plans of the waiting jobs: their criteria, and the searches for better ones."""
