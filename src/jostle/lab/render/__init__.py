"""Results for people: terminal, Markdown, HTML and figures. Nothing here needs JAX."""
