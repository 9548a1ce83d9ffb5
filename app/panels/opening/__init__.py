"""Opening a log: the dialog, how it is read, its columns and fields, and fetching one."""
