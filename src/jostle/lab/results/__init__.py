"""What an experiment produced, in memory and in its folder. Nothing here needs JAX."""
