"""Publication figures, drawn by matplotlib from the same arrays as the charts; no Qt in here."""
