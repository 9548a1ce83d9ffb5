"""Tests of logs that are read as they are asked for."""
