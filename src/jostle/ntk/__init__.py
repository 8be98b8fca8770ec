"""The neural tangent kernel, and the confidence radius and perturbation scale of Section 4."""
