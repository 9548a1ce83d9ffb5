"""What charts and figures draw, as arrays and words. No Qt."""
