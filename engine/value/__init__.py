"""What jobs are worth to their users, what queues and auctions make of it, and what delay leaves of it."""
