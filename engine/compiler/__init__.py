"""The layer over Numba: how kernels are compiled, their arguments packed, and their code kept."""
