"""What results say: rankings, intervals, ablations, speed, claims. Nothing here needs JAX."""
