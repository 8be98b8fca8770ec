"""What an experiment produced, in memory and in its folder. No JAX."""
