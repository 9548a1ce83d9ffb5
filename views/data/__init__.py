"""Data of charts and figures as arrays and texts. No Qt."""
