"""Usage factors of users over time, and how one user's share fills."""
