"""Policies, metrics, a reader and a view for Batchscope."""
