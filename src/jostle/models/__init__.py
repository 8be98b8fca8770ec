"""What policies learn with: networks and how they are fitted, ridge regression, covariances."""
