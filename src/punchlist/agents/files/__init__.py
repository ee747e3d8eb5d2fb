"""Edits of other programs' settings files that change one entry and leave every other byte as it is."""
