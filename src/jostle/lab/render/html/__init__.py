"""Reports and index pages as HTML that needs nothing but itself."""
