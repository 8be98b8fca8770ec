"""Neural contextual bandits that explore by perturbing the rewards they learn from."""
