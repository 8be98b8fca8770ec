"""Harnesses that try to break ``jostle serve``; ``make torture`` runs them in full."""
