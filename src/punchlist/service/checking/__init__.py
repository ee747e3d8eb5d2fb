"""Diagnose a project with its engines: checks as runs, snapshots, comparisons, recurrence, answers."""
