"""Files for reports: figures, tables, and what they say of where they come from."""
