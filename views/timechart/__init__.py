"""The base of charts on the clock: picture from a thread, axis, gestures."""
