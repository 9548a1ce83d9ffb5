"""What is seen: charts and figures, each showing engine results."""
