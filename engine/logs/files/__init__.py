"""The files of a log: what they hold, unpacked, and which files are no logs."""
