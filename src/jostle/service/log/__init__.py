"""The log of the service: append-only records, committed in groups."""
