"""Reports and index pages as HTML: each is one file that loads nothing from anywhere."""
