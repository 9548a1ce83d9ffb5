"""Every command and every export, on small logs of every kind, under every kind of run."""
