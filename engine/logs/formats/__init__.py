"""Formats of logs, each with a module."""
