"""Models of rewards: networks and their training, ridge regression, covariances of gradients."""
