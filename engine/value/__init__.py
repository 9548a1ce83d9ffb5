"""The value of jobs to their users, the effect of queues and auctions, and the loss by delay."""
