"""Calls of functions by their address, as kernels make them when they run as plain Python."""

import ctypes

import numpy as np

from engine.compiler.callback import CALLED, _call_from_python


def test_an_address_that_was_read_from_an_array_is_called() -> None:
    function = CALLED(lambda first, second: first - second)
    address = np.array([ctypes.cast(function, ctypes.c_void_p).value])[0]
    assert _call_from_python(address, 7, 9) == -2
