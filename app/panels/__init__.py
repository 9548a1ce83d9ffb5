"""Panels and dialogs beside and around the charts: runs, exploring, filter, policies."""
