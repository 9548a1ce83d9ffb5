"""The layer over Numba, and alone in knowing it.

What others use: `kernels.kernel` and `kernels.inner_kernel` compile functions, `packed.packed` hands named
tuples to them, and `ticks.ticks` reads the clock in them. Where code is kept `cache` tells, without Numba.
"""
