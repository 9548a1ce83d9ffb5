"""Two measures against each other, a dot a user, queue, class or job."""
