"""What an experiment is: data with a name, from the paper's figures to a TOML file. No JAX."""
