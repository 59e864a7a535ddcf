"""What the scripts of bench/ share. Python's standard library only."""
