"""Getting a data set from its publisher: download, unpack, verify."""
