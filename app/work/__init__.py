"""Worker threads and processes: simulations, the compiler's warm-up, memory."""
