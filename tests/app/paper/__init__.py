"""Tests of papers as folders."""
