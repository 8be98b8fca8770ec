"""Other libraries' algorithms, played on the same streams as jostle's policies."""
