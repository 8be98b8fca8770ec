"""Parts that everything else is built from: records, validation, contexts, files."""
