"""Playing an experiment: trials, tuning and timing, by workers here or on a Ray cluster."""
