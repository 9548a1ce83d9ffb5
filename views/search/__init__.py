"""The search for a better policy: what is asked, what was tried, and the verdict."""
