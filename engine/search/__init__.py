"""The best configuration for a machine: searched on one span of a trace, judged on another one."""
