"""Checks of any schedule, ours or another's, against its trace, its machine and its policy's promises.

Nothing here is shared with the simulator, so that neither can hide the other's mistakes.
"""
