"""Tests of reading logs with options."""
