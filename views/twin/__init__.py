"""The twin of a site: recorded beside simulated."""
