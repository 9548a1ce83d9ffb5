"""The accuracy of predicted starts: the numbers of early, punctual and late jobs, and the errors."""
