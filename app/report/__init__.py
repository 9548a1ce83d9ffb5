"""A comparison as a folder: a page with what it says, figures, tables, session, methods and digests."""
