"""A very small shop with a few faults, for the demo."""
