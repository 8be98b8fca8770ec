"""What each operation of the HTTP interface does: the core is called, its answer is wrapped."""
