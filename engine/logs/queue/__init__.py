"""The queue at one moment, as batch systems print it."""
