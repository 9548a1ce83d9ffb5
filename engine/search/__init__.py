"""Search of the best configuration for a machine on a span of a trace, checked on another span."""
