"""Before JAX is imported: tests compile much and compute little, so compile without polish."""

import os

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0"
