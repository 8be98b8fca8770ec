"""Getting data sets: download, unpack, verify, and install only what is right."""
