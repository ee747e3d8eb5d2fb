"""What reports have in common and how they differ: groups, ranking, delta, recurrence. Pure functions."""
