"""Hostile input, made at random: for readers, spellings, simulations and the window.

`python -m tests.fuzz READER --cases N [--seed S]`; `tests.fuzz.registry` has the list.
"""
