"""Running experiments: trials, tuning and timing, by workers here or on a Ray cluster."""
