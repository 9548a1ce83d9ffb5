"""Reports: a comparison as a folder with a summary page, figures, tables, session, methods and digests."""
