"""Hooks: what a host tells before a command, after an edit and at the end of a turn, and what it is answered."""
